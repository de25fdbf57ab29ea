"""QEMU takes the taps that were made for it."""

import contextlib

import libvirt
from lxml import etree

from nova_custom_driver.spec import nic
from nova_custom_driver.virt.vif import plug
from nova_custom_driver.virt.xml import interface
from nova_custom_driver.virt.xml.element import el
from tests.functional.services import libvirt as libvirt_service
from tests.functional.vif import test_plug
from tests.unit.virt.vif import factories

PREFIX = "ncd-vif-"


class GuestContract:
    """network V1, V23: the tap outlives the guest; Nova unplugs it."""

    def start(self, vif, **plan):
        """Start a guest with the port, its processors held still."""
        connection = libvirt.open(libvirt_service.URI)
        self.addCleanup(connection.close)
        made = interface.interface_xml(nic.Nic(
            plan=nic.NicPlan(vif_id=vif["id"], mac=vif["address"],
                             model="virtio", mtu=1442, **plan),
            source=self.plugger.source(vif)))
        xml = el("domain", el("name", text=PREFIX + vif["id"]),
                 el("memory", text="64", unit="MiB"),
                 el("os", el("type", text="hvm", machine="q35")),
                 el("devices", made), type="qemu")
        domain = connection.createXML(
            etree.tostring(xml, encoding="unicode"),
            libvirt.VIR_DOMAIN_START_PAUSED
            | libvirt.VIR_DOMAIN_START_VALIDATE
            | libvirt.VIR_DOMAIN_START_AUTODESTROY)
        self.addCleanup(self.stop, domain)
        return domain

    def stop(self, domain):
        with contextlib.suppress(libvirt.libvirtError):
            domain.destroy()

    def is_held(self, tap):
        return self.attribute(tap, "carrier") == "1"

    def test_from_start_to_stop(self):
        vif = self.a_vif()
        self.plug(vif)
        tap = self.plugger.source(vif).target
        self.assertFalse(self.is_held(tap))
        domain = self.start(vif)
        self.assertTrue(self.is_held(tap))
        self.plug(vif)
        self.assertTrue(self.is_held(tap))
        domain.destroy()
        self.assertFalse(self.is_held(tap))
        self.unplug(vif)
        self.assertEqual({}, self.plugged())

    def test_several_queues_need_a_tap_made_for_them(self):
        """network P4: and one queue a tap made for one."""
        for made, queues in ((True, None), (False, 2)):
            with self.subTest(made_for_queues=made):
                self.plugger = plug.OsVifPlugger(
                    multiqueue=lambda instance, made=made: made)
                vif = self.a_vif()
                self.plug(vif)
                with self.assertRaises(libvirt.libvirtError):
                    self.start(vif, queues=queues)
                self.unplug(vif)

    def test_a_guest_with_queues(self):
        self.plugger = plug.OsVifPlugger(multiqueue=lambda instance: True)
        vif = self.a_vif()
        self.plug(vif)
        self.start(vif, driver="qemu", queues=2)
        self.assertTrue(self.is_held(vif["devname"]))

    def test_unplugged_under_a_running_guest(self):
        """What a detach, or the undoing of a cut-off start, comes to."""
        vif = self.a_vif()
        self.plug(vif)
        domain = self.start(vif)
        self.unplug(vif)
        self.assertEqual({}, self.plugged())
        self.assertTrue(domain.isActive())

    def plug(self, vif):
        self.plugger.plug(self.instance, vif)

    def unplug(self, vif):
        self.plugger.unplug(self.instance, vif)


class TapGuestTest(GuestContract, test_plug.PluggerTestCase):

    def setUp(self):
        super().setUp()
        self.use(libvirt_service.Libvirt())
        self.use(test_plug.OsVif("unix:/nowhere"))

    def a_vif(self, **changes):
        return self.track(factories.a_tap_port(**changes))


class SwitchGuestTest(GuestContract, test_plug.SwitchTestCase):

    def setUp(self):
        super().setUp()
        self.use(libvirt_service.Libvirt())

    def details(self):
        return {"ovs_create_tap": True}
