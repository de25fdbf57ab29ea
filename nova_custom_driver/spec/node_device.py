"""Devices of the host that guests can be given, or parts of them."""

import dataclasses
import enum


class PciKind(enum.StrEnum):
    """The role of a PCI function, in Nova's words."""

    STANDARD = "type-PCI"
    PHYSICAL_FUNCTION = "type-PF"
    VIRTUAL_FUNCTION = "type-VF"
    VDPA = "vdpa"


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Network:
    """The interface a PCI function is, as the host sees it.

    :ivar features: of the card ("rx", "tso", "switchdev").
    """

    interface: str
    mac: str | None = None
    features: tuple[str, ...] = ()


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class PciDevice:
    """One PCI function.

    :ivar name: libvirt's ("pci_0000_84_00_0").
    :ivar address: "0000:84:00.0".
    :ivar vendor_id: four hexadecimal digits, like ``product_id``.
    :ivar numa_node: None: of no node in particular.
    :ivar network: None: no network card, or a guest has it.
    :ivar parent_address: of the physical function; None: it is no virtual
        one.
    :ivar parent_network: of the physical function.
    :ivar virtual_number: of a virtual function among its parent's, from 0.
    :ivar card_serial: of the card, as its vital product data say.
    :ivar vdpa_path: of a VDPA device's character device.
    """

    name: str
    address: str
    vendor_id: str
    product_id: str
    kind: PciKind = PciKind.STANDARD
    numa_node: int | None = None
    network: Network | None = None
    parent_address: str | None = None
    parent_network: Network | None = None
    virtual_number: int | None = None
    card_serial: str | None = None
    vdpa_path: str | None = None


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class MdevType:
    """:ivar available: how many more can be made of it now."""

    name: str
    api: str
    available: int


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class MdevParent:
    """A device that mediated devices can be made of.

    :ivar name: libvirt's ("pci_0000_84_00_0", "mtty_mtty").
    """

    name: str
    types: tuple[MdevType, ...]


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Mdev:
    """A mediated device that exists, used by a guest or not.

    :ivar parent: libvirt's name of the device it was made of.
    :ivar type: name of its type ("nvidia-35").
    """

    uuid: str
    parent: str
    type: str
    iommu_group: int | None = None


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class PmemNamespace:
    """A piece of persistent memory, given to one guest as a whole.

    :ivar path: of its character device.
    """

    name: str
    path: str
    size_bytes: int
    align_bytes: int


def pci_name(address: str) -> str:
    """Return libvirt's name of a PCI device."""
    return "pci_" + address.replace(":", "_").replace(".", "_")


def pci_address(name: str) -> str | None:
    """Return the address in libvirt's name of a PCI device; None: it is
    the name of something else.
    """
    parts = name.split("_")
    if len(parts) != 5 or parts[0] != "pci":
        return None
    return "{}:{}:{}.{}".format(*parts[1:])
