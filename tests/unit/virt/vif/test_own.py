"""network V18-V24, X8, X9, P4, P6: with the kernel's calls recorded."""

import contextlib
import json
import unittest
from unittest import mock

from nova import exception as nova_exception

from nova_custom_driver.virt.vif import own
from tests.unit.virt.vif import factories

MAC = "fa:16:3e:0b:33:d1"


class OwnTest(unittest.TestCase):

    def setUp(self):
        self.calls = mock.Mock()
        stack = contextlib.ExitStack()
        self.addCleanup(stack.close)
        for name in ("linux_net", "programs"):
            patched = stack.enter_context(
                mock.patch.object(own, name, autospec=True))
            self.calls.attach_mock(patched, name)
        # The lock between services wants a directory of Nova's.
        stack.enter_context(mock.patch(
            "oslo_concurrency.lockutils.lock",
            lambda *_, **__: contextlib.nullcontext()))
        self.calls.linux_net.device_exists.return_value = False

    def describe(self, vif):
        detail = own.describe(factories.an_instance(), vif,
                              factories.the_devices)
        return json.loads(json.dumps(detail))

    def check(self, vif, plugged, unplugged, *, multiqueue=False):
        detail = self.describe(vif)
        self.assertEqual([], self.calls.mock_calls)
        own.plug(detail, multiqueue=multiqueue)
        self.assertEqual(plugged, self.calls.mock_calls)
        self.calls.reset_mock()
        own.unplug(detail)
        self.assertEqual(unplugged, self.calls.mock_calls)

    def test_a_tap(self):
        """network V23, P4."""
        net = mock.call.linux_net
        self.check(
            factories.a_tap_port(devname="tap1", details={
                "mac_address": "02:00:00:00:00:01"}),
            [net.create_tap_dev("tap1", "02:00:00:00:00:01",
                                multiqueue=True),
             net.set_device_mtu("tap1", 1442)],
            [net.delete_net_dev("tap1")], multiqueue=True)

    def test_a_macvtap_on_a_card(self):
        """network V19, X9: the function forgets MAC and VLAN again."""
        net = mock.call.linux_net
        self.check(
            factories.a_card_port(vnic_type="macvtap"),
            [net.set_device_macaddr_and_vlan("ens1", 1, MAC, 100),
             net.set_device_macaddr("ens1v1", MAC, port_state="up")],
            [net.set_device_macaddr_and_vlan("ens1", 1, own.NO_MAC, 0),
             net.set_device_macaddr("ens1v1", own.NO_MAC,
                                    port_state="down")])

    def test_an_untagged_macvtap_on_a_card(self):
        """network X9: the function is brought up only for a VLAN."""
        own.plug(self.describe(factories.a_card_port(
            vnic_type="macvtap", details={})), multiqueue=False)
        self.calls.linux_net.set_device_macaddr.assert_called_once_with(
            "ens1v1", MAC, port_state="down")

    def test_a_macvtap_on_a_function_that_a_guest_has(self):
        with self.assertRaises(nova_exception.PciDeviceNotFoundById):
            self.describe(factories.a_card_port(
                vnic_type="macvtap",
                profile={"pci_slot": factories.CARD}))

    def test_a_function_that_is_trusted(self):
        """network V18, X8."""
        trust = mock.call.linux_net.set_device_trust
        for trusted, plugged in (("true", [trust("ens1", 1, True)]),
                                 ("false", [])):
            self.calls.reset_mock()
            self.check(
                factories.a_card_port(profile={
                    "pci_slot": factories.FUNCTION, "trusted": trusted}),
                plugged, [trust("ens1", 1, False)])

    def test_a_function_nobody_speaks_of(self):
        """network V18, P6."""
        self.check(factories.a_card_port(), [], [])

    def test_what_libvirt_does_alone(self):
        """network V20, V25, V26, P6."""
        for kind in ("hostdev_physical", "802.1qbg", "802.1qbh"):
            self.check(factories.a_card_port(type=kind), [], [])

    def test_infiniband(self):
        """network V21."""
        programs = mock.call.programs
        network = factories.a_network(physical_network="fabric0")
        self.check(
            factories.a_card_port(type="ib_hostdev", network=network),
            [programs.plug_infiniband_vif(
                MAC, factories.INSTANCE_UUID, "fabric0", "ib_hostdev",
                factories.FUNCTION)],
            [programs.unplug_infiniband_vif("fabric0", MAC)])

    def test_infiniband_without_a_fabric(self):
        """network V21."""
        with self.assertRaises(
                nova_exception.NetworkMissingPhysicalNetwork):
            self.describe(factories.a_card_port(type="ib_hostdev"))

    def test_a_macvtap_of_the_agents(self):
        """network V22, P6: others may be on the VLAN, so it stays."""
        net = mock.call.linux_net
        details = {"macvtap_source": "eth0.7", "macvtap_mode": "bridge",
                   "physical_interface": "eth0", "vlan": 7}
        vif = factories.an_ovs_port(type="macvtap", details=details)
        self.check(vif, [net.device_exists("eth0.7"),
                         net.add_vlan("eth0", "eth0.7", 7),
                         net.set_device_enabled("eth0.7")], [])
        self.calls.linux_net.device_exists.return_value = True
        self.check(vif, [net.device_exists("eth0.7"),
                         net.set_device_enabled("eth0.7")], [])
        details["vlan"] = None
        self.check(vif, [], [])

    def test_the_agents_parameters_are_checked_before(self):
        """network V22."""
        with self.assertRaises(
                nova_exception.VifDetailsMissingMacvtapParameters):
            self.describe(factories.an_ovs_port(type="macvtap"))

    def test_midonet(self):
        """network V24."""
        net, programs = mock.call.linux_net, mock.call.programs
        vif = factories.an_ovs_port(type="midonet", devname="tap1")
        self.check(
            vif, [net.create_tap_dev("tap1"),
                  programs.plug_midonet_vif(vif["id"], "tap1")],
            [programs.unplug_midonet_vif(vif["id"]),
             net.delete_net_dev("tap1")])

    def test_iovisor(self):
        """network V24."""
        net, programs = mock.call.linux_net, mock.call.programs
        vif = factories.an_ovs_port(type="iovisor", devname="tap1")
        self.check(
            vif, [net.create_tap_dev("tap1"),
                  programs.plug_plumgrid_vif(
                      "tap1", vif["id"], MAC, vif["network"]["id"],
                      factories.an_instance().project_id)],
            [programs.unplug_plumgrid_vif("tap1"),
             net.delete_net_dev("tap1")])
