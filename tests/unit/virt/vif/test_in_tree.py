"""Each kind of port gives the interface that the in-tree driver writes:
network V1-V14, V18-V26, X1-X5, X7, X11; guest-config I1, I3-I6, I8, I9, D24.
"""

import contextlib
import unittest
from unittest import mock

from lxml import etree
import nova.conf
from nova.virt.libvirt import vif as in_tree
from oslo_config import fixture as config_fixture

from nova_custom_driver.spec import nic
from nova_custom_driver.virt.vif import convert
from nova_custom_driver.virt.xml import interface
from tests.unit.planner import factories as planner_factories
from tests.unit.virt.vif import factories

SOCKET = {"vhostuser_mode": "client", "vhostuser_socket": "/run/vhu1"}
SLOT = {"pci_slot": factories.FUNCTION}
MACVTAP = {"macvtap_source": "eth0.7", "macvtap_mode": "bridge",
           "physical_interface": "eth0"}
QBG = {"managerid": "11", "typeid": "22", "typeidversion": "3",
       "instanceid": "b153fa89-1b87-9719-ec12-99e0054fb844"}
PORTS = {
    "ovs with a tap": {"details": {"ovs_create_tap": True}},
    "ovs by libvirt": {"delegate_create": False},
    "ovs hybrid": {"details": {"ovs_hybrid_plug": True}},
    "ovs function": {"vnic_type": "direct", "profile": SLOT},
    "ovs remote": {"vnic_type": "remote-managed", "profile": SLOT},
    "ovs vdpa": {"vnic_type": "vdpa", "profile": SLOT},
    "agilio": {"type": "agilio_ovs", "delegate_create": False},
    "agilio function": {"type": "agilio_ovs", "vnic_type": "direct",
                        "profile": SLOT},
    "agilio forwarder": {"type": "agilio_ovs", "profile": SLOT,
                         "vnic_type": "virtio-forwarder",
                         "details": SOCKET},
    "vhost-user": {"type": "vhostuser", "details": SOCKET},
    "vhost-user server": {"type": "vhostuser", "details": {
        "vhostuser_socket": "/run/vhu1"}},
    "vhost-user ovs": {"type": "vhostuser", "details": SOCKET | {
        "vhostuser_ovs_plug": True}},
    "vhost-user vrouter": {"type": "vhostuser", "details": SOCKET | {
        "vhostuser_vrouter_plug": True}},
    "vhost-user fp bridge": {"type": "vhostuser", "details": SOCKET | {
        "vhostuser_fp_plug": True}},
    "vhost-user fp ovs": {"type": "vhostuser", "details": SOCKET | {
        "vhostuser_fp_plug": True, "vhostuser_ovs_plug": True}},
    "ivs": {"type": "ivs"},
    "ivs hybrid": {"type": "ivs", "details": {"ovs_hybrid_plug": True}},
    "vrouter": {"type": "vrouter"},
    "vrouter function": {"type": "vrouter", "vnic_type": "direct",
                         "profile": SLOT},
    "vrouter forwarder": {"type": "vrouter", "profile": SLOT,
                          "vnic_type": "virtio-forwarder",
                          "details": SOCKET},
    "function": {"type": "hw_veb", "vnic_type": "direct", "profile": SLOT,
                 "details": {"vlan": "100"}},
    "untagged function": {"type": "hw_veb", "vnic_type": "direct",
                          "profile": SLOT, "details": {"vlan": "0"}},
    "accelerator": {"type": "hw_veb", "vnic_type": "accelerator-direct",
                    "profile": SLOT, "details": {"vlan": "100"}},
    "macvtap on a card": {"type": "hw_veb", "vnic_type": "macvtap",
                          "profile": SLOT, "details": {"vlan": "100"}},
    "device": {"type": "hostdev_physical", "vnic_type": "direct-physical",
               "profile": SLOT},
    "accelerator device": {
        "type": "hostdev_physical", "profile": SLOT,
        "vnic_type": "accelerator-direct-physical"},
    "infiniband": {"type": "ib_hostdev", "vnic_type": "direct",
                   "profile": SLOT},
    "macvtap": {"type": "macvtap", "details": MACVTAP},
    "tap": {"type": "tap"},
    "midonet": {"type": "midonet"},
    "iovisor": {"type": "iovisor"},
    "802.1qbg": {"type": "802.1qbg", "qbg_params": QBG},
    "802.1qbh": {"type": "802.1qbh", "profile": SLOT,
                 "details": {"profileid": "blue"}},
    "802.1qbh function": {"type": "802.1qbh", "vnic_type": "direct",
                          "profile": SLOT, "details": {"profileid": "blue"}},
}
RICH = {"hw:vif_multiqueue_enabled": "true", "hw:virtio_packed_ring": "true",
        "quota:vif_inbound_average": "100", "quota:vif_inbound_peak": "200",
        "quota:vif_outbound_average": "400"}
# Ours takes the limits there; libvirt ignores them for a card's function.
WITH_LIMITS = {"tap", "midonet"}
WITHOUT_LIMITS = {"function", "untagged function", "accelerator",
                  "802.1qbh function"}
# libvirt refuses packed rings where the guest drives the card itself.
WITHOUT_DRIVER = WITHOUT_LIMITS | {
    "ovs function", "ovs remote", "agilio function", "vrouter function",}


class InTreeTest(unittest.TestCase):

    maxDiff = None

    def setUp(self):
        (device,) = (each for each in factories.the_devices()
                     if each.address == factories.FUNCTION)
        self.config = config_fixture.Config(nova.conf.CONF)
        self.config.setUp()
        self.addCleanup(self.config.cleanUp)
        self.driver = in_tree.LibvirtGenericVIFDriver(mock.Mock(
            get_vdpa_device_path=lambda address: device.vdpa_path))
        stack = contextlib.ExitStack()
        self.addCleanup(stack.close)
        stack.enter_context(mock.patch(
            "nova.pci.utils.get_ifname_by_pci_address",
            lambda address: device.network.interface))

    def both(self, port, extra_specs, virt_type="kvm", **settings):
        """Return (theirs, ours), laid out."""
        network = factories.a_network(interface="eth0")
        vif = factories.an_ovs_port(**{"network": network, **PORTS[port]})
        self.config.config(group="libvirt", virt_type=virt_type, **settings)
        wanted = {"vifs": [vif], "extra_specs": extra_specs}
        request = planner_factories.a_request(**wanted)
        theirs = self.driver.get_config(
            request.instance, vif, request.image_meta, request.flavor,
            virt_type)
        plan = planner_factories.a_plan(
            domain=planner_factories.a_domain_facts(virt_type=virt_type),
            settings=settings, **wanted)
        ours = interface.interface_xml(nic.Nic(
            plan=plan.nics[0],
            source=convert.source(vif, factories.the_devices)))
        return (etree.fromstring(theirs.to_xml()), ours)

    def test_plain(self):
        for port in PORTS:
            with self.subTest(port):
                theirs, ours = self.both(port, {})
                self.assertEqual(flat(theirs), flat(ours))

    def test_emulated(self):
        for port in PORTS:
            with self.subTest(port):
                theirs, ours = self.both(port, {}, virt_type="qemu")
                self.assertEqual(flat(theirs), flat(ours))

    def test_all_that_can_be_asked_for(self):
        for port in PORTS:
            with self.subTest(port):
                theirs, ours = self.both(
                    port, RICH, rx_queue_size=512, tx_queue_size=1024)
                for node, tag, ports in (
                        (ours, "bandwidth", WITH_LIMITS),
                        (theirs, "bandwidth", WITHOUT_LIMITS),
                        (theirs, "driver", WITHOUT_DRIVER)):
                    if port in ports:
                        node.remove(node.find(tag))
                self.assertEqual(flat(theirs), flat(ours))

    def test_queue_sizes_of_vdpa(self):
        """network X3: the in-tree driver forgets them without packed rings.
        """
        theirs, ours = self.both("ovs vdpa", {}, rx_queue_size=512,
                                 tx_queue_size=1024)
        self.assertIsNone(theirs.find("driver"))
        self.assertEqual({"rx_queue_size": "512", "tx_queue_size": "1024"},
                         dict(ours.find("driver").attrib))

    def test_a_tap_that_is_there_before_libvirt(self):
        """network V1: of all delegated ports, where the in-tree driver has
        libvirt make it unless Neutron says otherwise.
        """
        PORTS["delegated"] = {"delegate_create": True}
        self.addCleanup(PORTS.pop, "delegated")
        theirs, ours = self.both("delegated", {})
        self.assertEqual("no", ours.find("target").attrib.pop("managed"))
        self.assertEqual(flat(theirs), flat(ours))


def flat(node):
    """Return the element without regard to order, empty parts left out."""
    if node.tag == "virtualport":
        # One element of parameters or one for each is the same to libvirt.
        return (node.tag, sorted(node.items()), sorted(
            item for part in node for item in part.items()))
    return (node.tag, sorted(node.items()),
            sorted((flat(part) for part in node), key=repr))
