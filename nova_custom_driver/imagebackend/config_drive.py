"""Config drives: a small file system with an instance's metadata.

Labelled ``config-2``, as cloud-init looks for it; see "Config drives" in
Nova's documentation.
"""

from collections.abc import Iterable
import pathlib
import tempfile

from nova import exception as nova_exception
from oslo_concurrency import processutils

from nova_custom_driver import exception
from nova_custom_driver import units
from nova_custom_driver.imagebackend import clone
from nova_custom_driver.imagebackend import command
from nova_custom_driver.imagebackend import disk_info
from nova_custom_driver.imagebackend import files

LABEL = "config-2"
VFAT_BYTES = 64 * units.BYTES_PER_MIB


def build(entries: Iterable[tuple[str, str | bytes]],
          destination: pathlib.Path, format_name: str, *, publisher: str,
          mkisofs: str = "genisoimage") -> None:
    """Write a config drive; whole and on disk when this returns.

    It is recorded as raw: a guest can write to a vfat drive, so nothing may
    ever look for its format there.

    :param entries: (path on the drive, content).
    :param format_name: "iso9660" or "vfat".
    :param mkisofs: the program that makes ISO images.
    :raises nova.exception.ConfigDriveUnknownFormat: another format.
    :raises HostError: a program failed; nothing is left.
    """
    with tempfile.TemporaryDirectory() as name, \
            files.whole(destination) as part:
        directory = pathlib.Path(name)
        _write(entries, directory)
        try:
            _make(format_name, directory, part, publisher, mkisofs)
        except (processutils.ProcessExecutionError, OSError) as error:
            raise exception.HostError(
                action="write", subject=f"config drive {destination}",
                reason=getattr(error, "stderr", None) or str(error),
            ) from error
        disk_info.DiskInfo(destination.parent).record(destination, "raw")


def _make(format_name: str, directory: pathlib.Path, part: pathlib.Path,
          publisher: str, mkisofs: str) -> None:
    match format_name:
        case "iso9660":
            _iso(directory, part, publisher, mkisofs)
        case "vfat":
            _vfat(directory, part)
        case _:
            raise nova_exception.ConfigDriveUnknownFormat(format=format_name)


def _write(entries: Iterable[tuple[str, str | bytes]],
           directory: pathlib.Path) -> None:
    for path, content in entries:
        target = directory / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(
            content.encode() if isinstance(content, str) else content)


def _iso(directory: pathlib.Path, part: pathlib.Path, publisher: str,
         mkisofs: str) -> None:
    # A library (pycdlib) takes 2 ms in place of 8 for the usual dozen files,
    # but ``[DEFAULT]mkisofs_cmd`` would mean nothing then.
    command.run(
        mkisofs, "-o", str(part), "-ldots", "-allow-lowercase",
        "-allow-multidot", "-l", "-publisher", publisher, "-quiet", "-J",
        "-r", "-V", LABEL, str(directory))


def _vfat(directory: pathlib.Path, part: pathlib.Path) -> None:
    # By mtools: mounting would take root's rights, a loop device, and a
    # kernel that knows vfat.
    clone.empty(part, VFAT_BYTES)
    command.run("mkfs.vfat", "-n", LABEL, str(part))
    command.run("mcopy", "-s", "-i", str(part),
                         *map(str, sorted(directory.iterdir())), "::")
