"""The host's devices in a domain, read from the XML that libvirt reports."""

import dataclasses

from lxml import etree

# Interfaces that are a device of the host.
INTERFACES = frozenset(("hostdev", "vdpa"))


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Device:
    """:ivar xml: its element.
    :ivar alias: libvirt's name of it; None: the guest is off.
    """

    xml: str
    alias: str | None


def of(xml: str) -> dict[str, Device]:
    """Return {what it is, whichever way it is written: device}."""
    root = etree.fromstring(xml)
    nodes = [*root.iterfind("./devices/hostdev"),
             *(node for node in root.iterfind("./devices/interface")
               if node.get("type") in INTERFACES)]
    return {_identity(node): _device(node) for node in nodes}


def _identity(node: etree._Element) -> str:
    mac = node.find("mac")
    source = mac if mac is not None else node.find("./source/address")
    if source is None:
        return etree.tostring(node, encoding="unicode")
    return " ".join(f"{name!r}={value!r}" for name, value
                    in sorted(source.attrib.items()) if name != "type")


def _device(node: etree._Element) -> Device:
    alias = node.find("alias")
    return Device(xml=etree.tostring(node, encoding="unicode").strip(),
                  alias=alias.get("name") if alias is not None else None)
