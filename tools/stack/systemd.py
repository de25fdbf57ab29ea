"""Keeps the processes where systemd runs: a unit each, until the next boot."""

from collections.abc import Iterable
import pathlib
import shutil
import subprocess

from tools.stack import command
from tools.stack import services as services_module
from tools.stack import settings as settings_module

UNITS = pathlib.Path("/run/systemd/system")
PREFIX = "ncd-stack-"
UNIT = """[Unit]
Description=OpenStack of nova-custom-driver: {name}
StartLimitIntervalSec=30
StartLimitBurst=4

[Service]
Type=exec
ExecStart={command}
{environment}
WorkingDirectory=/
Restart=always
RestartSec=1
KillMode={kill_mode}
TimeoutStopSec={stop_seconds}
LimitNOFILE=65536
StandardOutput=append:{log}/{name}.log
StandardError=inherit
"""
# systemd's words, as those of supervisord.
STATES = {"active": "running", "activating": "starting",
          "deactivating": "stopping", "failed": "fatal"}


class Systemd:
    """The machine's systemd, with a unit for each service of the stack."""

    def __init__(self, settings: settings_module.Settings,
                 units: pathlib.Path = UNITS) -> None:
        self._settings = settings
        self._units = units

    def configure(self, services: Iterable[services_module.Service]) -> None:
        """Write the units, and stop those that have changed."""
        for service in services:
            path = self._path(service.name)
            text = unit(service, self._settings)
            if not path.exists() or path.read_text() != text:
                self.stop(service.name)
                path.touch(0o600)
                path.write_text(text)
        self._systemctl("daemon-reload")

    def states(self) -> dict[str, str]:
        """Return {service: state} of those that have a unit."""
        names = [path.name.removeprefix(PREFIX).removesuffix(".service")
                 for path in sorted(self._units.glob(f"{PREFIX}*.service"))]
        return {name: STATES.get(
            self._systemctl("is-active", self._path(name).name), "stopped")
            for name in names}

    def is_running(self, name: str) -> bool:
        return self._systemctl("is-active", self._path(name).name) in (
            "active", "activating")

    def start(self, name: str) -> None:
        self._systemctl("reset-failed", self._path(name).name)
        self._systemctl("start", "--no-block", self._path(name).name)

    def stop(self, name: str) -> None:
        self._systemctl("stop", self._path(name).name)

    def end(self) -> None:
        """Stop what still runs, and forget the units."""
        for path in self._units.glob(f"{PREFIX}*.service"):
            self._systemctl("stop", path.name)
            path.unlink()
        self._systemctl("daemon-reload")

    def _path(self, name: str) -> pathlib.Path:
        return self._units / f"{PREFIX}{name}.service"

    def _systemctl(self, *arguments: str) -> str:
        return subprocess.run(
            ["systemctl", *arguments], stdout=subprocess.PIPE, text=True,
            stderr=subprocess.DEVNULL, check=False).stdout.strip()


def unit(service: services_module.Service,
         settings: settings_module.Settings) -> str:
    """Return the service as systemd reads it."""
    environment = command.environment(settings) | dict(service.environment)
    program, *arguments = service.command
    program = shutil.which(program, path=environment["PATH"]) or program
    return UNIT.format(
        name=service.name, log=settings.log,
        kill_mode="mixed" if service.takes_children else "process",
        stop_seconds=service.stop_seconds,
        command=" ".join(quoted(word).replace("$", "$$")
                         for word in (program, *arguments)),
        environment="\n".join(f"Environment={quoted(f'{key}={value}')}"
                              for key, value in sorted(environment.items())))


def quoted(word: str) -> str:
    """Return the word so that systemd reads it as it is."""
    for special in ("\\", '"'):
        word = word.replace(special, f"\\{special}")
    return f'"{word}"'.replace("%", "%%")
