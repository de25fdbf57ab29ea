"""An instance's directory, set aside while the instance moves.

As ``<uuid>_resize`` it holds what the instance comes back to if its resize
or migration is reverted.
"""

from collections.abc import Iterator
import os
import pathlib
import shutil

from nova_custom_driver import privsep
from nova_custom_driver.imagebackend import clone

# Made anew where the guest arrives.
NOT_CARRIED = frozenset(("disk.swap", "console.log"))


def aside(directory: pathlib.Path) -> pathlib.Path:
    """Return the name of the directory while it is set aside."""
    return directory.with_name(f"{directory.name}_resize")


def set_aside(directory: pathlib.Path) -> None:
    """Give ``directory`` that name; what an earlier move left there goes.

    :raises OSError: it could not be renamed, and is where it was.
    """
    kept = aside(directory)
    privsep.remove_tree(kept)
    os.rename(directory, kept)


def bring_back(directory: pathlib.Path) -> None:
    """Put back what was set aside, in place of what is there now.

    If nothing was set aside, what is there stays: the move was cut off
    before it had begun.
    """
    kept = aside(directory)
    if kept.exists():
        privsep.remove_tree(directory)
        os.rename(kept, directory)


def forget(directory: pathlib.Path) -> None:
    """Remove what was set aside; nothing there is no error."""
    privsep.remove_tree(aside(directory))


def carried(kept: pathlib.Path) -> Iterator[pathlib.Path]:
    """Yield the files of a directory set aside that go with the guest."""
    for path in sorted(kept.iterdir()):
        if path.is_file() and path.name not in NOT_CARRIED \
                and not path.name.startswith("console.log."):
            yield path


def copy(path: pathlib.Path, directory: pathlib.Path) -> None:
    """Copy a file into ``directory``, holes left out."""
    destination = directory / path.name
    clone.copy(path, destination)
    shutil.copymode(path, destination)
