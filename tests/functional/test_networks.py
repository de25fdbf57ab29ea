"""Guests on a real Open vSwitch, through stock Nova and os-vif."""

from tests.functional import base
from tests.functional import images
from tests.functional.services import openvswitch
from tests.functional.vif import test_plug

BRIDGE = "br-int"


class MadeByOsVifTest(base.ChainTestCase):
    """network V1, W1, P3, X5; in user space where the kernel has no datapath.
    """

    create_tap = True

    def setUp(self):
        self.switch = self.useFixture(openvswitch.OpenVSwitch())
        self.switch.add_bridge(BRIDGE)
        self.useFixture(test_plug.OsVif(self.switch.connection))
        super().setUp()
        self.neutron.default_port = self.neutron.default_port | {
            "binding:vif_type": "ovs",
            "binding:vif_details": {"ovs_create_tap": self.create_tap,
                                    "bridge_name": BRIDGE}}

    def test_a_guest_on_the_switch(self):
        server = self.boot(
            self.images.add(images.DIRECTORY / "guest.raw", "raw"),
            networks=[{"uuid": self.neutron.network_1["id"]}])
        guest = self.console(server)
        guest.wait_for("ready")
        nic = guest.fact("nic")
        self.assertEqual("1450", nic["mtu"])
        (port,) = self.switch.ports(BRIDGE)
        self.assertIn(nic["mac"],
                      self.switch.column(port, "external_ids:attached-mac"))
        self.act(server, "reboot", {"type": "HARD"})
        self.wait_for_status(server, "ACTIVE")
        self.assertEqual([port], self.switch.ports(BRIDGE))
        self.delete(server)
        self.assertEqual([], self.switch.ports(BRIDGE))
        self.assertEqual([], self.leftovers())


class MadeByLibvirtTest(MadeByOsVifTest):

    create_tap = False
