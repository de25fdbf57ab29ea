"""Whether a downloaded image may be opened on this host."""

import pathlib
from typing import Any

from nova.i18n import _

from nova_custom_driver.imagebackend import image_format
from nova_custom_driver.imagebackend import qemu_img
from nova_custom_driver.spec import settings as settings_spec


def accept(path: pathlib.Path, image_id: str, image: dict[str, Any],
           settings: settings_spec.DiskSettings) -> image_format.Header:
    """Return what an image is, if it is safe and what Glance claims.

    Asked twice, of our own look at the header and of qemu-img.  They must
    agree: what only QEMU would take for, say, a VMDK could become one as
    soon as some program lets QEMU guess.

    :param image: Glance's record of it.
    :raises nova.exception.ImageUnacceptable: it is not.
    """
    header = None
    if settings.deep_inspection:
        header = image_format.check(path, image_id, image["disk_format"])
    info = qemu_img.info(path, image_id, limits(settings))
    if header is not None and header.format != info.format:
        raise image_format.unacceptable(image_id, _(
            "its content is %(ours)s, but QEMU would take it for "
            "%(theirs)s") % {"ours": header.format, "theirs": info.format})
    _check_alone(info, image_id)
    if info.format == "vmdk":
        _check_vmdk(info, image_id, settings.vmdk_allowed_types)
    return header or header_of(info)


def accept_raw(path: pathlib.Path, image_id: str,
               settings: settings_spec.DiskSettings) -> None:
    """Check that a converted image is not in its turn some other format.

    :raises nova.exception.ImageUnacceptable: it is.
    """
    found = qemu_img.info(path, image_id, limits(settings)).format
    if found != "raw":
        raise image_format.unacceptable(image_id, _(
            "what it holds is itself a %s image") % found)


def header(path: pathlib.Path,
           settings: settings_spec.DiskSettings) -> image_format.Header:
    """Return what a file of the base cache is.

    :raises nova.exception.InvalidDiskInfo: its header is not safe to open.
    """
    if settings.deep_inspection:
        return image_format.read(path)
    return header_of(qemu_img.info(path, path.name, limits(settings)))


def header_of(info: qemu_img.Info) -> image_format.Header:
    return image_format.Header(
        format=info.format, virtual_size_bytes=info.virtual_size_bytes,
        cluster_size_bytes=info.cluster_size_bytes)


def limits(settings: settings_spec.DiskSettings) -> qemu_img.Limits:
    """Return the bounds of ``[libvirt]images_cpu_time_limit`` and so on."""
    return qemu_img.Limits(
        cpu_seconds=settings.cpu_time_limit_seconds,
        address_space_bytes=settings.address_space_limit_bytes)


def _check_alone(info: qemu_img.Info, image_id: str) -> None:
    for what, name in (("backing file", info.backing_file),
                       ("data file", info.data_file)):
        if name is not None:
            raise image_format.unacceptable(image_id, _(
                "it reads from the %(what)s %(name)s") % {
                    "what": what, "name": name})


def _check_vmdk(info: qemu_img.Info, image_id: str,
                allowed: tuple[str, ...]) -> None:
    if info.create_type not in allowed:
        raise image_format.unacceptable(image_id, _(
            "VMDK of create type %(kind)s; [compute]vmdk_allowed_types has "
            "%(allowed)s") % {"kind": info.create_type,
                              "allowed": ", ".join(sorted(allowed))})
