"""network V1, V2, V12, V14-V17, V22, V23, V27, X10, A7."""

import unittest

from nova import exception as nova_exception
from nova.network import model
from os_vif.objects import vif as os_vif_object

from nova_custom_driver.spec import nic as spec
from nova_custom_driver.virt.vif import convert
from tests.unit.virt.vif import factories

PORT = "9d1c7a57-62ef-4b0e-a9a7-0d2f4b8c1e11"
TAP = "tap9d1c7a57-62"


class SourceTest(unittest.TestCase):

    def test_os_vif_makes_the_tap(self):
        """network V1: managed=no."""
        vif = factories.an_ovs_port(id=PORT, details={"ovs_create_tap": True})
        self.assertEqual(spec.TapSource(target=TAP), convert.source(vif))

    def test_who_makes_the_port_makes_the_tap(self):
        """network V1: Neutron need not ask for it to get it early."""
        vif = factories.an_ovs_port(id=PORT, delegate_create=True)
        self.assertEqual(spec.TapSource(target=TAP), convert.source(vif))
        self.assertTrue(convert.creates_tap(convert.os_vif(vif)))

    def test_libvirt_makes_port_and_tap(self):
        """network V1."""
        vif = factories.an_ovs_port(id=PORT, delegate_create=False)
        self.assertEqual(
            spec.OpenVSwitchSource(bridge="br-int", target=TAP,
                                   interface_id=PORT),
            convert.source(vif))

    def test_the_port_goes_by_the_name_neutron_gave_it(self):
        other = factories.a_port_id()
        vif = factories.an_ovs_port(id=PORT, delegate_create=False,
                                    ovs_interfaceid=other)
        self.assertEqual(other, convert.source(vif).interface_id)

    def test_a_bridge_between_tap_and_switch(self):
        """network V2: the security groups of iptables."""
        vif = factories.an_ovs_port(
            id=PORT, details={model.VIF_DETAILS_OVS_HYBRID_PLUG: True,
                              "ovs_create_tap": True})
        self.assertEqual(
            spec.BridgeSource(bridge="qbr9d1c7a57-62", target=TAP),
            convert.source(vif))

    def test_a_tap(self):
        """network V23."""
        vif = factories.a_tap_port(id=PORT)
        self.assertEqual(spec.TapSource(target=TAP), convert.source(vif))

    def test_a_tap_without_a_name(self):
        """network X10: 14 characters."""
        vif = factories.a_tap_port(id=PORT, devname=None)
        self.assertEqual(TAP, convert.device_name(vif))

    def test_refuses_what_is_not_bound(self):
        """network V16: the operator is sent to Neutron."""
        vif = factories.an_ovs_port(id=PORT,
                                    type=model.VIF_TYPE_BINDING_FAILED)
        with self.assertRaisesRegex(
                nova_exception.VirtualInterfacePlugException,
                f"could not bind port {PORT}.*binding_failed"):
            convert.source(vif)

    def test_refuses_other_kinds(self):
        """network V15, V17, V27: what no agent binds on a compute host."""
        for kind, vnic in (("bridge", "normal"), ("dvs", "normal"),
                           ("no-such", "normal"), ("ovs", "baremetal"),
                           ("ovs", "macvtap"), ("tap", "direct")):
            vif = factories.an_ovs_port(id=PORT, type=kind, vnic_type=vnic)
            with self.subTest(kind=kind, vnic=vnic), self.assertRaisesRegex(
                    nova_exception.VirtualInterfacePlugException,
                    f"{PORT}.*{kind}"):
                convert.source(vif)

    def test_refuses_what_a_vrouter_lacks(self):
        """network V14: in the class that the compute manager expects."""
        with self.assertRaisesRegex(NotImplementedError, f"{PORT}.*vdpa"):
            convert.source(factories.an_ovs_port(
                id=PORT, type="vrouter", vnic_type="vdpa"))

    def test_a_port_of_a_card_needs_a_device(self):
        """network A7."""
        for kind, vnic in (("ovs", "direct"), ("hw_veb", "direct"),
                           ("hostdev_physical", "direct-physical"),
                           ("802.1qbh", "normal")):
            vif = factories.an_ovs_port(id=PORT, type=kind, vnic_type=vnic)
            with self.subTest(kind=kind), self.assertRaisesRegex(
                    nova_exception.VirtualInterfacePlugException,
                    f"{PORT}.*pci_slot"):
                convert.check(vif)

    def test_a_device_that_is_not_there(self):
        """network V4, V19."""
        for vnic, kind in (("macvtap", "hw_veb"), ("vdpa", "ovs")):
            vif = factories.a_card_port(vnic_type=vnic, type=kind)
            with self.subTest(vnic), self.assertRaises(
                    nova_exception.PciDeviceNotFoundById):
                convert.source(vif)

    def test_a_device_of_another_kind(self):
        """network V4, V19: the card itself has no VDPA part."""
        for vnic, kind in (("vdpa", "ovs"),):
            vif = factories.a_card_port(
                vnic_type=vnic, type=kind,
                profile={"pci_slot": factories.CARD})
            with self.assertRaises(nova_exception.PciDeviceNotFoundById):
                convert.source(vif, factories.the_devices)

    def test_a_socket_that_is_not_named(self):
        """network V12."""
        with self.assertRaises(
                nova_exception.VifDetailsMissingVhostuserSockPath):
            convert.source(factories.an_ovs_port(type="vhostuser"))

    def test_a_macvtap_without_its_parameters(self):
        """network V22."""
        with self.assertRaisesRegex(
                nova_exception.VifDetailsMissingMacvtapParameters,
                "macvtap_source.*physical_interface"):
            convert.source(factories.an_ovs_port(
                type="macvtap", details={"macvtap_mode": "bridge"}))

    def test_what_a_802_1q_binding_lacks(self):
        """network V25, V26."""
        for vif, lacks in (
                (factories.an_ovs_port(
                    type="802.1qbg", qbg_params={"managerid": "1"}),
                 "typeid, typeidversion, instanceid"),
                (factories.a_card_port(type="802.1qbh", details={}),
                 "profileid")):
            with self.assertRaisesRegex(
                    nova_exception.VirtualInterfacePlugException, lacks):
                convert.source(vif, factories.the_devices)


class OsVifTest(unittest.TestCase):

    def test_what_the_plug_in_needs(self):
        """network V1: last line of section 1."""
        found = convert.os_vif(factories.an_ovs_port(
            id=PORT, details={"ovs_create_tap": True,
                              "datapath_type": "netdev"}))
        self.assertIsInstance(found, os_vif_object.VIFOpenVSwitch)
        self.assertEqual(
            ("ovs", PORT, "fa:16:3e:0b:33:d1", TAP, "br-int", 1442),
            (found.plugin, found.id, found.address, found.vif_name,
             found.network.bridge, found.network.mtu))
        self.assertEqual(
            (PORT, True, "netdev"),
            (found.port_profile.interface_id, found.port_profile.create_port,
             found.port_profile.datapath_type))
        self.assertTrue(convert.creates_tap(found))

    def test_nobody_asked_for_a_tap(self):
        self.assertFalse(convert.creates_tap(
            convert.os_vif(factories.an_ovs_port(delegate_create=False))))
