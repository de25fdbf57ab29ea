"""``<hostdev>``; see "Host device assignment"."""

from lxml import etree

from nova_custom_driver.spec import host_device as spec
from nova_custom_driver.virt.xml import address
from nova_custom_driver.virt.xml.element import el, yes_no


def hostdev_xml(device: spec.HostDevice) -> etree._Element:
    match device:
        case spec.PciFunction():
            return el("hostdev",
                      el("source", address.pci_xml(device.address)),
                      mode="subsystem", type="pci",
                      managed=yes_no(device.managed))
        case spec.MediatedDevice():
            return el("hostdev",
                      el("source", el("address", uuid=device.uuid)),
                      mode="subsystem", type="mdev", model="vfio-pci",
                      managed=yes_no(False))
