"""The host's PCI devices; see "Node devices XML format" of libvirt."""

from collections.abc import Callable, Iterable, Iterator, Mapping
import pathlib
import re

from lxml import etree

from nova_custom_driver.spec import node_device as spec

INTERFACES = pathlib.Path("/sys/class/net")
# What a card in switchdev mode calls the host's end of a virtual function.
REPRESENTOR = re.compile(r"(c\d+)?pf\d+(vf|sf)\d+")
PCI = "./capability[@type='pci']"
Nodes = Mapping[str, etree._Element]


def pci_devices(documents: Iterable[str],
                is_representor: Callable[[str], bool],
                ) -> tuple[spec.PciDevice, ...]:
    """Return the PCI functions among the devices, in their order.

    :param documents: XML of PCI, network and VDPA devices.
    :param is_representor: whether an interface stands for a virtual
        function; a card then has others beside its own.
    """
    roots = [etree.fromstring(document) for document in documents]
    nodes = {root.findtext("name", default=""): root for root in roots}
    networks: dict[str, spec.Network] = {}
    for root, node in _having(roots, "net"):
        found = _network(node)
        if not is_representor(found.interface):
            networks.setdefault(root.findtext("parent", default=""), found)
    vdpas = {root.findtext("parent", default=""):
             node.findtext("chardev", default="")
             for root, node in _having(roots, "vdpa")}
    return tuple(_pci_device(root, nodes, networks, vdpas)
                 for root, _node in _having(roots, "pci"))


def is_representor(interface: str, root: pathlib.Path = INTERFACES) -> bool:
    """Return whether a virtual function is reached through it."""
    try:
        name = (root / interface / "phys_port_name").read_text().strip()
    except OSError:
        return False
    return REPRESENTOR.fullmatch(name) is not None


def _having(roots: Iterable[etree._Element], capability: str
            ) -> Iterator[tuple[etree._Element, etree._Element]]:
    """Yield (device, its capability), for the devices that have it."""
    for root in roots:
        node = root.find(f"./capability[@type='{capability}']")
        if node is not None:
            yield root, node


def _network(node: etree._Element) -> spec.Network:
    return spec.Network(
        interface=node.findtext("interface", default=""),
        mac=node.findtext("address"),
        features=tuple(feature.get("name", "")
                       for feature in node.iterfind("feature")))


def _pci_device(root: etree._Element, nodes: Nodes,
                networks: Mapping[str, spec.Network],
                vdpas: Mapping[str, str]) -> spec.PciDevice:
    name = root.findtext("name", default="")
    parent = _parent_address(root)
    parent_name = spec.pci_name(parent) if parent is not None else ""
    return spec.PciDevice(
        name=name, address=_address(root),
        vendor_id=_id(root, "vendor"), product_id=_id(root, "product"),
        kind=_kind(root, parent, name in vdpas),
        numa_node=_numa_node(root), network=networks.get(name),
        parent_address=parent, parent_network=networks.get(parent_name),
        virtual_number=_number(_address(root), nodes.get(parent_name)),
        card_serial=_serial(root) or _serial(nodes.get(parent_name)),
        vdpa_path=vdpas.get(name))


def _kind(root: etree._Element, parent: str | None,
          is_vdpa: bool) -> spec.PciKind:
    if root.find(f"{PCI}/capability[@type='virt_functions']") is not None:
        return spec.PciKind.PHYSICAL_FUNCTION
    if parent is None:
        return spec.PciKind.STANDARD
    return (spec.PciKind.VDPA if is_vdpa
            else spec.PciKind.VIRTUAL_FUNCTION)


def _address(root: etree._Element) -> str:
    domain, bus, slot, function = (
        int(root.findtext(f"{PCI}/{part}") or 0)
        for part in ("domain", "bus", "slot", "function"))
    return f"{domain:04x}:{bus:02x}:{slot:02x}.{function:x}"


def _id(root: etree._Element, kind: str) -> str:
    node = root.find(f"{PCI}/{kind}")
    return f"{int(node.get('id', '0'), 16):04x}" if node is not None else ""


def _numa_node(root: etree._Element) -> int | None:
    node = root.find(f"{PCI}/numa")
    return int(node.get("node", "0")) if node is not None else None


def _parent_address(root: etree._Element) -> str | None:
    found = _addresses(root, "phys_function")
    return found[0] if found else None


def _number(address: str, parent: etree._Element | None) -> int | None:
    # libvirt lists them by their numbers.
    functions = _addresses(parent, "virt_functions")
    return functions.index(address) if address in functions else None


def _addresses(root: etree._Element | None, kind: str) -> list[str]:
    """Return the functions that a physical or virtual one belongs to."""
    if root is None:
        return []
    found = []
    for node in root.iterfind(f"{PCI}/capability[@type='{kind}']/address"):
        domain, bus, slot, function = (
            int(node.get(part, "0"), 16)
            for part in ("domain", "bus", "slot", "function"))
        found.append(f"{domain:04x}:{bus:02x}:{slot:02x}.{function:x}")
    return found


def _serial(root: etree._Element | None) -> str | None:
    if root is None:
        return None
    return root.findtext(
        f"{PCI}/capability[@type='vpd']/fields[@access='readonly']"
        "/serial_number")
