"""Files that are whole or not there."""

from collections.abc import Iterator
import contextlib
import os
import pathlib


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
