from nova_custom_driver.spec import device as spec
from nova_custom_driver.virt.xml import controller
from tests.unit.virt.xml import case


class ControllerXmlTest(case.XmlTestCase):

    def assert_controllers(self, expected, value):
        made = controller.controller_xml(value)
        self.assertEqual(len(expected), len(made))
        for line, element in zip(expected, made, strict=True):
            self.assert_spelled(line, element)

    def test_usb(self):
        """guest-config G10."""
        self.assert_controllers(
            ['<controller type="usb" index="0"/>'],
            spec.UsbController(model=None))
        self.assert_controllers(
            ['<controller type="usb" index="0" model="none"/>'],
            spec.UsbController(model="none"))

    def test_scsi(self):
        """guest-config D6."""
        self.assert_controllers(
            ['<controller type="scsi" index="0" model="virtio-scsi"/>'],
            spec.ScsiController(model="virtio-scsi"))

    def test_pcie_ports(self):
        """guest-config P7."""
        self.assert_controllers(
            ['<controller type="pci" model="pcie-root"/>',
             '<controller type="pci" model="pcie-root-port"/>',
             '<controller type="pci" model="pcie-root-port"/>'],
            spec.PcieRootPorts(count=2))
