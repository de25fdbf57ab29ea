"""Debian packages, the virtual environment, and the driver in it."""

from collections.abc import Callable
import hashlib
import os
import pathlib
import subprocess
import sys

from tools.stack import command
from tools.stack import settings as settings_module

HERE = pathlib.Path(__file__).parent
REPOSITORY = HERE.parents[1]
# Debian's bindings, built for Debian's Python, which the environment uses.
BINDINGS = pathlib.Path("/usr/lib/python3/dist-packages")
Say = Callable[[str], None]


def everything(settings: settings_module.Settings, say: Say) -> None:
    """Install what is missing.

    :raises SystemExit: apt fails.
    :raises Failed: pip fails.
    """
    settings.log.mkdir(parents=True, exist_ok=True)
    _debian()
    _python(settings, say)
    _driver(settings, say)
    _bindings(settings)


def _debian() -> None:
    packages = HERE / "debian.txt"
    done = subprocess.run(
        [REPOSITORY / "tools/setup/debian.sh", REPOSITORY / "bindep.txt",
         packages], check=False)
    if done.returncode:
        sys.exit("The stack needs the Debian packages of bindep.txt and "
                 f"{packages}")


def _python(settings: settings_module.Settings, say: Say) -> None:
    wanted = HERE / "python.txt"
    if not (settings.venv / "bin/python").exists():
        command.run(settings, sys.executable, "-m", "venv",
                    str(settings.venv), log="install")
    if _changed(settings, "python", wanted.read_bytes()):
        say("installing OpenStack into the virtual environment, "
            "some minutes")
        _pip(settings, "-r", str(wanted))
        _remember(settings, "python", wanted.read_bytes())


def _driver(settings: settings_module.Settings, say: Say) -> None:
    """Install it editable: its sources are read where they are."""
    recipe = b"".join((REPOSITORY / name).read_bytes() for name in (
        "setup.cfg", "requirements.txt")) + bytes(REPOSITORY)
    if _changed(settings, "driver", recipe):
        say("installing the driver into it")
        _pip(settings, "-e", str(REPOSITORY))
        _remember(settings, "driver", recipe)


def _pip(settings: settings_module.Settings, *arguments: str) -> None:
    # Where packages come from is the caller's choice.
    more = {key: value for key, value in os.environ.items()
            if key.startswith(("PIP_", "HTTP", "http", "no_proxy", "SSL_"))}
    command.run(settings, f"{settings.venv}/bin/pip", "install", "-q",
                "--disable-pip-version-check", *arguments, log="install",
                more=more)


def _bindings(settings: settings_module.Settings) -> None:
    [packages] = (settings.venv / "lib").glob("python3*/site-packages")
    for module in ("rados", "rbd"):
        for source in BINDINGS.glob(f"{module}.cpython-*.so"):
            target = packages / source.name
            if not target.exists():
                target.symlink_to(source)


def _changed(settings: settings_module.Settings, name: str,
             recipe: bytes) -> bool:
    path = settings.venv / f"{name}.installed"
    return not path.exists() or path.read_text() != _digest(recipe)


def _remember(settings: settings_module.Settings, name: str,
              recipe: bytes) -> None:
    (settings.venv / f"{name}.installed").write_text(_digest(recipe))


def _digest(recipe: bytes) -> str:
    return hashlib.sha256(recipe).hexdigest()
