"""Commands of the stack: their environment, their log, their failure."""

from collections.abc import Mapping
import os
import pathlib
import subprocess

from tools.stack import settings as settings_module

SEARCH = "/usr/sbin:/usr/bin:/sbin:/bin"
SHOWN_LINES = 20
PROJECTS = ("keystone", "placement", "glance", "neutron", "nova", "cinder")


class Failed(Exception):
    """A command or service of the stack failed; says where to read on."""


def environment(settings: settings_module.Settings) -> dict[str, str]:
    """Return what every process of the stack finds in its environment."""
    return {
        "CEPH_CONF": str(settings.etc / "ceph/ceph.conf"),
        "HOME": os.environ.get("HOME", "/root"),
        "LANG": "C.UTF-8",
        "PATH": f"{settings.venv}/bin:{SEARCH}",
        "PYTHONWARNINGS": "ignore",
    } | {f"OS_{project.upper()}_CONFIG_DIR": str(settings.etc / project)
         for project in PROJECTS}


def run(settings: settings_module.Settings, *command: str, log: str,
        more: Mapping[str, str] | None = None,
        text_input: str | None = None) -> None:
    """Run it; what it says goes to the end of ``log``.log.

    :raises Failed: it did not end well.
    """
    path = settings.log / f"{log}.log"
    with path.open("a") as file:
        file.write(f"$ {' '.join(command)}\n")
        file.flush()
        done = subprocess.run(
            command, stdout=file, stderr=subprocess.STDOUT, text=True,
            input=text_input, check=False,
            env=environment(settings) | dict(more or {}))
    if done.returncode:
        raise Failed(f"{' '.join(command)} failed:\n{tail(path)}")


def output(settings: settings_module.Settings, *command: str,
           more: Mapping[str, str] | None = None) -> str:
    """Return what it says on its standard output, be it nothing."""
    return subprocess.run(
        command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
        check=False, env=environment(settings) | dict(more or {})).stdout


def tail(path: pathlib.Path) -> str:
    """Return the last lines of a log, and its name."""
    try:
        lines = path.read_text(errors="replace").splitlines()
    except FileNotFoundError:
        lines = []
    return "\n".join([*(f"    {line}" for line in lines[-SHOWN_LINES:]),
                      f"The whole log: {path}"])
