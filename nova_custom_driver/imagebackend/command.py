"""Run other programs.

oslo.concurrency's ``execute`` has a Python function called in the child, so
all of this process is forked first: 10 to 40 ms for a nova-compute, more than
``qemu-img create`` takes itself.  Without that, the child starts by vfork(2)
in less than one.
"""

import subprocess

from oslo_concurrency import processutils


def run(*command: str) -> str:
    """Return what the program prints.

    :raises processutils.ProcessExecutionError: it has failed.
    :raises OSError: it could not be started.
    """
    found = subprocess.run(
        command, stdin=subprocess.DEVNULL, capture_output=True, text=True,
        errors="replace", check=False)
    if found.returncode:
        raise processutils.ProcessExecutionError(
            cmd=" ".join(command), exit_code=found.returncode,
            stdout=found.stdout, stderr=found.stderr)
    return found.stdout
