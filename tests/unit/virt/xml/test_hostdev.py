"""guest-config P1, P3, P5."""

from lxml import etree
from nova.virt.libvirt import config as in_tree

from nova_custom_driver.spec import host_device as spec
from nova_custom_driver.virt.xml import hostdev
from nova_custom_driver.virt.xml import passthrough
from nova_custom_driver.virt.xml import read
from tests.unit.virt.xml import case

MDEV = "4b20d080-1b54-4048-85b3-a6a62d165c01"


def of_nova(managed):
    made = in_tree.LibvirtConfigGuestHostdevPCI()
    made.domain, made.bus, made.slot, made.function = "0000", "84", "00", "1"
    made.managed = managed
    return made.format_dom()


class HostdevTest(case.XmlTestCase):

    def test_a_function_is_as_in_tree(self):
        """guest-config P1, P5."""
        for managed, text in ((True, "yes"), (False, "no")):
            self.assert_spelled(
                etree.tostring(of_nova(text), encoding="unicode"),
                hostdev.hostdev_xml(spec.PciFunction(
                    address="0000:84:00.1", managed=managed)))

    def test_a_mediated_device_is_as_in_tree(self):
        """guest-config P3."""
        made = in_tree.LibvirtConfigGuestHostdevMDEV()
        made.uuid = MDEV
        self.assert_spelled(
            etree.tostring(made.format_dom(), encoding="unicode"),
            hostdev.hostdev_xml(spec.MediatedDevice(uuid=MDEV)))


class PassthroughTest(case.XmlTestCase):
    """driver-contract M34, M35."""

    XML = f"""<domain><devices>
        <disk type="file"><target dev="vda"/></disk>
        <interface type="ethernet"><target dev="tap1"/></interface>
        <interface type="hostdev"><mac address="fa:16:3e:00:00:01"/>
          <source><address type="pci" domain="0x0000" bus="0x81"
                           slot="0x00" function="0x2"/></source>
          <alias name="hostdev0"/></interface>
        <hostdev mode="subsystem" type="mdev">
          <source><address uuid="{MDEV}"/></source></hostdev>
        <hostdev mode="subsystem" type="pci">
          <source><address domain="0x0000" bus="0x84" slot="0x00"
                           function="0x1"/></source>
          <alias name="hostdev1"/></hostdev></devices></domain>"""

    def test_what_the_host_has_lent(self):
        found = passthrough.of(self.XML)
        self.assertEqual({"hostdev0", None, "hostdev1"},
                         {device.alias for device in found.values()})

    def test_one_device_however_it_is_written(self):
        """libvirt adds the type of an address, and an alias, when it runs.
        """
        other = self.XML.replace(
            '<address domain', '<address type="pci" domain').replace(
            '<alias name="hostdev1"/>', "")
        self.assertEqual(list(passthrough.of(self.XML)),
                         list(passthrough.of(other)))

    def test_mediated_devices(self):
        self.assertEqual((MDEV,), read.mdevs(self.XML))
