"""placement-reporting R1 to R4, U1 to U3, G13: options of what is offered."""

import unittest

from nova import exception as nova_exception
import nova.conf

from nova_custom_driver import conf_resources

CONF = nova.conf.CONF


class ResourceSettingsTest(unittest.TestCase):

    def setUp(self):
        self.addCleanup(CONF.clear_override, "physnets", "neutron")

    def settings(self, **groups):
        for group, options in groups.items():
            for name, value in options.items():
                CONF.set_override(name, value, group)
                self.addCleanup(CONF.clear_override, name, group)
        return conf_resources.resource_settings(CONF)

    def test_by_default(self):
        found = self.settings()
        self.assertEqual(
            (512, 0, 0, None, frozenset(), 0, None, False), (
                found.reserved_memory_mib, found.reserved_disk_mib,
                found.reserved_cpus, found.cpu_shared_set,
                found.cpu_dedicated_set, found.file_backed_memory_mib,
                found.tdx_guests, found.reserve_for_base_cache))
        self.assertEqual(({}, {}, frozenset()), (
            found.reserved_pages, found.physnet_nodes, found.tunnel_nodes))

    def test_processors(self):
        """placement-reporting U2, U3."""
        found = self.settings(compute={
            "cpu_shared_set": "0-1", "cpu_dedicated_set": "2-5,^4"},
            libvirt={"cpu_power_management": True})
        self.assertEqual(({0, 1}, {2, 3, 5}, True, False), (
            found.cpu_shared_set, found.cpu_dedicated_set,
            found.dedicated_cpus_sleep, found.cpu_set_is_legacy))

    def test_the_old_option(self):
        """placement-reporting U1."""
        CONF.set_override("vcpu_pin_set", "2-3")
        self.addCleanup(CONF.clear_override, "vcpu_pin_set")
        found = self.settings(compute={"cpu_shared_set": "0-1"})
        self.assertEqual(({2, 3}, True), (found.cpu_shared_set,
                                          found.cpu_set_is_legacy))

    def test_networks_near_a_node(self):
        """placement-reporting G13."""
        CONF.set_override("physnets", ["one"], "neutron")
        with self.assertRaisesRegex(
                nova_exception.InvalidNetworkNUMAAffinity,
                r"\[neutron_physnet_one\]numa_nodes"):
            self.settings()
        found = self.settings(neutron_physnet_one={"numa_nodes": "0,1"},
                              neutron_tunnel={"numa_nodes": "1"})
        self.assertEqual({"one": {0, 1}}, found.physnet_nodes)
        self.assertEqual({1}, found.tunnel_nodes)
