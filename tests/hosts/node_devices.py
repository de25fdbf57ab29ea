"""Devices of hosts that are not here, as libvirt describes them."""

import pathlib

from lxml import etree

DIRECTORY = pathlib.Path(__file__).parent / "devices"


def documents(host, *capabilities):
    """Return the XML of a host's devices that have one of these; all if
    none is named.

    :param host: name of a file in ``devices``.
    """
    root = etree.parse(DIRECTORY / f"{host}.xml").getroot()
    return [etree.tostring(device, encoding="unicode")
            for device in root.iterfind("device")
            if not capabilities or capabilities_of(device).intersection(
                capabilities)]


def capabilities_of(device):
    """Return what libvirt lists a device under."""
    return {node.get("type") for node in device.iter("capability")}
