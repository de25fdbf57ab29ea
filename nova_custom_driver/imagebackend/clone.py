"""Copies and empty files that take no more blocks than they must."""

import errno
import os
import pathlib

# How much the kernel copies at once, and how much goes through memory where
# it cannot copy between the two file systems.
KERNEL_CHUNK = 128 * 1024 * 1024
MEMORY_CHUNK = 1024 * 1024
UNSUPPORTED = frozenset((errno.EXDEV, errno.EINVAL, errno.ENOSYS,
                         errno.EOPNOTSUPP))


def empty(path: pathlib.Path, size_bytes: int) -> None:
    """Make a file of zeros that takes no blocks."""
    with path.open("wb") as file:
        file.truncate(size_bytes)


def copy(source: pathlib.Path, path: pathlib.Path,
         size_bytes: int | None = None) -> None:
    """Copy a file in the kernel, holes left out.

    File systems that can (XFS, btrfs) share the blocks.

    :param size_bytes: of the copy, at least that of the source; None: the
        same.
    """
    with source.open("rb") as reader, path.open("wb") as writer:
        size = os.fstat(reader.fileno()).st_size
        writer.truncate(size_bytes or size)
        for start, end in _data(reader.fileno(), size):
            _copy_range(reader.fileno(), writer.fileno(), start, end)


def _data(file: int, size: int) -> list[tuple[int, int]]:
    """Return the (start, end) of what is not a hole; see lseek(2)."""
    parts = []
    position = 0
    while position < size:
        try:
            start = os.lseek(file, position, os.SEEK_DATA)
        except OSError as error:
            if error.errno == errno.ENXIO:
                break
            raise
        position = os.lseek(file, start, os.SEEK_HOLE)
        parts.append((start, position))
    return parts


def _copy_range(reader: int, writer: int, start: int, end: int) -> None:
    while start < end:
        count = min(KERNEL_CHUNK, end - start)
        try:
            copied = os.copy_file_range(reader, writer, count, start, start)
        except OSError as error:
            if error.errno not in UNSUPPORTED:
                raise
            chunk = os.pread(reader, min(count, MEMORY_CHUNK), start)
            copied = os.pwrite(writer, chunk, start)
        if not copied:
            raise OSError(errno.EIO, "the file became shorter while copied")
        start += copied
