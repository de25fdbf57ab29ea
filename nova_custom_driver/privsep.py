"""What needs more rights than the service's user has, one reason each.

Every function first tries with the rights at hand, and asks a privileged
daemon only when the kernel says no: where nova-compute runs as root, or owns
the files, no daemon is started.
"""

from collections.abc import Callable
import errno
import os
import pathlib
import shutil
from typing import ParamSpec, TypeVar

from oslo_log import log as logging
from oslo_privsep import capabilities
from oslo_privsep import priv_context

P = ParamSpec("P")
T = TypeVar("T")

LOG = logging.getLogger(__name__)
# Attempts to remove a tree in which others remove files as well.
ATTEMPTS = 3

# Files of instances belong to whoever QEMU runs as: reading their logs,
# touching and deleting them takes passing over file permissions and
# ownership, and nothing else.
file_context = priv_context.PrivContext(
    "nova_custom_driver",
    cfg_section="custom_driver_privsep_files",
    pypath=__name__ + ".file_context",
    capabilities=[capabilities.CAP_DAC_OVERRIDE, capabilities.CAP_FOWNER])

# Giving a file away is a right that could be misused far beyond the above,
# so it has a daemon of its own.
owner_context = priv_context.PrivContext(
    "nova_custom_driver",
    cfg_section="custom_driver_privsep_owner",
    pypath=__name__ + ".owner_context",
    capabilities=[capabilities.CAP_CHOWN, capabilities.CAP_DAC_READ_SEARCH])


def touch(path: pathlib.Path) -> None:
    """Set the file's times to now.

    Where not even root may, as on some NFS exports, the file keeps its old
    times: they decide only how soon a base that nobody uses is removed.

    :raises FileNotFoundError: there is no such file.
    """
    try:
        _unprivileged_first(_touch, _touch_privileged, str(path))
    except PermissionError as error:
        LOG.warning("Could not touch %s: %s", path, error)


def last_bytes(path: pathlib.Path, count: int) -> tuple[bytes, int]:
    """Return (at most the last ``count`` bytes, how many came before).

    :raises FileNotFoundError: there is no such file.
    """
    return _unprivileged_first(_last_bytes, _last_bytes_privileged,
                               str(path), count)


def read_pty(path: pathlib.Path, count: int) -> bytes:
    """Take what a pty holds ready, at most ``count`` bytes, and return it;
    what is taken, nobody else reads.

    :raises FileNotFoundError: there is no such pty.
    """
    return _unprivileged_first(_read_pty, _read_pty_privileged, str(path),
                               count)


def remove_tree(path: pathlib.Path) -> None:
    """Remove a directory and all in it; one that is gone is no error."""
    _unprivileged_first(_remove_tree, _remove_tree_privileged, str(path))


def chown(path: pathlib.Path, uid: int) -> None:
    """Give a file to the user ``uid``; its group stays."""
    _unprivileged_first(_chown, _chown_privileged, str(path), uid)


def _unprivileged_first(plain: Callable[P, T], privileged: Callable[P, T],
                        *args: P.args, **kwargs: P.kwargs) -> T:
    try:
        return plain(*args, **kwargs)
    except PermissionError:
        return privileged(*args, **kwargs)


def _touch(path: str) -> None:
    os.utime(path)


def _last_bytes(path: str, count: int) -> tuple[bytes, int]:
    with open(path, "rb") as file:
        size = file.seek(0, os.SEEK_END)
        before = max(0, size - count)
        file.seek(before)
        # Not to the end: a log may grow faster than it is read.
        return file.read(size - before), before


def _read_pty(path: str, count: int) -> bytes:
    taken = bytearray()
    pty = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_NOCTTY)
    try:
        while len(taken) < count:
            part = os.read(pty, count - len(taken))
            if not part:
                break
            taken += part
    except OSError as error:
        # EAGAIN: nothing more is there. EIO: nobody holds the other end.
        if error.errno not in {errno.EAGAIN, errno.EIO}:
            raise
    finally:
        os.close(pty)
    return bytes(taken)


def _remove_tree(path: str) -> None:
    for _ in range(ATTEMPTS - 1):
        try:
            return shutil.rmtree(path)
        except FileNotFoundError:
            if not os.path.lexists(path):
                return None
    return shutil.rmtree(path)


def _chown(path: str, uid: int) -> None:
    os.chown(path, uid, -1, follow_symlinks=False)


@file_context.entrypoint
def _touch_privileged(path: str) -> None:
    _touch(path)


@file_context.entrypoint
def _last_bytes_privileged(path: str, count: int) -> tuple[bytes, int]:
    return _last_bytes(path, count)


@file_context.entrypoint
def _read_pty_privileged(path: str, count: int) -> bytes:
    return _read_pty(path, count)


@file_context.entrypoint
def _remove_tree_privileged(path: str) -> None:
    _remove_tree(path)


@owner_context.entrypoint
def _chown_privileged(path: str, uid: int) -> None:
    _chown(path, uid)
