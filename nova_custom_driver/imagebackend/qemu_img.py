"""qemu-img, run here and nowhere else; formats are always named.

What a user made is opened within limits only.  util-linux's ``prlimit`` sets
them: a wrapper in Python would take longer than most of these commands.
"""

from collections.abc import Mapping
import dataclasses
import json
import os
import pathlib
from typing import Any

from nova import exception as nova_exception
from nova.i18n import _
from oslo_concurrency import processutils

from nova_custom_driver import exception
from nova_custom_driver import units
from nova_custom_driver.imagebackend import command

# A second of processor time more for each of these bytes to be converted.
# Compressed images take about a tenth of it.
BYTES_PER_SECOND = 4 * units.BYTES_PER_MIB
COMPRESSIBLE = frozenset(("qcow2", "vmdk"))
NO_SPACE_BYTES = 16 * units.BYTES_PER_MIB


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """What qemu-img may use up on an image a user made."""

    cpu_seconds: int
    address_space_bytes: int

    def prefix(self, extra_cpu_seconds: int = 0) -> tuple[str, ...]:
        """Return the words to put in front of the command."""
        return ("prlimit", f"--cpu={self.cpu_seconds + extra_cpu_seconds}",
                f"--as={self.address_space_bytes}", "--")


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Info:
    """What QEMU takes a file for if nobody tells it the format.

    :ivar create_type: of a VMDK.
    """

    format: str
    virtual_size_bytes: int
    cluster_size_bytes: int | None = None
    backing_file: str | None = None
    data_file: str | None = None
    create_type: str | None = None


def info(path: pathlib.Path, image_id: str, limits: Limits) -> Info:
    """Return what QEMU takes a downloaded image for.

    Never to be asked of a guest's own disk.

    :param image_id: for the error.
    :raises nova.exception.ImageUnacceptable: qemu-img cannot read it.
    """
    try:
        output = command.run(*limits.prefix(), "qemu-img", "info",
                          "--output=json", "--force-share", str(path))
    except processutils.ProcessExecutionError as error:
        raise nova_exception.ImageUnacceptable(
            image_id=image_id, reason=_("qemu-img cannot read it: %s")
            % _reason(error)) from error
    return _info(json.loads(output))


def create(path: pathlib.Path, format_name: str, size_bytes: int) -> None:
    """Make an empty image.

    :raises HostError: qemu-img failed; nothing is left.
    """
    _run("create", path, "create", "-q", "-f", format_name, str(path),
         str(size_bytes))


def create_overlay(path: pathlib.Path, backing: pathlib.Path,
                   backing_format: str, size_bytes: int,
                   cluster_size_bytes: int | None = None) -> None:
    """Make a qcow2 image that shows ``backing`` until it is written to.

    :param size_bytes: virtual size, at least that of ``backing``.
    :param cluster_size_bytes: that of ``backing``, if it has any.
    :raises HostError: qemu-img failed; nothing is left.
    """
    options = ([] if cluster_size_bytes is None
               else ["-o", f"cluster_size={cluster_size_bytes}"])
    _run("create", path, "create", "-q", "-f", "qcow2", "-b", str(backing),
         "-F", backing_format, *options, str(path), str(size_bytes))


def resize(path: pathlib.Path, format_name: str, size_bytes: int) -> None:
    """Make a guest's disk larger.

    :raises HostError: qemu-img failed; the disk is as it was.
    """
    try:
        command.run("qemu-img", "resize", "-q", "-f", format_name,
                    str(path), str(size_bytes))
    except (processutils.ProcessExecutionError, OSError) as error:
        raise _failed("extend", path, error) from error


def pack(source: pathlib.Path, path: pathlib.Path) -> None:
    """Convert a raw image of our own making to qcow2.

    :raises HostError: qemu-img failed; nothing is left.
    """
    _run("convert", path, "convert", "-q", "-f", "raw", "-O", "qcow2",
         str(source), str(path))


def flatten(source: pathlib.Path, source_format: str, path: pathlib.Path,
            format_name: str, *, compressed: bool) -> None:
    """Write what a guest's disk holds, of all its backing files, to one.

    :param compressed: where ``format_name`` can be.
    :raises HostError: qemu-img failed; nothing is left.
    """
    packed = ("-c",) if compressed and format_name in COMPRESSIBLE else ()
    _run("convert", path, "convert", "-q", *packed, "-f", source_format,
         "-O", format_name, str(source), str(path))


def convert_to_raw(source: pathlib.Path, source_format: str,
                   path: pathlib.Path, image_id: str, *, limits: Limits,
                   direct_io: bool) -> None:
    """Convert an image that a user made.

    The larger the file, the more processor time it is given.

    :param image_id: for the error.
    :param direct_io: keep the result out of the host's page cache.
    :raises nova.exception.ImageUnacceptable: it cannot be converted; nothing
        is left.
    :raises HostError: there is no room for it; nothing is left.
    """
    extra = os.stat(source).st_size // BYTES_PER_SECOND
    try:
        command.run(*limits.prefix(extra), "qemu-img", "convert", "-q", "-t",
                 "none" if direct_io else "writeback", "-f", source_format,
                 "-O", "raw", str(source), str(path))
    except processutils.ProcessExecutionError as error:
        # Before the file is removed, and its blocks are free again.
        full = _is_full(path.parent)
        path.unlink(missing_ok=True)
        if full:
            raise _failed("convert", path, error) from error
        raise nova_exception.ImageUnacceptable(
            image_id=image_id, reason=_(
                "it could not be converted from %(format)s to raw: "
                "%(error)s") % {"format": source_format,
                                "error": _reason(error)}) from error


def _info(found: Mapping[str, Any]) -> Info:
    specific = found.get("format-specific", {}).get("data") or {}
    return Info(
        format=found["format"], virtual_size_bytes=found["virtual-size"],
        cluster_size_bytes=found.get("cluster-size"),
        backing_file=found.get("backing-filename"),
        data_file=specific.get("data-file"),
        create_type=specific.get("create-type"))


def _is_full(directory: pathlib.Path) -> bool:
    found = os.statvfs(directory)
    return found.f_bavail * found.f_frsize < NO_SPACE_BYTES


def _run(action: str, path: pathlib.Path, *arguments: str) -> None:
    try:
        command.run("qemu-img", *arguments)
    except (processutils.ProcessExecutionError, OSError) as error:
        path.unlink(missing_ok=True)
        raise _failed(action, path, error) from error


def _failed(action: str, path: pathlib.Path,
            error: Exception) -> exception.HostError:
    return exception.HostError(action=action, subject=f"disk {path}",
                               reason=_reason(error))


def _reason(error: Exception) -> str:
    return str(getattr(error, "stderr", None) or error).strip()

