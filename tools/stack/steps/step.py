"""A step, and how it is known that it was done."""

from collections.abc import Callable
import dataclasses

from tools.stack import settings as settings_module


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """:ivar once: done when it has ended well, ever; else each time.

    :ivar recipe: says from what; of another recipe it is done again.

    A step may be done again after a failure half way: each is written so.
    """

    name: str
    needs: tuple[str, ...] = ()
    once: bool = True
    recipe: Callable[[], str] = str
    do: Callable[[settings_module.Settings], None]


def carry_out(step: Step, settings: settings_module.Settings) -> bool:
    """Do it unless it is done; return whether something was done."""
    stamp = settings.data / "done" / step.name
    recipe = step.recipe()
    if step.once and stamp.exists() and stamp.read_text() == recipe:
        return False
    step.do(settings)
    stamp.write_text(recipe)
    return step.once
