"""placement-reporting G13, O4, U1 to U3."""

import unittest
from unittest import mock

from lxml import etree
from nova import exception as nova_exception
from nova import objects
import nova.conf
from nova.conf import neutron
from nova.virt.libvirt import config as in_tree_config
from nova.virt.libvirt import driver as in_tree

from nova_custom_driver import conf_resources
from nova_custom_driver.spec import host as host_spec
from nova_custom_driver.virt.host import capabilities
from nova_custom_driver.virt.ops import numa_report
from tests.hosts import capabilities as hosts
from tests.unit.virt.ops import factories

CONF = nova.conf.CONF
HOST = "intel-two-nodes"
ONLINE = frozenset(range(15))


def host_facts(arch="x86_64"):
    root = etree.fromstring(hosts.document(HOST))
    return factories.host_facts(arch=arch, cells=capabilities.cells(root))


class TopologyTest(unittest.TestCase):

    def topology(self, facts=None, **settings):
        return numa_report.topology(
            facts or host_facts(), factories.usage(online_cpus=ONLINE),
            factories.resource_settings(**settings))

    def test_a_node(self):
        cell = self.topology().cells[0]
        self.assertEqual((0, 0, 65536), (cell.id, cell.socket, cell.memory))
        self.assertEqual({0, 1, 2, 3, 8, 9, 10, 11}, cell.cpuset)
        self.assertEqual([{0, 8}, {1, 9}, {2, 10}, {3, 11}], cell.siblings)
        self.assertEqual(
            [(4, 11534336, 0), (2048, 8192, 0), (1048576, 4, 0)],
            [(pages.size_kb, pages.total, pages.reserved)
             for pages in cell.mempages])

    def test_a_node_of_memory_alone(self):
        cell = self.topology().cells[2]
        self.assertEqual((set(), [], None, 32768), (
            cell.cpuset, cell.siblings, cell.socket, cell.memory))

    def test_processors_that_are_offline(self):
        cell = self.topology().cells[1]
        self.assertEqual([{4, 12}, {5, 13}, {6, 14}, {7}], cell.siblings)

    def test_a_node_that_spans_sockets(self):
        """placement-reporting O4."""
        threads = tuple(host_spec.HostThread(
            id=number, socket=number, siblings=frozenset((number,)))
            for number in (0, 1))
        found = self.topology(factories.host_facts(cells=(
            host_spec.HostCell(id=0, memory_kib=1 << 20, threads=threads),)))
        self.assertIsNone(found.cells[0].socket)

    def test_a_host_without(self):
        self.assertIsNone(self.topology(factories.host_facts()))
        self.assertIsNone(self.topology(host_facts(arch="s390x")))

    def test_a_network_on_a_node_that_is_not_there(self):
        for settings in ({"physnet_nodes": {"one": frozenset((0, 7))}},
                         {"tunnel_nodes": frozenset((7,))}):
            with self.assertRaisesRegex(
                    nova_exception.InvalidNetworkNUMAAffinity,
                    r"\[neutron_.*numa_nodes names \[7\]"):
                self.topology(**settings)

    def test_nova_reads_it(self):
        text = numa_report.document(
            host_facts(), factories.usage(online_cpus=ONLINE),
            factories.resource_settings())
        found = objects.NUMATopology.obj_from_db_obj(text)
        self.assertEqual([0, 1, 2], [cell.id for cell in found.cells])


class InTreeTest(unittest.TestCase):
    """placement-reporting G13, U1, U2, U3: as the in-tree driver says."""

    def in_tree(self):
        parsed = in_tree_config.LibvirtConfigCaps()
        parsed.parse_str(hosts.document(HOST))
        host = mock.Mock(
            get_capabilities=lambda: parsed,
            get_online_cpus=lambda: set(ONLINE),
            get_available_cpus=lambda: set(range(16)))
        driver = mock.Mock(
            spec=in_tree.LibvirtDriver, _host=host,
            _reserved_hugepages=in_tree.hardware.numa_get_reserved_huge_pages())
        for name in ("_get_vcpu_available", "_get_pcpu_available"):
            setattr(driver, name,
                    getattr(in_tree.LibvirtDriver, name).__get__(driver))
        return in_tree.LibvirtDriver._get_host_numa_topology(driver)

    def check(self, **groups):
        for name, options in groups.items():
            group = None if name == "DEFAULT" else name
            for option, value in options.items():
                CONF.set_override(option, value, group)
                self.addCleanup(CONF.clear_override, option, group)
            # Options of the networks just named.
            neutron.register_dynamic_opts(CONF)
        ours = numa_report.topology(
            host_facts(), factories.usage(
                online_cpus=ONLINE, present_cpus=frozenset(range(16))),
            conf_resources.resource_settings(CONF))
        theirs = self.in_tree()
        self.assertEqual(len(theirs.cells), len(ours.cells))
        for their, our in zip(theirs.cells, ours.cells, strict=True):
            # It sorts sets, whose order by "<" is none.
            their.siblings.sort(key=sorted)
            self.assertEqual(self.plain(their), self.plain(our))

    def plain(self, cell):
        return {
            **{name: getattr(cell, name) for name in (
                "id", "socket", "cpuset", "pcpuset", "memory", "cpu_usage",
                "memory_usage", "pinned_cpus", "siblings")},
            "pages": [(pages.size_kb, pages.total, pages.used,
                       pages.reserved) for pages in cell.mempages],
            "networks": (cell.network_metadata.physnets,
                         cell.network_metadata.tunneled)}

    def test_by_default(self):
        self.check()

    def test_shared_and_dedicated(self):
        self.check(compute={"cpu_shared_set": "0,8,4",
                            "cpu_dedicated_set": "1-3,9-11,5-6"})

    def test_dedicated_alone(self):
        self.check(compute={"cpu_dedicated_set": "1-7"})

    def test_dedicated_that_sleep(self):
        self.check(compute={"cpu_dedicated_set": "14-15"},
                   libvirt={"cpu_power_management": True})

    def test_shared_alone(self):
        self.check(compute={"cpu_shared_set": "1-7"})

    def test_the_old_option(self):
        self.check(DEFAULT={"vcpu_pin_set": "1-7"},
                   compute={"cpu_shared_set": "0"})

    def test_reserved_pages(self):
        self.check(DEFAULT={"reserved_huge_pages": [
            {"node": "0", "size": "2048", "count": "64"},
            {"node": "1", "size": "1GB", "count": "1"}]})

    def test_networks(self):
        self.check(neutron={"physnets": ["numa_test"]},
                   neutron_tunnel={"numa_nodes": "1"},
                   neutron_physnet_numa_test={"numa_nodes": "0,1"})
