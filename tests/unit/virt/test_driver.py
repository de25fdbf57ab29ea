"""What Nova reads of the driver, and what it inherits on purpose."""

import types
import unittest
from unittest import mock

from nova import exception as nova_exception
from nova import utils as nova_utils
import nova.conf
from nova.virt import driver as nova_driver
from nova.virt import event as nova_event
from nova.virt import node

from nova_custom_driver.virt import driver
from tests.fakes import hypervisor
from tests.unit.virt.ops import factories

CONF = nova.conf.CONF
UUID = "7d2b1b1c-9a0e-4a8f-8f6e-2d4a4b6b0b11"
XML = f"<domain><uuid>{UUID}</uuid><name>instance-01</name></domain>"
# {method: (its arguments, the rows)}: of these Nova's own version is wanted.
NOT_IMPLEMENTED = {
    "host_power_action": (("reboot",), "driver-contract M9"),
    "host_maintenance_mode": (("host", True), "driver-contract M10"),
    "set_host_enabled": ((True,), "driver-contract M11"),
    "power_update_event": ((None, "POWER_ON"), "driver-contract M12"),
    "soft_delete": ((None,), "driver-contract M37a"),
    "restore": ((None,), "driver-contract M37b"),
    "get_mks_console": ((None, None), "driver-contract M48"),
    "rebuild": ((None,) * 9, "driver-contract M27"),
}
NOTHING_TO_DO = {
    "prepare_for_spawn": ((None,), "driver-contract M23"),
    "failed_spawn_cleanup": ((None,), "driver-contract M24"),
    "prepare_networks_before_block_device_mapping":
        ((None, None), "driver-contract M25a"),
    "clean_networks_preparation": ((None, None), "driver-contract M25b"),
    "poll_rebooting_instances": ((0, []), "driver-contract M39"),
    "inject_network_info": ((None, None), "driver-contract M72"),
}


class DriverTest(unittest.TestCase):

    def setUp(self):
        self.host = hypervisor.FakeHypervisor(
            facts=factories.host_facts(hostname="compute1"))
        self.driver = driver.CustomDriver(mock.sentinel.virtapi)
        # init_host would connect to libvirt.
        self.driver._hands = types.SimpleNamespace(hypervisor=self.host)

    # Identity

    def test_made_before_the_host_is_reached(self):
        """driver-contract L4, L7."""
        made = driver.CustomDriver(mock.sentinel.virtapi)
        self.assertIs(mock.sentinel.virtapi, made.virtapi)
        with self.assertRaises(nova_exception.VirtDriverNotReady):
            made.hands.hypervisor.domains()

    def test_takes_what_the_in_tree_driver_takes(self):
        """driver-contract L4."""
        driver.CustomDriver(mock.sentinel.virtapi, read_only=True)

    def test_capabilities_are_the_instance_s_own(self):
        """driver-contract L5."""
        self.driver.capabilities["supports_evacuate"] = None
        self.assertTrue(driver.CustomDriver(None).capabilities[
            "supports_evacuate"])
        self.assertFalse(nova_driver.ComputeDriver.capabilities[
            "supports_evacuate"])

    def test_nodes_do_not_move(self):
        """driver-contract L6."""
        self.assertIs(False, self.driver.rebalances_nodes)

    def test_name_is_no_other_driver_s(self):
        """driver-contract X6: Nova looks for "ironic" in compute_driver."""
        self.assertNotIn("ironic", driver.CustomDriver.__module__)

    def test_ratios_are_nova_s(self):
        """driver-contract L8."""
        self.assertIs(nova_driver.ComputeDriver._get_allocation_ratios,
                      driver.CustomDriver._get_allocation_ratios)

    def test_one_node(self):
        """driver-contract L9, M19, M20, M21."""
        self.assertEqual(["compute1"], self.driver.get_available_nodes())
        self.assertTrue(self.driver.node_is_available("compute1"))
        self.assertFalse(self.driver.node_is_available("compute2"))
        with mock.patch.object(node, "get_local_node_uuid",
                               return_value=UUID):
            self.assertEqual({UUID: "compute1"},
                             self.driver.get_nodenames_by_uuid())

    def test_nodes_are_deleted_by_the_api_only(self):
        """driver-contract M22."""
        self.assertFalse(self.driver.is_node_deleted("compute2"))

    def test_address(self):
        """driver-contract M7."""
        self.assertEqual(CONF.my_ip, self.driver.get_host_ip_addr())

    def test_threads_only(self):
        """driver-contract T4, T10."""
        with mock.patch.object(nova_utils, "concurrency_mode_threading",
                               return_value=False), \
                self.assertRaisesRegex(SystemExit, "concurrency_backend"):
            driver.CustomDriver(None)

    # Guests

    def test_guests(self):
        """driver-contract M14, M15, M16, M17."""
        instance = types.SimpleNamespace(uuid=UUID)
        self.assertFalse(self.driver.instance_exists(instance))
        self.assertEqual(0, self.driver.get_num_instances())
        self.host.define(XML)
        self.assertTrue(self.driver.instance_exists(instance))
        self.assertEqual(1, self.driver.get_num_instances())
        self.assertEqual([UUID], self.driver.list_instance_uuids())
        self.assertEqual(["instance-01"], self.driver.list_instances())

    def test_a_soft_reboot_is_waited_for_as_the_operator_says(self):
        """guest-config O26."""
        CONF.set_override("wait_soft_reboot_seconds", 7, "libvirt")
        self.addCleanup(CONF.clear_override, "wait_soft_reboot_seconds",
                        "libvirt")
        with mock.patch.object(driver.CustomDriver, "_operation"), \
                mock.patch.object(driver.reboot, "soft") as soft:
            self.driver.reboot(None, types.SimpleNamespace(uuid=UUID), None,
                               "SOFT")
        self.assertEqual((UUID, 7), soft.call_args.args[1:3])

    # Events

    def test_events_go_to_who_listens(self):
        """driver-contract M4, M5."""
        event = nova_event.LifecycleEvent(
            UUID, nova_event.EVENT_LIFECYCLE_STARTED)
        self.driver.emit_event(event)
        heard = []
        self.driver.register_event_listener(heard.append)
        self.driver.emit_event(event)
        self.assertEqual([event], heard)

    def test_a_listener_that_fails_harms_nobody(self):
        """driver-contract M5."""
        self.driver.register_event_listener(mock.Mock(side_effect=OSError))
        self.driver.emit_event(nova_event.LifecycleEvent(
            UUID, nova_event.EVENT_LIFECYCLE_STARTED))

    # What is Nova's

    def test_not_implemented(self):
        for method, (arguments, _rows) in NOT_IMPLEMENTED.items():
            with self.subTest(method), \
                    self.assertRaises(NotImplementedError):
                getattr(self.driver, method)(*arguments)

    def test_nothing_to_do(self):
        for method, (arguments, _rows) in NOTHING_TO_DO.items():
            with self.subTest(method):
                self.assertIsNone(getattr(self.driver, method)(*arguments))
        self.assertEqual({}, self.host.known)

    def test_capabilities_become_traits(self):
        """driver-contract M96; placement A1."""
        self.assertEqual(
            {trait: self.driver.capabilities[name] for name, trait
             in nova_driver.CAPABILITY_TRAITS_MAP.items()},
            self.driver.capabilities_as_traits())

    def test_ports_are_bound_to_the_instance_s_host(self):
        """driver-contract M73, M74."""
        self.assertEqual("compute1", self.driver.network_binding_host_id(
            None, {"host": "compute1"}))
        self.assertFalse(self.driver.manages_network_binding_host_id())
