"""What libvirt says of the host's devices."""

import threading

import libvirt

from nova_custom_driver.spec import node_device as spec
from nova_custom_driver.virt.host import connection as connection_module
from nova_custom_driver.virt.host import mdevs
from nova_custom_driver.virt.host import pci_devices

PCI = (libvirt.VIR_CONNECT_LIST_NODE_DEVICES_CAP_PCI_DEV
       | libvirt.VIR_CONNECT_LIST_NODE_DEVICES_CAP_NET
       | libvirt.VIR_CONNECT_LIST_NODE_DEVICES_CAP_VDPA)
MDEV_PARENTS = libvirt.VIR_CONNECT_LIST_NODE_DEVICES_CAP_MDEV_TYPES
MDEVS = libvirt.VIR_CONNECT_LIST_NODE_DEVICES_CAP_MDEV


class NodeDevices:
    """Lists devices; PCI devices are remembered until one comes or goes.

    libvirt reads their product data from the hardware each time, and that
    is slow.
    """

    def __init__(self, connection: connection_module.Connection) -> None:
        self._connection = connection
        self._lock = threading.Lock()
        self._seen: int | None = None
        self._pci: tuple[spec.PciDevice, ...] = ()

    def pci(self) -> tuple[spec.PciDevice, ...]:
        """Return the PCI functions."""
        with self._lock:
            now = self._connection.devices_seen
            if now is None or now != self._seen:
                self._pci = pci_devices.pci_devices(
                    self._documents("the PCI devices", PCI),
                    pci_devices.is_representor)
                # Of before the list: what came meanwhile is read next time.
                self._seen = now
            return self._pci

    def mdev_parents(self) -> tuple[spec.MdevParent, ...]:
        """Return what mediated devices can be made of."""
        return tuple(map(mdevs.mdev_parent, self._documents(
            "the makers of mediated devices", MDEV_PARENTS)))

    def mdevs(self) -> tuple[spec.Mdev, ...]:
        """Return the mediated devices there are."""
        return tuple(map(mdevs.mdev, self._documents(
            "the mediated devices", MDEVS)))

    def _documents(self, subject: str, flags: int) -> list[str]:
        return self._connection.call(
            "list", subject, lambda host: _descriptions(host, flags),
            patient=True)


def _descriptions(host: libvirt.virConnect, flags: int) -> list[str]:
    found = []
    for device in host.listAllDevices(flags):
        try:
            found.append(device.XMLDesc())
        except libvirt.libvirtError as error:
            # It was taken out since the list was made.
            if error.get_error_code() != libvirt.VIR_ERR_NO_NODE_DEVICE:
                raise
    return found
