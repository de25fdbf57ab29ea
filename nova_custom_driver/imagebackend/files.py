"""Files that are whole or not there."""

from collections.abc import Iterator
import contextlib
import os
import pathlib

PART = ".part"


def part_of(path: pathlib.Path) -> pathlib.Path:
    """Return the name ``path`` has while it is being made."""
    return path.with_name(f"{path.name}{PART}")


@contextlib.contextmanager
def whole(path: pathlib.Path) -> Iterator[pathlib.Path]:
    """Give the block a name to write to; publish what it wrote as ``path``.

    What an earlier attempt left under that name is gone first.  When the
    block raises, nothing is left.
    """
    part = part_of(path)
    part.unlink(missing_ok=True)
    with removed_on_error(part):
        yield part
        publish(part, path)


@contextlib.contextmanager
def removed_on_error(*paths: pathlib.Path) -> Iterator[None]:
    """Remove ``paths`` if the block raises."""
    try:
        yield
    except BaseException:
        for path in paths:
            path.unlink(missing_ok=True)
        raise


def publish(part: pathlib.Path, path: pathlib.Path) -> None:
    """Give a finished file its name; on disk when this returns.

    A reader sees all of it or nothing, also after a power cut.
    """
    sync(part)
    os.rename(part, path)
    sync(path.parent)


def sync(path: pathlib.Path) -> None:
    """Write a file's content, or a directory's names, to disk."""
    file = os.open(path, os.O_RDONLY)
    try:
        os.fsync(file)
    finally:
        os.close(file)
