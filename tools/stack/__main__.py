"""``python -m tools.stack up|down|status``: an OpenStack on this machine.

Chosen by the environment: ``DRIVER``, Nova's compute_driver; ``STORE``,
where guests' disks lie; ``VIRT_TYPE``, kvm or qemu; ``STACK``, the directory
of all state.
"""

import os
import sys

from tools.stack import command
from tools.stack import settings as settings_module
from tools.stack import status
from tools.stack import up


def main(verb: str = "up") -> int:
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
            case _:
                print(__doc__, file=sys.stderr)
                return 2
    except command.Failed as failure:
        print(f"\n{failure}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
