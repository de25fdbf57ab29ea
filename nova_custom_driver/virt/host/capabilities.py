"""A host's capabilities; see "Driver capabilities XML" of libvirt."""

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
            feature.get("name", "") for feature in node.iterfind("feature")))


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
