"""Room for disks, and what the file system under them can do."""

from collections.abc import Iterable, Iterator
import ctypes
import errno
import os
import pathlib
import struct

from nova import exception as nova_exception
from nova.privsep import utils as privsep_utils
from oslo_log import log as logging

from nova_custom_driver.imagebackend import disk_info
from nova_custom_driver.imagebackend import image_format
from nova_custom_driver.spec import host as spec

LOG = logging.getLogger(__name__)

# See fallocate(2).  Python's posix_fallocate would change the file's size,
# and write zeros where the file system cannot reserve.
KEEP_SIZE = 1
UNSUPPORTED = frozenset((errno.EOPNOTSUPP, errno.ENOSYS))
LIBC = ctypes.CDLL(None, use_errno=True)
LIBC.fallocate64.argtypes = (ctypes.c_int, ctypes.c_int, ctypes.c_int64,
                             ctypes.c_int64)


def usage(path: pathlib.Path) -> spec.DiskUsage:
    """Return the space of the file system that holds ``path``."""
    found = os.statvfs(path)
    return spec.DiskUsage(
        total_bytes=found.f_frsize * found.f_blocks,
        free_bytes=found.f_frsize * found.f_bavail,
        used_bytes=found.f_frsize * (found.f_blocks - found.f_bfree))


def cache_bytes(cache: pathlib.Path, instances: pathlib.Path) -> int:
    """Return what the base cache takes of the instances' file system; 0 if
    it has one of its own.
    """
    try:
        if cache.stat().st_dev != instances.stat().st_dev:
            return 0
        paths = list(cache.iterdir())
    except FileNotFoundError:
        return 0
    return sum(map(_allocated_bytes, paths))


def _allocated_bytes(path: pathlib.Path) -> int:
    try:
        return 512 * path.stat().st_blocks
    except FileNotFoundError:
        return 0


def over_committed_bytes(directories: Iterable[pathlib.Path]) -> int:
    """Return what the disks below ``directories`` may still grow by.

    Their sizes are read from the file system and, of qcow2, from the header:
    no process a disk.  A disk that is gone by now counts nothing, nor does
    one that cannot be read.
    """
    total = 0
    for path, format_name in _recorded(directories):
        try:
            total += _may_grow_bytes(path, format_name)
        except (OSError, struct.error) as error:
            LOG.debug("%s is not counted: %s", path, error)
    return total


def _recorded(directories: Iterable[pathlib.Path]
              ) -> Iterator[tuple[pathlib.Path, str]]:
    """Yield (disk, format) of all directories whose record can be read."""
    for directory in directories:
        try:
            yield from disk_info.DiskInfo(directory).all().items()
        except (OSError, nova_exception.InvalidDiskInfo) as error:
            LOG.warning("The disks below %s are not counted: %s", directory,
                        error)


def _may_grow_bytes(path: pathlib.Path, format_name: str) -> int:
    found = path.stat()
    virtual = (image_format.virtual_size(path)
               if format_name == "qcow2" else found.st_size)
    return max(0, virtual - 512 * found.st_blocks)


def supports_direct_io(path: pathlib.Path) -> bool:
    """Return whether files below ``path`` can bypass the page cache."""
    return bool(privsep_utils.supports_direct_io(str(path)))


def allocate(path: pathlib.Path, size_bytes: int) -> None:
    """Reserve blocks for a file that may grow to ``size_bytes``.

    Its size stays as it is.  A file system that cannot do this is no error:
    the disk works all the same, its blocks come as they are written.

    :raises OSError: there is not enough space.
    """
    if size_bytes > usage(path).free_bytes:
        # Linux would take what there is before it says that it was not
        # enough, and others would find the file system full meanwhile.
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(path))
    with path.open("r+b") as file:
        if LIBC.fallocate64(file.fileno(), KEEP_SIZE, 0, size_bytes) == 0:
            return
        number = ctypes.get_errno()
    if number not in UNSUPPORTED:
        raise OSError(number, os.strerror(number), str(path))
    LOG.warning("The file system of %s cannot preallocate", path)
