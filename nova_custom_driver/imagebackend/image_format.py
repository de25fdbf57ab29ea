"""What an image really is, read from its header in this process.

See ``oslo_utils.imageutils.format_inspector``.
"""

import dataclasses
import os
import pathlib
import struct

from nova import exception as nova_exception
from nova.i18n import _
from oslo_utils.imageutils import format_inspector

CHUNK = 64 * 1024
# Kernels, ramdisks and old machine images: any content is fine, taken raw.
OPAQUE = frozenset(("ami", "aki", "ari"))
# A disk or CD image that QEMU takes raw, whatever is in it.
RAW_CONTENT = frozenset(("raw", "gpt", "iso"))
# See "Header" in QEMU's docs/interop/qcow2.txt, and its block/qcow2.h.
CLUSTER_BITS = range(9, 22)
# Glance's names of formats that QEMU calls otherwise.
QEMU_NAMES = {"vhd": "vpc"}


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Header:
    """What QEMU has to be told of an image.

    :ivar format: in QEMU's words ("raw", "qcow2", "vpc", ...).
    :ivar cluster_size_bytes: None: the format has no clusters.
    """

    format: str
    virtual_size_bytes: int
    cluster_size_bytes: int | None = None


def read(path: pathlib.Path) -> Header:
    """Return what a file of the base cache is.

    :raises nova.exception.InvalidDiskInfo: its header is not safe to open.
    """
    try:
        inspector = _inspect(path)
        inspector.safety_check()
        return _header(path, inspector)
    except (format_inspector.ImageFormatError,
            format_inspector.SafetyCheckFailed) as error:
        raise nova_exception.InvalidDiskInfo(
            reason=f"{path}: {error}") from error


def check(path: pathlib.Path, image_id: str, claimed: str) -> Header:
    """Return what a downloaded image is, if it is what Glance claims.

    :param claimed: the image's ``disk_format``.
    :raises nova.exception.ImageUnacceptable: it is something else, or could
        make QEMU open other files of the host.
    """
    if claimed not in OPAQUE and not format_inspector.get_inspector(claimed):
        raise unacceptable(image_id, _(
            "the format %s is not supported") % claimed)
    try:
        inspector = _inspect(path)
        found = str(inspector)
        if claimed not in OPAQUE and found != claimed \
                and (claimed, found) != ("raw", "gpt"):
            raise unacceptable(image_id, _(
                "Glance calls it %(claimed)s, but its content is "
                "%(found)s") % {"claimed": claimed, "found": found})
        inspector.safety_check()
        if claimed in OPAQUE:
            return _raw(path)
        return _header(path, inspector)
    except format_inspector.ImageFormatError as error:
        raise unacceptable(image_id, _(
            "its content is of no proper format: %s") % error) from error
    except format_inspector.SafetyCheckFailed as error:
        raise unacceptable(image_id, _(
            "it is not safe to open: %s") % error) from error


def unacceptable(image_id: str, reason: str
                 ) -> nova_exception.ImageUnacceptable:
    return nova_exception.ImageUnacceptable(image_id=image_id, reason=reason)


def virtual_size(path: pathlib.Path) -> int:
    """Return a qcow2 image's virtual size in bytes: bytes 24 to 31."""
    with path.open("rb") as file:
        (size,) = struct.unpack(">Q", file.read(32)[24:])
    return int(size)


def backing_file(path: pathlib.Path) -> str | None:
    """Return what a qcow2 image reads where it was not written to: bytes 8
    to 19 say where in the file its name is, and how long.
    """
    with path.open("rb") as file:
        offset, length = struct.unpack(">QI", file.read(20)[8:])
        if not offset:
            return None
        file.seek(offset)
        return os.fsdecode(file.read(length))


def _inspect(path: pathlib.Path) -> format_inspector.FileInspector:
    """:raises format_inspector.ImageFormatError: more than one format."""
    with path.open("rb") as file:
        wrapper = format_inspector.InspectWrapper(file)
        while wrapper.read(CHUNK) and not wrapper.formats:
            pass
        wrapper.close()
    found = {str(inspector): inspector for inspector in wrapper.formats or ()}
    if set(found) == {"iso", "gpt"}:
        # A bootable CD may carry a partition table for USB sticks.
        return found["iso"]
    return wrapper.format


def _header(path: pathlib.Path,
            inspector: format_inspector.FileInspector) -> Header:
    found = str(inspector)
    if found in RAW_CONTENT:
        return _raw(path)
    return Header(format=QEMU_NAMES.get(found, found),
                  virtual_size_bytes=int(inspector.virtual_size),
                  cluster_size_bytes=_cluster_size(inspector))


def _cluster_size(inspector: format_inspector.FileInspector) -> int | None:
    if not isinstance(inspector, format_inspector.QcowInspector):
        return None
    bits = inspector.qemu_header_info["cluster_bits"]
    if bits not in CLUSTER_BITS:
        raise format_inspector.ImageFormatError(
            f"clusters of 2^{bits} bytes")
    return 1 << bits


def _raw(path: pathlib.Path) -> Header:
    return Header(format="raw", virtual_size_bytes=os.stat(path).st_size)
