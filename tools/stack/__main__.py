"""``python -m tools.stack VERB``: an OpenStack on this machine.

``up``, ``down``, ``status``; ``tempest TESTS [record]`` brings it up and runs
tempest on it, see :mod:`tools.stack.tempest.__main__`.

Chosen by the environment: ``DRIVER``, Nova's compute_driver; ``STORE``,
where guests' disks lie; ``VIRT_TYPE``, kvm or qemu; ``STACK``, the directory
of all state.
"""

import os
import subprocess
import sys

from tools.stack import command
from tools.stack import settings as settings_module
from tools.stack import status
from tools.stack import up
from tools.stack.steps import projects


def main(verb: str = "up", *arguments: str) -> int:
    """Return the exit status."""
    settings = settings_module.from_environment(os.environ)
    if os.geteuid():
        print("The stack's services run as root: use sudo.", file=sys.stderr)
        return 1
    try:
        match verb:
            case "up":
                up.up(settings)
            case "down":
                up.down(settings)
            case "status":
                return status.show(settings)
            case "tempest":
                up.up(settings)
                return tempest(settings, *arguments)
            case _:
                print(__doc__, file=sys.stderr)
                return 2
    except command.Failed as failure:
        print(f"\n{failure}", file=sys.stderr)
        return 1
    return 0


def tempest(settings: settings_module.Settings, *arguments: str) -> int:
    """Run tempest where its imports are; return its exit status."""
    return subprocess.run(
        [settings.venv / "bin/python", "-m", "tools.stack.tempest",
         *arguments], check=False,
        env=os.environ | command.environment(settings)
        | projects.credentials(settings)).returncode


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
