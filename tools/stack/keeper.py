"""Who keeps the processes: systemd where it runs, else supervisord."""

from collections.abc import Iterable
import pathlib
from typing import Protocol

from tools.stack import services as services_module
from tools.stack import settings as settings_module
from tools.stack import supervisor
from tools.stack import systemd

SYSTEMD = pathlib.Path("/run/systemd/system")


class Keeper(Protocol):
    """Keeps processes running, and starts anew those that end."""

    def configure(self, services: Iterable[services_module.Service]) -> None:
        """Let it know these services, and stop those that have changed."""

    def states(self) -> dict[str, str]:
        """Return {service: running, starting, fatal, ...}; {} when down."""

    def is_running(self, name: str) -> bool:
        """Return whether it runs, or is about to."""

    def start(self, name: str) -> None:
        """Start it unless it runs."""

    def stop(self, name: str) -> None:
        """Stop it, and return when it has ended."""

    def end(self) -> None:
        """Stop what still runs, and forget all of it."""


def choose(settings: settings_module.Settings) -> Keeper:
    """Return the keeper of this machine."""
    if SYSTEMD.is_dir():
        return systemd.Systemd(settings)
    return supervisor.Supervisor(settings)
