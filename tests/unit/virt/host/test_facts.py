"""What libvirt and the kernel say of a host, as captured from one."""

import pathlib
import tempfile
import unittest

from lxml import etree
from nova import exception as nova_exception

from nova_custom_driver.spec import host
from nova_custom_driver.virt.host import capabilities
from nova_custom_driver.virt.host import domain_capabilities
from nova_custom_driver.virt.host import hypervisor
from nova_custom_driver.virt.host import machine
from tests.hosts import capabilities as hosts
from tests.unit.planner import factories

DATA = pathlib.Path(__file__).parent / "data"


class CapabilitiesTest(unittest.TestCase):

    def setUp(self):
        self.root = etree.parse(DATA / "capabilities.xml").getroot()

    def test_the_host(self):
        """placement G10."""
        cpu = capabilities.host_cpu(self.root)
        self.assertEqual(("x86_64", "Intel", 1), (
            cpu.arch, cpu.vendor, cpu.topology.cells))
        self.assertIn("avx512f", cpu.features)
        self.assertEqual("6f0d54a5-0f50-4f7a-9a0c-6a1a3c5d9e21",
                         capabilities.host_uuid(self.root))

    def test_its_guests(self):
        """placement G1, T4."""
        guests = {guest.arch: guest
                  for guest in capabilities.guests(self.root)}
        self.assertEqual({"i686", "x86_64"}, set(guests))
        self.assertLessEqual({"pc", "q35", "pc-i440fx-7.2"},
                             guests["x86_64"].machines)
        self.assertIn("qemu", guests["x86_64"].virt_types)
        self.assertEqual("hvm", guests["x86_64"].os_type)

    def test_its_nodes(self):
        """placement-reporting G13."""
        first, _second, memory = capabilities.cells(
            etree.fromstring(hosts.document("intel-two-nodes")))
        self.assertEqual((0, 64 << 20), (first.id, first.memory_kib))
        self.assertEqual({4: 11534336, 2048: 8192, 1048576: 4}, first.pages)
        self.assertEqual(8, len(first.threads))
        self.assertEqual(
            host.HostThread(id=9, socket=0, siblings=frozenset((1, 9))),
            first.threads[5])
        self.assertEqual((2, ()), (memory.id, memory.threads))

    def test_width_of_addresses(self):
        """placement-reporting G10."""
        cpu = capabilities.host_cpu(
            etree.fromstring(hosts.document("intel-two-nodes")))
        self.assertEqual(("emulate", 46), (cpu.address_mode,
                                           cpu.address_bits))

    def test_threads_of_one_core(self):
        """placement T2."""
        for cpu in self.root.iterfind("./host/topology/cells/cell/cpus/cpu"):
            cpu.set("siblings", cpu.get("id"))
        self.assertFalse(capabilities.has_smt(self.root))
        cpu.set("siblings", "0-1")
        self.assertTrue(capabilities.has_smt(self.root))

    def test_flags_of_a_model(self):
        xml = ("<cpu><model>m</model><feature policy='require' name='aes'/>"
               "<feature name='avx'/><feature policy='disable' name='vmx'/>"
               "</cpu>")
        self.assertEqual({"aes", "avx"}, capabilities.flags(xml))


class DomainCapabilitiesTest(unittest.TestCase):

    def facts(self, name):
        return domain_capabilities.domain_facts(
            (DATA / f"domain-{name}-qemu.xml").read_text(), "x86_64", "qemu")

    def test_pc_and_q35(self):
        """guest-config D5, F2, G1; placement T6, T7."""
        pc, q35 = self.facts("pc"), self.facts("q35")
        self.assertEqual("pc-i440fx-7.2", pc.machine)
        self.assertEqual("pc-q35-7.2", q35.machine)
        self.assertIn("ide", pc.disk_buses)
        self.assertNotIn("ide", q35.disk_buses)
        for facts in (pc, q35):
            self.assertLessEqual({"virtio", "vga", "none"},
                                 facts.video_models)
            self.assertEqual({"bios", "efi"}, facts.firmwares)
            self.assertLessEqual({"host-model", "custom"}, facts.cpu_modes)
            self.assertIn("qemu64", facts.cpu_models)
            self.assertNotIn("host-passthrough", facts.cpu_modes)
            self.assertIn("vnc", facts.enums["graphics/type"])


class KernelTest(unittest.TestCase):

    def test_memory(self):
        self.assertEqual(
            {"MemTotal": 2048, "Cached": 12},
            machine.memory_kib("MemTotal:  2048 kB\nCached: 12 kB\nOdd:\n"))

    def test_lists_of_numbers(self):
        self.assertEqual({0, 1, 2, 3, 8}, machine.numbers("0-3,8\n"))
        self.assertEqual(set(), machine.numbers("\n"))

    def test_the_cpu_controller(self):
        """guest-config C9."""
        with tempfile.TemporaryDirectory() as name:
            root = pathlib.Path(name)
            self.assertFalse(machine.has_cpu_cgroup(root))
            (root / "cgroup.controllers").write_text("cpuset memory\n")
            self.assertFalse(machine.has_cpu_cgroup(root))
            (root / "cgroup.controllers").write_text("cpuset cpu\n")
            self.assertTrue(machine.has_cpu_cgroup(root))
            (root / "cgroup.controllers").unlink()
            (root / "cpu,cpuacct").mkdir()
            self.assertTrue(machine.has_cpu_cgroup(root))


class VersionsTest(unittest.TestCase):
    """driver-contract S1."""

    def test_too_old(self):
        for changes, words in (
                ({"libvirt_version": 7_999_000}, "libvirt 8.0.0"),
                ({"qemu_version": 6_001_050}, "QEMU 6.2.0")):
            with self.assertRaisesRegex(
                    nova_exception.InternalError, words):
                hypervisor.check_versions(factories.a_host(**changes))

    def test_old_enough_to_be_told(self):
        with self.assertLogs(hypervisor.LOG.logger, "WARNING") as logs:
            hypervisor.check_versions(factories.a_host(
                libvirt_version=9_000_000, qemu_version=8_002_002))
        self.assertEqual(1, len(logs.records))
