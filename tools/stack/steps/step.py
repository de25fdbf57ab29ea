"""A step, and how it is known that it was done."""

from collections.abc import Callable
import dataclasses

from tools.stack import settings as settings_module


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """:ivar once: done when it has ended well, ever; else each time.

    A step may be done again after a failure half way: each is written so.
    """

    name: str
    needs: tuple[str, ...] = ()
    once: bool = True
    do: Callable[[settings_module.Settings], None]


def carry_out(step: Step, settings: settings_module.Settings) -> bool:
    """Do it unless it is done; return whether something was done."""
    stamp = settings.data / "done" / step.name
    if step.once and stamp.exists():
        return False
    step.do(settings)
    stamp.touch()
    return step.once
