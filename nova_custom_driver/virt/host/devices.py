"""What libvirt says of the host's devices."""

import threading

import libvirt
from oslo_log import log as logging

from nova_custom_driver.spec import node_device as spec
from nova_custom_driver.virt.host import connection as connection_module
from nova_custom_driver.virt.host import mdevs
from nova_custom_driver.virt.host import pci_devices

LOG = logging.getLogger(__name__)
PCI = (libvirt.VIR_CONNECT_LIST_NODE_DEVICES_CAP_PCI_DEV
       | libvirt.VIR_CONNECT_LIST_NODE_DEVICES_CAP_NET
       | libvirt.VIR_CONNECT_LIST_NODE_DEVICES_CAP_VDPA)
MDEV_PARENTS = libvirt.VIR_CONNECT_LIST_NODE_DEVICES_CAP_MDEV_TYPES
MDEVS = libvirt.VIR_CONNECT_LIST_NODE_DEVICES_CAP_MDEV
INACTIVE = libvirt.VIR_CONNECT_LIST_NODE_DEVICES_INACTIVE
ANY = INACTIVE | libvirt.VIR_CONNECT_LIST_NODE_DEVICES_ACTIVE


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

    def create_mdev(self, mdev: spec.Mdev) -> None:
        """Make a mediated device, now and whenever the host is started.

        :raises HostError: it is not there.
        """
        document = mdevs.creation(mdev)

        def create(host: libvirt.virConnect) -> None:
            host.nodeDeviceCreateXML(document, 0)
            _keep(host, document)

        self._connection.call(
            "make", f"a {mdev.type} of {mdev.parent}", create, patient=True)

    def remove_mdev(self, uuid: str) -> None:
        """Remove a mediated device, if it is there.

        :raises HostError: it is in use.
        """
        def remove(host: libvirt.virConnect) -> None:
            for device in host.listAllDevices(MDEVS | ANY):
                if mdevs.mdev(device.XMLDesc()).uuid == uuid:
                    _remove(device)

        self._connection.call("remove", f"the mediated device {uuid}",
                              remove, patient=True)

    def start_mdevs(self) -> None:
        """Make those that are only defined; a failure is logged."""
        def start(host: libvirt.virConnect) -> None:
            for device in host.listAllDevices(MDEVS | INACTIVE):
                _start(device)

        self._connection.call("start", "the mediated devices", start,
                              patient=True)

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


def _keep(host: libvirt.virConnect, document: str) -> None:
    """Have the device come back when the host is started again."""
    try:
        host.nodeDeviceDefineXML(document, 0).setAutostart(True)
    except libvirt.libvirtError as error:
        # It works until then, and the service looks for such.
        LOG.warning("A mediated device will not come back by itself: %s",
                    error)


def _remove(device: libvirt.virNodeDevice) -> None:
    persistent = device.isPersistent()
    if device.isActive():
        device.destroy()
    if persistent:
        device.undefine()


def _start(device: libvirt.virNodeDevice) -> None:
    try:
        device.create()
    except libvirt.libvirtError as error:
        # Others may start; a guest that has this one says so when it does
        # not.
        LOG.error("The mediated device %s cannot be started: %s",
                  device.name(), error)
    else:
        LOG.info("Started the mediated device %s", device.name())
