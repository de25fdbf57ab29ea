"""Ports on a real switch and in the real kernel.

The switch works in user space; taps are the kernel's own.
"""

import contextlib
import pathlib
import unittest

import fixtures
from nova import exception as nova_exception
from nova.network import model
import nova.privsep
import os_vif
from oslo_config import cfg
from oslo_config import fixture as config_fixture
from vif_plug_ovs.ovsdb import impl_idl
import vif_plug_ovs.privsep

from nova_custom_driver.virt.vif import own
from nova_custom_driver.virt.vif import plug
from tests.contracts import vif as contract
from tests.functional.services import openvswitch
from tests.unit.virt.vif import factories

BRIDGE = "br-ncd-test"
DEVICES = pathlib.Path("/sys/class/net")
# What begins the names of devices made for a port, see vif_plug_ovs.
PREFIXES = ("tap", "qbr", "qvb", "qvo")
# linux/if_tun.h
IFF_MULTI_QUEUE = 0x0100


class OsVif(fixtures.Fixture):
    """os-vif as nova-compute starts it, working off one switch's database.

    :ivar connection: of that database.
    """

    def __init__(self, connection):
        self.connection = connection

    def _setUp(self):
        for context in (nova.privsep.sys_admin_pctxt,
                        vif_plug_ovs.privsep.vif_plug):
            self.useFixture(fixtures.MockPatchObject(
                context, "client_mode", False))
        # It keeps one connection for the whole process.
        self.useFixture(fixtures.MonkeyPatch(
            "vif_plug_ovs.ovsdb.impl_idl.NeutronOvsdbIdl._ovsdb_connection",
            None))
        os_vif.initialize()
        config = self.useFixture(config_fixture.Config(cfg.CONF))
        config.config(group="os_vif_ovs", ovsdb_connection=self.connection,
                      ovsdb_interface="native", ovs_vsctl_timeout=10)
        os_vif.initialize(reset=True)
        self.addCleanup(self._disconnect)

    def _disconnect(self):
        """Stop the thread that follows the database."""
        connection = impl_idl.NeutronOvsdbIdl._ovsdb_connection
        if connection is not None:
            connection.stop(timeout=10)


class PluggerTestCase(unittest.TestCase):

    def setUp(self):
        self.ports = []
        self.instance = factories.an_instance()
        self.plugger = plug.OsVifPlugger()

    def use(self, fixture):
        self.addCleanup(fixture.cleanUp)
        fixture.setUp()
        return fixture

    def plugged(self):
        return {port: found for port in self.ports
                if (found := self.devices(port))}

    def devices(self, port):
        """Return the names of the kernel's devices for a port."""
        return tuple(name for prefix in PREFIXES
                     if (DEVICES / (name := f"{prefix}{port}"[:14])).exists())

    def attribute(self, device, name):
        return (DEVICES / device / name).read_text().strip()

    def has_queues(self, device):
        return bool(int(self.attribute(device, "tun_flags"), 16)
                    & IFF_MULTI_QUEUE)

    def track(self, vif):
        self.ports.append(vif["id"])
        self.addCleanup(self.clean, vif)
        return vif

    def clean(self, vif):
        with contextlib.suppress(
                nova_exception.VirtualInterfacePlugException):
            self.plugger.unplug(self.instance, vif)


class TapTest(PluggerTestCase, contract.VifPluggerContract):
    """network V23, P4, X5, X10."""

    def setUp(self):
        super().setUp()
        self.use(OsVif("unix:/nowhere"))

    def a_vif(self, **changes):
        return self.track(factories.a_tap_port(**changes))

    def test_the_tap_is_as_the_port_asks(self):
        vif = self.a_vif(details={"mac_address": "02:61:fe:ed:ca:fe"})
        self.plug(vif)
        tap = self.plugger.source(vif).target
        self.assertEqual("02:61:fe:ed:ca:fe", self.attribute(tap, "address"))
        self.assertEqual("1442", self.attribute(tap, "mtu"))
        self.assertFalse(self.has_queues(tap))

    def test_a_tap_with_queues(self):
        self.plugger = plug.OsVifPlugger(multiqueue=lambda instance: True)
        vif = self.a_vif()
        self.plug(vif)
        self.assertTrue(self.has_queues(vif["devname"]))

    def test_what_the_kernel_refuses(self):
        """network P1: a name it does not take."""
        vif = self.a_vif(devname="tap/slash")
        with self.assertRaises(nova_exception.InternalError) as seen:
            self.plug(vif)
        self.assertIn(vif["id"], str(seen.exception))


class SwitchTestCase(PluggerTestCase):

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.switch = openvswitch.OpenVSwitch()
        cls.addClassCleanup(cls.switch.cleanUp)
        cls.switch.setUp()
        cls.switch.add_bridge(BRIDGE)

    def setUp(self):
        super().setUp()
        self.use(OsVif(self.switch.connection))

    def details(self):
        return {}

    def a_vif(self, **changes):
        return self.track(factories.an_ovs_port(**{
            "network": factories.a_network(bridge=BRIDGE),
            "details": {"datapath_type": "netdev", **self.details()},
            **changes}))

    def plugged(self):
        found = {}
        on_switch = self.switch.ports(BRIDGE)
        for port in self.ports:
            devices = self.devices(port)
            names = [name for name in on_switch if name[3:] == port[:11]]
            if devices or names:
                found[port] = devices, names
        return found

    def external_id(self, interface, name):
        return self.switch.column(
            interface, f"external_ids:{name}").strip('"')

    def check_on_switch(self, vif, interface):
        self.assertEqual([interface], self.switch.ports(BRIDGE))
        self.assertEqual(
            [vif["id"], self.instance.uuid, vif["address"], "active"],
            [self.external_id(interface, name) for name in (
                "iface-id", "vm-uuid", "attached-mac", "iface-status")])


class SwitchWithTapTest(SwitchTestCase, contract.VifPluggerContract):
    """network V1: os-vif makes port and tap."""

    def details(self):
        return {"ovs_create_tap": True}

    def test_port_and_tap(self):
        """network X5, X10."""
        vif = self.a_vif()
        self.plug(vif)
        tap = self.plugger.source(vif).target
        self.check_on_switch(vif, tap)
        self.assertEqual(vif["address"], self.attribute(tap, "address"))
        self.assertEqual("1442", self.attribute(tap, "mtu"))
        self.assertFalse(self.has_queues(tap))

    def test_a_tap_with_queues(self):
        self.instance = factories.an_instance(
            vcpus=2, extra_specs={"hw:vif_multiqueue_enabled": "true"})
        vif = self.a_vif()
        self.plug(vif)
        self.assertTrue(self.has_queues(vif["devname"]))

    def test_a_port_whose_tap_was_taken_away_can_be_unplugged(self):
        vif = self.a_vif()
        self.plug(vif)
        own.linux_net.delete_net_dev(vif["devname"])
        self.unplug(vif)
        self.assertEqual({}, self.plugged())


class SwitchTest(SwitchTestCase, contract.VifPluggerContract):
    """network V1: a tap that Neutron did not ask for is made at once, too."""

    def test_the_tap_is_there_before_any_guest(self):
        vif = self.a_vif()
        self.plug(vif)
        self.check_on_switch(vif, vif["devname"])
        self.assertEqual((vif["devname"],), self.devices(vif["id"]))


class HybridTest(SwitchTestCase, contract.VifPluggerContract):
    """network V2: a Linux bridge between tap and switch."""

    def details(self):
        return {model.VIF_DETAILS_OVS_HYBRID_PLUG: True}

    def test_the_bridge_is_on_the_switch(self):
        vif = self.a_vif()
        self.plug(vif)
        self.assertIn(self.plugger.source(vif).bridge,
                      self.devices(vif["id"]))
        self.check_on_switch(vif, f"qvo{vif['id']}"[:14])


class NoSwitchTest(PluggerTestCase):

    def test_a_switch_that_is_not_there(self):
        """network P1, P2."""
        self.use(OsVif("unix:/nowhere"))
        vif = factories.an_ovs_port()
        for action, call in (("plug", self.plugger.plug),
                             ("unplug", self.plugger.unplug)):
            with self.subTest(action), self.assertRaisesRegex(
                    nova_exception.InternalError, vif["id"]):
                call(self.instance, vif)
