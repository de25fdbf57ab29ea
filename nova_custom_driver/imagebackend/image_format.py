"""What an image really is, read from its header in this process.

See ``oslo_utils.imageutils.format_inspector``.
"""

from collections.abc import Collection
import dataclasses
import os
import pathlib
import re
import struct

from nova import exception as nova_exception
from nova.i18n import _
from oslo_utils.imageutils import format_inspector

CHUNK = 64 * 1024
# Kernels, ramdisks and old machine images: any content is fine, taken raw.
OPAQUE = frozenset(("ami", "aki", "ari"))
# A disk or CD image that QEMU takes raw, whatever is in it.
RAW_CONTENT = frozenset(("raw", "gpt", "iso"))
CREATE_TYPE = re.compile(r'^createType="?([^"\r\n]*)"?', re.MULTILINE)


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Header:
    """:ivar format: as QEMU is told ("raw", "qcow2", ...)."""

    format: str
    virtual_size_bytes: int


def read(path: pathlib.Path) -> Header:
    """Return what a file of the base cache is.

    :raises nova.exception.InvalidDiskInfo: its header is not safe to open.
    """
    try:
        inspector = _inspect(path)
        inspector.safety_check()
    except (format_inspector.ImageFormatError,
            format_inspector.SafetyCheckFailed) as error:
        raise nova_exception.InvalidDiskInfo(
            reason=f"{path}: {error}") from error
    return _header(path, str(inspector), inspector)


def check(path: pathlib.Path, image_id: str, claimed: str, *,
          vmdk_types: Collection[str]) -> Header:
    """Return what a downloaded image is, if it is what Glance claims.

    :param claimed: the image's ``disk_format``.
    :param vmdk_types: create types of VMDK that are let in.
    :raises nova.exception.ImageUnacceptable: it is something else, or could
        make QEMU open other files of the host.
    """
    if claimed in OPAQUE:
        return _header(path, "raw", None)
    if format_inspector.get_inspector(claimed) is None:
        raise _unacceptable(image_id, _(
            "the format %s is not supported") % claimed)
    try:
        inspector = _inspect(path)
        found = str(inspector)
        if found != claimed and (claimed, found) != ("raw", "gpt"):
            raise _unacceptable(image_id, _(
                "Glance calls it %(claimed)s, but its content is "
                "%(found)s") % {"claimed": claimed, "found": found})
        inspector.safety_check()
    except format_inspector.ImageFormatError as error:
        raise _unacceptable(image_id, _(
            "its content is of no single format: %s") % error) from error
    except format_inspector.SafetyCheckFailed as error:
        raise _unacceptable(image_id, _(
            "it is not safe to open: %s") % error) from error
    if found == "vmdk":
        _check_vmdk(inspector, image_id, vmdk_types)
    return _header(path, found, inspector)


def cluster_size(path: pathlib.Path) -> int:
    """Return a qcow2 image's cluster size in bytes.

    See "Header" in QEMU's ``docs/interop/qcow2.txt``: cluster_bits are bytes
    20 to 23.
    """
    with path.open("rb") as file:
        (bits,) = struct.unpack(">I", file.read(24)[20:])
    return 1 << int(bits)


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


def _header(path: pathlib.Path, found: str,
            inspector: format_inspector.FileInspector | None) -> Header:
    if inspector is None or found in RAW_CONTENT:
        return Header(format="raw", virtual_size_bytes=os.stat(path).st_size)
    return Header(format=found,
                  virtual_size_bytes=int(inspector.virtual_size))


def _check_vmdk(inspector: format_inspector.FileInspector, image_id: str,
                allowed: Collection[str]) -> None:
    match = CREATE_TYPE.search(inspector.desc_text or "")
    kind = match.group(1) if match else None
    if kind not in allowed:
        raise _unacceptable(image_id, _(
            "VMDK of create type %(kind)s; [compute]vmdk_allowed_types has "
            "%(allowed)s") % {"kind": kind,
                              "allowed": ", ".join(sorted(allowed))})


def _unacceptable(image_id: str, reason: str
                  ) -> nova_exception.ImageUnacceptable:
    return nova_exception.ImageUnacceptable(image_id=image_id, reason=reason)
