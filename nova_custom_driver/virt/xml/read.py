"""What a domain consists of, read from the XML that libvirt reports."""

from collections.abc import Iterator
import pathlib

from lxml import etree

from nova_custom_driver.spec import domain as spec
from nova_custom_driver.spec import firmware


def firmware_record(xml: str) -> firmware.Record | None:
    """Return the firmware's files; None: the guest has no such (BIOS)."""
    root = etree.fromstring(xml)
    loader = root.find("./os/loader")
    if loader is None or not loader.text:
        return None
    nvram = root.find("./os/nvram")
    smm = root.find("./features/smm")
    secure = loader.get("secure")
    return firmware.Record(
        loader=pathlib.PurePosixPath(loader.text),
        loader_type=loader.get("type", "rom"),
        loader_readonly=loader.get("readonly") == "yes",
        loader_secure=None if secure is None else secure == "yes",
        nvram=_path(nvram.text) if nvram is not None else None,
        nvram_template=(
            _path(nvram.get("template")) if nvram is not None else None),
        smm=None if smm is None else smm.get("state", "on") == "on")


def disks(xml: str) -> tuple[spec.Disk, ...]:
    """Return the disks in the order of the XML."""
    return tuple(_disk(node) for node in _devices(xml, "disk"))


def disk_element(xml: str, serial: str | None, target: str
                 ) -> tuple[str, str | None] | None:
    """Return (XML, alias) of a volume's disk: that with its id as serial
    number, or else the one called ``target``; None: there is none.
    """
    nodes = list(_devices(xml, "disk"))
    for matches in (
            lambda node: serial and node.findtext("serial") == serial,
            lambda node: _attribute(node, "target", "dev") == target):
        for node in nodes:
            if matches(node):
                return (etree.tostring(node, encoding="unicode"),
                        _attribute(node, "alias", "name"))
    return None


def scsi_units(xml: str) -> frozenset[int]:
    """Return the places taken on the first SCSI controller."""
    return frozenset(
        disk.address.drive.unit for disk in disks(xml)
        if disk.bus == "scsi" and disk.address is not None
        and disk.address.drive is not None
        and disk.address.drive.controller == 0)


def interfaces(xml: str) -> tuple[spec.Interface, ...]:
    """Return the network interfaces in the order the guest sees them."""
    return tuple(
        spec.Interface(mac=_attribute(node, "mac", "address") or "",
                       target=_attribute(node, "target", "dev"),
                       address=_address(node))
        for node in _devices(xml, "interface"))


def serials(xml: str) -> tuple[spec.Serial, ...]:
    """Return the serial ports, or the consoles in their place on s390x;
    kinds that we never make are left out.
    """
    # Elsewhere a console is another name of the first port.
    own = (node for node in _devices(xml, "console")
           if _attribute(node, "target", "type") == "sclp")
    return tuple(
        port for node in (*_devices(xml, "serial"), *own)
        if (port := _serial(node)) is not None)


def graphics(xml: str) -> tuple[spec.Graphics, ...]:
    """Return the graphical consoles."""
    return tuple(
        spec.Graphics(kind=node.get("type", ""), listen=_listen(node),
                      port=_port(node.get("port")),
                      tls_port=_port(node.get("tlsPort")))
        for node in _devices(xml, "graphics"))


def mdevs(xml: str) -> tuple[str, ...]:
    """Return the uuids of the mediated devices, in the order of the XML."""
    return tuple(
        address.get("uuid", "") for node in _devices(xml, "hostdev")
        if node.get("type") == "mdev"
        for address in node.iterfind("./source/address"))


def _devices(xml: str, tag: str) -> Iterator[etree._Element]:
    yield from etree.fromstring(xml).iterfind(f"./devices/{tag}")


def _disk(node: etree._Element) -> spec.Disk:
    serial = node.find("serial")
    return spec.Disk(
        target=_attribute(node, "target", "dev") or "",
        bus=_attribute(node, "target", "bus") or "",
        device=node.get("device", "disk"),
        path=_path(_attribute(node, "source", "file")
                   or _attribute(node, "source", "dev")),
        format=_attribute(node, "driver", "type"),
        serial=serial.text if serial is not None else None,
        address=_address(node),
        kind=node.get("type", "file"),
        alias=_attribute(node, "alias", "name"),
        readonly=node.find("readonly") is not None)


def _serial(node: etree._Element) -> spec.Serial | None:
    log = _path(_attribute(node, "log", "file"))
    match node.get("type"):
        case "tcp":
            return spec.SerialTcp(
                host=_attribute(node, "source", "host") or "",
                port=int(_attribute(node, "source", "service") or 0),
                log=log)
        case "pty":
            return spec.SerialPty(
                path=_path(_attribute(node, "source", "path")), log=log)
        case "file":
            return spec.SerialFile(
                log=_path(_attribute(node, "source", "path")))
    return None


def _listen(node: etree._Element) -> str | None:
    return node.get("listen") or _attribute(node, "listen", "address")


def _address(node: etree._Element) -> spec.Address | None:
    address = node.find("address")
    if address is None:
        return None
    kind = address.get("type", "")
    return spec.Address(
        kind=kind, pci=_pci(address) if kind == "pci" else None,
        drive=_drive(address) if kind == "drive" else None)


def _pci(address: etree._Element) -> str:
    domain, bus, slot, function = (
        int(address.get(part, "0"), 16)
        for part in ("domain", "bus", "slot", "function"))
    return f"{domain:04x}:{bus:02x}:{slot:02x}.{function:x}"


def _drive(address: etree._Element) -> spec.Drive:
    return spec.Drive(**{
        part: int(address.get(part, "0")) for part in spec.Drive.__slots__})


def _attribute(node: etree._Element, tag: str, name: str) -> str | None:
    child = node.find(tag)
    return child.get(name) if child is not None else None


def _path(text: str | None) -> pathlib.PurePosixPath | None:
    return pathlib.PurePosixPath(text) if text else None


def _port(text: str | None) -> int | None:
    # -1 stands for "not yet", while the guest is off.
    return int(text) if text and int(text) > 0 else None
