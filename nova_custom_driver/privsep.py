"""What needs more rights than the service's user has, one reason each.

Every function first tries with the rights at hand, and asks the privileged
daemon only when the kernel says no: where nova-compute runs as root, or owns
the files, no daemon is started.
"""

from collections.abc import Callable
import functools
import os
import pathlib
import shutil
from typing import ParamSpec, TypeVar

from oslo_privsep import capabilities
from oslo_privsep import priv_context

P = ParamSpec("P")
T = TypeVar("T")

# Files of instances belong to whoever QEMU runs as: reading their logs and
# deleting them takes passing over file permissions, and nothing else.
file_context = priv_context.PrivContext(
    "nova_custom_driver",
    cfg_section="custom_driver_privsep_files",
    pypath=__name__ + ".file_context",
    capabilities=[capabilities.CAP_DAC_OVERRIDE, capabilities.CAP_FOWNER,
                  capabilities.CAP_DAC_READ_SEARCH])


def _when_refused(
        privileged: Callable[P, T]) -> Callable[[Callable[P, T]],
                                                Callable[P, T]]:
    """Return a decorator: call ``privileged`` if the kernel says no."""
    def decorate(plain: Callable[P, T]) -> Callable[P, T]:
        @functools.wraps(plain)
        def attempt(*args: P.args, **kwargs: P.kwargs) -> T:
            try:
                return plain(*args, **kwargs)
            except PermissionError:
                return privileged(*args, **kwargs)
        return attempt
    return decorate


def _touch(path: str) -> None:
    os.utime(path)


def _last_bytes(path: str, count: int) -> tuple[bytes, int]:
    with open(path, "rb") as file:
        size = file.seek(0, os.SEEK_END)
        file.seek(max(0, size - count))
        # Not to the end: a log may grow faster than it is read.
        return file.read(min(count, size)), max(0, size - count)


def _remove_tree(path: str) -> None:
    try:
        shutil.rmtree(path)
    except FileNotFoundError:
        if os.path.lexists(path):
            # Something inside went while we looked; once more.
            shutil.rmtree(path, ignore_errors=True)


@file_context.entrypoint
def _touch_privileged(path: str) -> None:
    _touch(path)


@file_context.entrypoint
def _last_bytes_privileged(path: str, count: int) -> tuple[bytes, int]:
    return _last_bytes(path, count)


@file_context.entrypoint
def _remove_tree_privileged(path: str) -> None:
    _remove_tree(path)


def touch(path: pathlib.Path) -> None:
    """Set the file's times to now."""
    _when_refused(_touch_privileged)(_touch)(str(path))


def last_bytes(path: pathlib.Path, count: int) -> tuple[bytes, int]:
    """Return (at most the last ``count`` bytes, how many came before).

    :raises FileNotFoundError: there is no such file.
    """
    return _when_refused(_last_bytes_privileged)(_last_bytes)(
        str(path), count)


def remove_tree(path: pathlib.Path) -> None:
    """Remove a directory and all in it; one that is gone is no error."""
    _when_refused(_remove_tree_privileged)(_remove_tree)(str(path))
