"""driver-contract M49, M50."""

import datetime
import unittest

from nova import exception as nova_exception
from nova import objects
from nova.compute import power_state
from oslo_utils import timeutils

from nova_custom_driver.virt.host import base
from nova_custom_driver.virt.ops import diagnostics
from tests.unit.virt.ops import factories

XML = """
<domain><devices>
  <interface type="ethernet">
    <mac address="fa:16:3e:00:00:01"/><target dev="tap1"/></interface>
  <interface type="hostdev">
    <mac address="fa:16:3e:00:00:02"/></interface>
</devices></domain>"""
VALUES = {
    "vcpu.current": 2, "vcpu.maximum": 3,
    "vcpu.0.time": 111, "vcpu.2.time": 222,
    "block.count": 2,
    "block.0.name": "vda", "block.0.rd.reqs": 1, "block.0.rd.bytes": 2,
    "block.0.wr.reqs": 3, "block.0.wr.bytes": 4, "block.0.errors": 5,
    "block.1.name": "hda", "block.1.rd.reqs": 0, "block.1.rd.bytes": 0,
    "block.1.wr.reqs": 0, "block.1.wr.bytes": 0,
    "net.count": 1, "net.0.name": "tap1",
    "net.0.rx.bytes": 10, "net.0.rx.pkts": 11, "net.0.rx.errs": 12,
    "net.0.rx.drop": 13, "net.0.tx.bytes": 14, "net.0.tx.pkts": 15,
    "net.0.tx.errs": 16, "net.0.tx.drop": 17,
    "balloon.maximum": 524288, "balloon.current": 262144,
    "balloon.rss": 300000, "balloon.last-update": 7,
}


def a_host(**changes):
    return factories.Host(factories.Guest(
        **{"text": XML, "values": VALUES, **changes}))


class FlatTest(unittest.TestCase):
    """driver-contract M49."""

    def test_all_of_it(self):
        self.assertEqual({
            "cpu0_time": 111, "cpu2_time": 222,
            "vda_read_req": 1, "vda_read": 2, "vda_write_req": 3,
            "vda_write": 4, "vda_errors": 5,
            "hda_read_req": 0, "hda_read": 0, "hda_write_req": 0,
            "hda_write": 0, "hda_errors": -1,
            "tap1_rx": 10, "tap1_rx_packets": 11, "tap1_rx_errors": 12,
            "tap1_rx_drop": 13, "tap1_tx": 14, "tap1_tx_packets": 15,
            "tap1_tx_errors": 16, "tap1_tx_drop": 17,
            "memory": 524288, "memory-actual": 262144, "memory-rss": 300000,
            "memory-last_update": 7,
        }, diagnostics.flat(a_host(), factories.UUID))

    def test_nothing_is_known_of_a_guest_that_has_just_begun(self):
        self.assertEqual(
            {}, diagnostics.flat(a_host(values={}), factories.UUID))

    def test_a_guest_that_is_gone(self):
        with self.assertRaises(nova_exception.InstanceNotFound):
            diagnostics.flat(factories.Host(), factories.UUID)


class StructuredTest(unittest.TestCase):
    """driver-contract M50."""

    def setUp(self):
        self.instance = objects.Instance(
            uuid=factories.UUID, config_drive="True", image_ref="",
            system_metadata={},
            launched_at=timeutils.utcnow() - datetime.timedelta(seconds=90))

    def structured(self, **changes):
        return diagnostics.structured(a_host(**changes), self.instance,
                                      "qemu")

    def test_the_guest(self):
        """driver-contract X5."""
        found = self.structured()
        self.assertEqual(
            ("running", "libvirt", "qemu", "linux", True),
            (found.state, found.driver, found.hypervisor,
             found.hypervisor_os, found.config_drive))
        self.assertAlmostEqual(90, found.uptime, delta=10)
        self.assertEqual(
            (512, 256), (found.memory_details.maximum,
                         found.memory_details.used))

    def test_its_parts(self):
        found = self.structured()
        self.assertEqual([(0, 111), (2, 222)],
                         [(cpu.id, cpu.time) for cpu in found.cpu_details])
        self.assertEqual(
            [(2, 1, 4, 3, 5), (0, 0, 0, 0, -1)],
            [(disk.read_bytes, disk.read_requests, disk.write_bytes,
              disk.write_requests, disk.errors_count)
             for disk in found.disk_details])
        self.assertEqual((2, 2, 2), (found.num_cpus, found.num_disks,
                                     found.num_nics))

    def test_its_interfaces(self):
        one, other = self.structured().nic_details
        self.assertEqual(
            ("fa:16:3e:00:00:01", 10, 11, 12, 13, 14, 15, 16, 17),
            (one.mac_address, one.rx_octets, one.rx_packets, one.rx_errors,
             one.rx_drop, one.tx_octets, one.tx_packets, one.tx_errors,
             one.tx_drop))
        self.assertEqual("fa:16:3e:00:00:02", other.mac_address)
        self.assertFalse(other.obj_attr_is_set("rx_octets")
                         and other.rx_octets)

    def test_every_state_has_a_word(self):
        for state in base.State:
            self.assertIn(self.structured(state=state).state,
                          power_state.STATE_MAP.values())

    def test_a_guest_never_launched(self):
        self.instance.launched_at = None
        self.assertEqual(0, self.structured().uptime)
