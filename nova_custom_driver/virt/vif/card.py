"""The host's network cards and their virtual functions, by PCI address."""

from collections.abc import Callable, Iterable
import dataclasses

from nova import exception as nova_exception
from nova.i18n import _
from nova.network import model as network_model

from nova_custom_driver.spec import node_device

# What the host has now.
Devices = Callable[[], Iterable[node_device.PciDevice]]


def no_devices() -> Iterable[node_device.PciDevice]:
    return ()


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class VirtualFunction:
    """A part of a card, as the card is told about it.

    :ivar parent: the card's interface on the host.
    :ivar number: of the function among the card's.
    :ivar interface: of the function itself; None: a guest has it.
    """

    parent: str
    number: int
    interface: str | None


def address(vif: network_model.VIF) -> str:
    """Return the address of the device that Nova claimed for a port.

    :raises nova.exception.VirtualInterfacePlugException: there is none.
    """
    found = (vif["profile"] or {}).get("pci_slot")
    if not found:
        raise nova_exception.VirtualInterfacePlugException(_(
            "port %(port)s (vif_type=%(type)s, vnic_type=%(vnic)s) needs a "
            "PCI device, but its binding profile names none (pci_slot)") % {
                "port": vif["id"], "type": vif["type"],
                "vnic": vif["vnic_type"]})
    return str(found)


def interface(where: str, devices: Devices) -> str:
    """Return the name of the interface at an address.

    :raises nova.exception.PciDeviceNotFoundById: there is none on the host.
    """
    device = _device(where, devices)
    if device.network is None:
        raise nova_exception.PciDeviceNotFoundById(id=where)
    return device.network.interface


def vdpa_path(where: str, devices: Devices) -> str:
    """Return the character device of the VDPA device at an address.

    :raises nova.exception.PciDeviceNotFoundById: there is none.
    """
    device = _device(where, devices)
    if device.vdpa_path is None:
        raise nova_exception.PciDeviceNotFoundById(id=where)
    return device.vdpa_path


def virtual_function(where: str, devices: Devices) -> VirtualFunction:
    """Return the virtual function at an address.

    :raises nova.exception.PciDeviceNotFoundById: there is none.
    """
    device = _device(where, devices)
    if device.parent_network is None or device.virtual_number is None:
        raise nova_exception.PciDeviceNotFoundById(id=where)
    return VirtualFunction(
        parent=device.parent_network.interface, number=device.virtual_number,
        interface=device.network.interface if device.network else None)


def _device(where: str, devices: Devices) -> node_device.PciDevice:
    for device in devices():
        if device.address == where:
            return device
    raise nova_exception.PciDeviceNotFoundById(id=where)
