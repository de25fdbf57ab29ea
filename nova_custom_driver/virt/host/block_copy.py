"""Copies of disks while their guest runs: libvirt's block copy jobs."""

import pathlib

import libvirt
from lxml import etree

# Without the first, libvirt refuses a guest whose definition is stored: the
# copy does not outlive QEMU, and is not meant to.
FLAGS = libvirt.VIR_DOMAIN_BLOCK_COPY_TRANSIENT_JOB


def destination(path: pathlib.PurePath, format_name: str) -> str:
    """Return the new file as libvirt wants to be told of it."""
    disk = etree.Element("disk", type="file")
    etree.SubElement(disk, "driver", name="qemu", type=format_name)
    etree.SubElement(disk, "source", file=str(path))
    return etree.tostring(disk, encoding="unicode")


def state(xml: str, target: str) -> bool | None:
    """Return whether the copy has caught up; None: the disk has none.

    :param xml: of the running domain.
    """
    mirror = _mirror(etree.fromstring(xml), target)
    return None if mirror is None else mirror.get("ready") == "yes"


def _mirror(root: etree._Element, target: str) -> etree._Element | None:
    for disk in root.iterfind("./devices/disk"):
        name = disk.find("target")
        if name is not None and name.get("dev") == target:
            return disk.find("mirror")
    return None
