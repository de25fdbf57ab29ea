"""``<controller>``; see "Controllers"."""

from lxml import etree

from nova_custom_driver.spec import device as spec
from nova_custom_driver.virt.xml.element import el


def controller_xml(controller: spec.Controller) -> list[etree._Element]:
    match controller:
        case spec.UsbController():
            return [el("controller", type="usb", index=0,
                       model=controller.model)]
        case spec.ScsiController():
            return [el("controller", type="scsi", index=0,
                       model=controller.model)]
        case spec.PcieRootPorts():
            return [el("controller", type="pci", model="pcie-root"),
                    *(el("controller", type="pci", model="pcie-root-port")
                      for _ in range(controller.count))]
