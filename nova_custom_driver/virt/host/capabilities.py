"""A host's capabilities; see "Driver capabilities XML" of libvirt."""

from typing import Any

from lxml import etree

from nova_custom_driver.spec import host as spec
from nova_custom_driver.virt.host import machine


def host_uuid(root: etree._Element) -> str:
    return root.findtext("./host/uuid", default="")


def host_cpu(root: etree._Element) -> spec.HostCpu:
    """Return the host's processor."""
    node = root.find("./host/cpu")
    if node is None:
        raise ValueError("capabilities without <host><cpu>")
    topology = node.find("topology")
    sockets, cores, threads = (
        int(topology.get(name, "1")) if topology is not None else 1
        for name in ("sockets", "cores", "threads"))
    cells = len(root.findall("./host/topology/cells/cell"))
    return spec.HostCpu(
        arch=node.findtext("arch", default=""),
        model=node.findtext("model"), vendor=node.findtext("vendor"),
        topology=spec.CpuTopology(cells=max(cells, 1), sockets=sockets,
                                  cores=cores, threads=threads),
        features=frozenset(
            feature.get("name", "") for feature in node.iterfind("feature")),
        **_address_width(node))


def _address_width(node: etree._Element) -> dict[str, Any]:
    width = node.find("maxphysaddr")
    if width is None:
        return {}
    bits = width.get("bits")
    return {"address_mode": width.get("mode"),
            "address_bits": int(bits) if bits else None}


def cells(root: etree._Element) -> tuple[spec.HostCell, ...]:
    """Return the NUMA nodes; those without processors as well."""
    return tuple(_cell(node) for node
                 in root.iterfind("./host/topology/cells/cell"))


def _cell(node: etree._Element) -> spec.HostCell:
    # libvirt counts memory and the size of pages in KiB here.
    return spec.HostCell(
        id=int(node.get("id", "0")),
        memory_kib=int(node.findtext("memory") or 0),
        threads=tuple(_thread(cpu) for cpu in node.iterfind("./cpus/cpu")),
        pages={int(page.get("size", "0")): int(page.text or 0)
               for page in node.iterfind("pages")})


def _thread(node: etree._Element) -> spec.HostThread:
    number, socket = int(node.get("id", "0")), node.get("socket_id")
    return spec.HostThread(
        id=number, socket=int(socket) if socket is not None else None,
        # Of a processor that is offline nothing more is known.
        siblings=machine.numbers(node.get("siblings", str(number))))


def cpu_xml(arch: str, model: str) -> str:
    """Return the description of a CPU that libvirt shall expand."""
    cpu = etree.Element("cpu")
    etree.SubElement(cpu, "arch").text = arch
    etree.SubElement(cpu, "model").text = model
    return etree.tostring(cpu, encoding="unicode")


def flags(xml: str) -> frozenset[str]:
    """Return the flags of an expanded CPU, but those it lacks."""
    return frozenset(
        feature.get("name", "")
        for feature in etree.fromstring(xml).iterfind("feature")
        if feature.get("policy") != "disable")


def has_smt(root: etree._Element) -> bool:
    """Return whether any processor shares its core with another."""
    return any(
        len(machine.numbers(cpu.get("siblings", ""))) > 1
        for cpu in root.iterfind("./host/topology/cells/cell/cpus/cpu"))


def guests(root: etree._Element) -> tuple[spec.GuestArch, ...]:
    """Return the architectures guests may have."""
    return tuple(_guest(node) for node in root.iterfind("guest"))


def _guest(node: etree._Element) -> spec.GuestArch:
    arch = node.find("arch")
    if arch is None:
        raise ValueError("capabilities with a <guest> without <arch>")
    machines = frozenset(
        item.text or "" for item in arch.iter("machine"))
    return spec.GuestArch(
        arch=arch.get("name", ""),
        os_type=node.findtext("os_type", default="hvm"), machines=machines,
        virt_types=frozenset(
            domain.get("type", "") for domain in arch.iterfind("domain")))
