"""placement-reporting G1 to G11, G14, U5, D1, D4, O1, O2."""

import dataclasses
import json
import time
import unittest

from nova.objects import compute_node

from nova_custom_driver import units
from nova_custom_driver.spec import host
from nova_custom_driver.spec import node_device
from nova_custom_driver.virt.ops import resources
from tests.unit.virt.ops import factories

STAT = """\
cpu  1000 20 300 40000 50 6 7 8 9 10
cpu0 500 10 150 20000 25 3 3 4 4 5
intr 1 2
"""
CPUINFO = "processor\t: 0\nmodel name\t: a\ncpu MHz\t\t: 2445.406\n" \
          "processor\t: 1\ncpu MHz\t\t: 1000.000\n"


class AvailableTest(unittest.TestCase):

    def available(self, *guests, usage=None, disk=None, over_committed=0,
                  **settings):
        return resources.available(
            factories.Host(*guests, facts=factories.host_facts(),
                           usage=usage or factories.usage()),
            disk or factories.disk_usage(), over_committed, factories.UUID,
            factories.resource_settings(**settings))

    def test_what_there_is(self):
        """placement-reporting G2, G4, G5, D1; driver-contract M94."""
        found = self.available(disk=factories.disk_usage(
            total_gib=100.5, free_gib=60.25, used_gib=40.25))
        self.assertEqual(
            (8, 64_000, 1_500, 100.5, 40.25, 60.25),
            tuple(found[name] for name in (
                "vcpus", "memory_mb", "memory_mb_used", "local_gb",
                "local_gb_used", "disk_available_least")))

    def test_only_shared_processors_count(self):
        """placement-reporting U5."""
        found = self.available(cpu_shared_set=frozenset((0, 1)))
        self.assertEqual(2, found["vcpus"])

    def test_processors_of_running_guests(self):
        """placement-reporting G3: 1 of a guest that does not say."""
        found = self.available(
            factories.Guest(uuid="a", values={"vcpu.current": 4}),
            factories.Guest(uuid="b", values={"vcpu.current": 2}),
            factories.Guest(uuid="c"))
        self.assertEqual(7, found["vcpus_used"])
        self.assertEqual(0, self.available()["vcpus_used"])

    def test_what_disks_may_grow_by_is_not_free(self):
        """placement-reporting D4, G11: there is never less than nothing."""
        for grow_gib, least in ((2.5, 1.5), (4, 0), (5, 0)):
            found = self.available(
                disk=factories.disk_usage(free_gib=4),
                over_committed=int(grow_gib * units.BYTES_PER_GIB))
            self.assertEqual(least, found["disk_available_least"])

    def test_memory_in_files(self):
        """placement-reporting R1, G4: used is what guests have."""
        found = self.available(file_backed_memory_mib=1 << 20)
        self.assertEqual((1 << 20, 3 << 10), (found["memory_mb"],
                                              found["memory_mb_used"]))

    def test_who_it_is(self):
        """placement-reporting G6 to G9; driver-contract X4."""
        found = self.available()
        self.assertEqual(
            ("QEMU", 8_002_002, "compute-1", factories.UUID),
            tuple(found[name] for name in (
                "hypervisor_type", "hypervisor_version",
                "hypervisor_hostname", "uuid")))

    def test_the_processor(self):
        """placement-reporting G10."""
        self.assertEqual(
            {"arch": "x86_64", "model": "EPYC", "vendor": "AMD",
             "topology": {"cells": 2, "sockets": 1, "cores": 4,
                          "threads": 2},
             "features": ["aes", "sse2"]},
            json.loads(self.available()["cpu_info"]))

    def test_width_of_addresses(self):
        """placement-reporting G10."""
        facts = factories.host_facts()
        for mode, bits, expected in (
                (None, None, None), ("passthrough", None,
                                     {"mode": "passthrough", "bits": None}),
                ("emulate", 46, {"mode": "emulate", "bits": 46})):
            cpu = dataclasses.replace(facts.cpu, address_mode=mode,
                                      address_bits=bits)
            self.assertEqual(expected, resources._cpu_info(cpu).get(
                "maxphysaddr"))

    def test_nodes(self):
        """placement-reporting G13."""
        threads = (host.HostThread(id=0, siblings=frozenset((0,))),)
        found = resources.available(
            factories.Host(facts=factories.host_facts(cells=(
                host.HostCell(id=0, memory_kib=1 << 20, threads=threads),)),
                usage=factories.usage()),
            factories.disk_usage(), 0, factories.UUID,
            factories.resource_settings())
        self.assertIn('"cpuset": [0]', found["numa_topology"])

    def test_devices(self):
        """placement-reporting G12."""
        device = node_device.PciDevice(
            name="pci_0000_00_1f_0", address="0000:00:1f.0",
            vendor_id="8086", product_id="2918")
        found = resources.available(
            factories.Host(facts=factories.host_facts(),
                           usage=factories.usage(), pci=(device,)),
            factories.disk_usage(), 0, factories.UUID,
            factories.resource_settings())
        (record,) = json.loads(found["pci_passthrough_devices"])
        self.assertEqual("0000:00:1f.0", record["address"])

    def test_nova_takes_it(self):
        """placement-reporting G1, G12 to G14."""
        found = self.available()
        self.assertEqual([], json.loads(found["pci_passthrough_devices"]))
        node = compute_node.ComputeNode()
        node.update_from_virt_driver(found)
        self.assertEqual(
            [("x86_64", "kvm", "hvm"), ("x86_64", "qemu", "hvm")],
            [(spec.arch, spec.hv_type, spec.vm_mode)
             for spec in node.supported_hv_specs])
        self.assertIn("load average", found["stats"]["uptime"])


class SupportedTest(unittest.TestCase):
    """placement-reporting G1."""

    def test_each_kind_an_architecture_runs_as(self):
        self.assertEqual(
            [("i686", "qemu", "hvm"), ("x86_64", "kvm", "hvm"),
             ("x86_64", "qemu", "hvm")],
            resources.supported((
                factories.guest_arch("i686", ("qemu",)),
                factories.guest_arch("x86_64", ("qemu", "kvm")))))

    def test_names_libvirt_has_and_nova_has_not(self):
        """QEMU has more architectures than Nova's records take."""
        self.assertEqual([("aarch64", "qemu", "hvm")], resources.supported((
            factories.guest_arch("or1k", ("qemu",)),
            factories.guest_arch("aarch64", ("qemu", "hvf-2")),
            factories.guest_arch("x86_64", ("qemu",), "no-such-mode"))))


class UptimeTest(unittest.TestCase):
    """placement-reporting G14, O2; driver-contract M8."""

    def test_reads_like_the_command(self):
        self.assertEqual(
            " 14:07:11 up 4 days, 10:26,  load average: 0.01, 0.05, 0.10\n",
            resources.uptime_line("383219.44 1500000.00\n",
                                  "0.01 0.05 0.10 1/123 4567\n",
                                  "14:07:11"))

    def test_this_machine_has_one(self):
        before = time.strftime("%H:%M")
        self.assertRegex(
            resources.uptime(),
            r"^ \d\d:\d\d:\d\d up \d+ days, [ \d]\d:\d\d,  load average: "
            r"[\d.]+, [\d.]+, [\d.]+\n$")
        self.assertIn(resources.uptime()[1:6],
                      (before, time.strftime("%H:%M")))


class CpuStatsTest(unittest.TestCase):
    """placement-reporting O1; driver-contract M97."""

    def test_the_whole_host_in_ns(self):
        self.assertEqual(
            {"user": 1020 * 10**7, "kernel": 313 * 10**7,
             "idle": 40000 * 10**7, "iowait": 50 * 10**7},
            resources.cpu_times(STAT))

    def test_the_clock(self):
        self.assertEqual(2445, resources.mhz(CPUINFO))
        self.assertEqual(0, resources.mhz("processor : 0\n"))

    def test_this_machine_has_them(self):
        found = resources.cpu_stats()
        self.assertEqual({"kernel", "user", "idle", "iowait", "frequency"},
                         set(found))
        self.assertGreater(found["idle"], 10**9)
