"""placement-reporting R1 to R7, U1 to U5, E1 to E5, T1 to T12, G1 to G13.

The in-tree driver and ours are asked about the same host.
"""

import json
import pathlib
import tempfile
import unittest
from unittest import mock

from nova import objects
from nova.compute import provider_tree
import nova.conf
from nova.virt import node
from nova.virt.libvirt import driver as in_tree
from nova.virt.libvirt import host as in_tree_host
import os_traits

from nova_custom_driver.planner import refusals
from nova_custom_driver.spec import host as host_spec
from nova_custom_driver.virt import driver
from nova_custom_driver.virt.host import devices
from nova_custom_driver.virt.host import hypervisor
from nova_custom_driver.virt.host import memory_encryption
from nova_custom_driver.virt.host import pmem
from tests.hosts import connection
from tests.unit.virt.host import factories as host_factories
from tests.unit.virt.ops import factories

CONF = nova.conf.CONF
NODE, ROOT = "compute-1", factories.UUID
SEV = """
<sev supported='yes'><cbitpos>51</cbitpos>
<reducedPhysBits>1</reducedPhysBits><maxGuests>410</maxGuests>
<maxESGuests>99</maxESGuests></sev>
"""
SNP = SEV + """
<launchSecurity supported='yes'><enum name='sectype'>
<value>sev</value><value>sev-es</value><value>sev-snp</value></enum>
</launchSecurity>
"""
# What we report and it does not, and why.
MORE_TRAITS = {
    "COMPUTE_FIRMWARE_BIOS": "a trait nobody else reports",
    "COMPUTE_FIRMWARE_UEFI": "a trait nobody else reports",
    "HW_CPU_X86_SSE3": "libvirt calls it pni, which it does not look for",
}
# Not of the host, or told apart by when it is asked.
OF_THE_MOMENT = frozenset(("stats", "memory_mb_used", "local_gb_used",
                           "disk_available_least", "uuid"))


class Call:
    """Our connection, with the facts behind it."""

    generation = 1
    devices_seen = None

    def __init__(self, made):
        self._made = made

    def call(self, action, subject, work, *, patient=False):
        return work(self._made)


class ReportTestCase(unittest.TestCase):

    def setUp(self):
        CONF([], project="nova", default_config_files=[])
        self.addCleanup(CONF.reset)
        self.path = pathlib.Path(self.enterContext(
            tempfile.TemporaryDirectory()))
        (self.path / "sev").mkdir()
        for name in ("instances_path", "state_path"):
            self.option(None, name, str(self.path))
        self.enterContext(mock.patch.object(node, "LOCAL_NODE_UUID", ROOT))
        self.enterContext(mock.patch.object(
            objects.ComputeNode, "get_by_nodename",
            return_value=mock.Mock(numa_topology=None)))
        # What is refused today is promised once it is not.
        self.enterContext(mock.patch.object(refusals, "REFUSED", ()))
        self.enterContext(mock.patch.object(
            in_tree_host, "SEV_KERNEL_PARAM_FILE",
            str(self.path / "sev" / "%s")))
        self.capacity = self.path / "misc.capacity"
        self.enterContext(mock.patch.object(
            in_tree_host, "MISC_CONTROL_GROUP_CAPACITY_FILE",
            str(self.capacity)))
        kernel = memory_encryption.kernel
        self.enterContext(mock.patch.object(
            memory_encryption, "kernel",
            lambda: kernel(self.path / "sev", self.capacity)))

    def option(self, group, name, value):
        CONF.set_override(name, value, group)
        self.addCleanup(CONF.clear_override, name, group)

    def enable(self, *flags):
        for flag in flags:
            (self.path / "sev" / flag).write_text("Y\n")

    def in_tree(self, made):
        found = in_tree.LibvirtDriver(mock.Mock())
        found._host.get_connection = lambda: made
        return found

    def ours(self, made):
        host = hypervisor.LibvirtHypervisor(host_factories.host_settings())
        host._connection = Call(made)
        host._devices = devices.NodeDevices(host._connection)
        host.usage = lambda: host_spec.Usage(
            memory_total_mib=made.memory_mib, memory_used_mib=1024,
            online_cpus=made.online,
            present_cpus=frozenset(range(made.present)))
        found = driver.CustomDriver(mock.Mock())
        found._hands = found._make_hands(NODE, host, ())
        return found


class ProviderTreeTest(ReportTestCase):

    def check(self, **facts):
        """Both make the same tree of an empty one."""
        made = connection.Connection(**facts)
        theirs = self.tree(self.in_tree(made))
        ours = self.tree(self.ours(made))
        for name in MORE_TRAITS:
            ours[NODE]["traits"].discard(name)
        self.maxDiff = None
        self.assertEqual(theirs, ours)
        return ours

    def tree(self, asked, traits=()):
        tree = provider_tree.ProviderTree()
        tree.new_root(NODE, ROOT, generation=1)
        tree.add_traits(NODE, *traits)
        asked.update_provider_tree(tree, NODE)
        return {found.name: {"inventory": found.inventory,
                             "traits": set(found.traits),
                             "resources": {
                                 name: {(each.identifier, each.provider_uuid)
                                        for each in resources}
                                 for name, resources
                                 in (found.resources or {}).items()}}
                for found in map(tree.data, tree.get_provider_uuids(NODE))}

    def test_by_default(self):
        self.check()

    def test_processors(self):
        """placement-reporting R2, R3, U2, U3."""
        self.option("compute", "cpu_shared_set", "0-3")
        self.option("compute", "cpu_dedicated_set", "8-11,15")
        found = self.check()
        self.assertEqual(5, found[NODE]["inventory"]["PCPU"]["total"])

    def test_dedicated_processors_alone(self):
        """placement-reporting R2, U2, U5."""
        self.option("compute", "cpu_dedicated_set", "8-11")
        self.assertNotIn("VCPU", self.check()[NODE]["inventory"])

    def test_the_old_option(self):
        """placement-reporting U1."""
        self.option(None, "vcpu_pin_set", "1-2")
        self.option("compute", "cpu_shared_set", "0-7")
        self.check()

    def test_what_is_reserved(self):
        """placement-reporting R1, R2, R4."""
        for name, value in (("reserved_host_memory_mb", 2048),
                            ("reserved_host_cpus", 2),
                            ("reserved_host_disk_mb", 1500),
                            ("ram_allocation_ratio", 1.5),
                            ("initial_cpu_allocation_ratio", 8.0)):
            self.option(None, name, value)
        self.check()

    def test_bases_have_their_room(self):
        """placement-reporting R4."""
        self.option("workarounds", "reserve_disk_resource_for_image_cache",
                    True)
        (self.path / "_base").mkdir()
        (self.path / "_base" / "base").write_bytes(b"x" * 8192)
        self.check()

    def test_virtual_gpus(self):
        """placement-reporting R6."""
        self.option("devices", "enabled_mdev_types", ["nvidia-35"])
        # It stumbles over the last one, which is no hardware.
        found = self.check(devices="graphics-cards", without=("mtty_mtty",))
        self.assertEqual(
            16, found[f"{NODE}_pci_0000_84_00_0"]["inventory"]["VGPU"][
                "total"])

    def test_persistent_memory(self):
        """placement-reporting R5."""
        self.option("libvirt", "pmem_namespaces", ["4GB:ns_0|ns_1"])
        self.enterContext(mock.patch.object(
            pmem.privileged, "get_pmem_namespaces", return_value=json.dumps([
                {"name": name, "size": 1 << 32, "daxregion": {
                    "align": 1 << 21, "devices": [{"chardev": name}]}}
                for name in ("ns_0", "ns_1")])))
        found = self.check()
        self.assertEqual(2, len(found[NODE]["resources"][
            "CUSTOM_PMEM_NAMESPACE_4GB"]))

    def test_sev(self):
        """placement-reporting R7, E1, E5."""
        self.enable("sev")
        self.assertIn(f"{NODE}_amd_sev", self.check(features=SEV))

    def test_sev_es(self):
        """placement-reporting E2."""
        self.enable("sev", "sev_es")
        self.assertIn(f"{NODE}_amd_sev_es", self.check(features=SEV))
        self.check(features=SEV, qemu_version=7_002_000)

    def test_sev_snp(self):
        """placement-reporting E2, E3."""
        self.enable("sev", "sev_es", "sev_snp")
        found = self.check(features=SNP)
        self.assertIn(f"{NODE}_amd_sev_snp", found)
        self.assertNotIn(f"{NODE}_amd_sev_es", found)

    def test_tdx(self):
        """placement-reporting E4."""
        self.option("libvirt", "cpu_mode", "host-passthrough")
        self.capacity.write_text("tdx 31\n")
        found = self.check(features="<tdx supported='yes'/>")
        self.assertEqual(31, found[f"{NODE}_intel_tdx"]["inventory"][
            "MEM_ENCRYPTION_CONTEXT"]["total"])
        self.option("libvirt", "num_intel_tdx_guests", 8)
        self.check(features="<tdx supported='yes'/>")

    def test_processors_as_guests_see_them(self):
        """placement-reporting T1."""
        for mode, models, flags in (
                ("host-model", [], ["pcid", "tbm"]),
                ("host-passthrough", [], []), ("none", [], []),
                ("custom", ["EPYC", "Icelake-Server-noTSX"], ["+xop"])):
            with self.subTest(mode=mode):
                self.option("libvirt", "cpu_mode", mode)
                self.option("libvirt", "cpu_models", models)
                self.option("libvirt", "cpu_model_extra_flags", flags)
                self.check()

    def test_emulated_processors(self):
        """placement-reporting T1, T4, T6, T7."""
        self.option("libvirt", "virt_type", "qemu")
        self.option("libvirt", "cpu_mode", "none")
        self.check(virt_types=("qemu",))

    def test_old_libvirt_and_qemu(self):
        """placement-reporting T8, T9, T12."""
        self.check(libvirt_version=8_000_000, qemu_version=6_002_000)

    def test_tpm(self):
        """placement-reporting T10, T11."""
        self.option("libvirt", "swtpm_enabled", True)
        self.check()
        self.option("libvirt", "supported_tpm_secret_security", ["host"])
        self.check()

    def test_what_stood_there_before(self):
        """placement-reporting A6, T4, T11: what this host cannot do is taken
        away, where it was the driver that had said so.
        """
        made = connection.Connection()
        every = os_traits.get_traits()
        theirs = self.tree(self.in_tree(made), every)[NODE]["traits"]
        ours = self.tree(self.ours(made), every)[NODE]["traits"]
        self.assertEqual(set(), ours - theirs)
        self.assertEqual(
            {"COMPUTE_SECURITY_TPM_SECRET_SECURITY_USER",
             "COMPUTE_SECURITY_TPM_SECRET_SECURITY_HOST",
             "COMPUTE_SECURITY_TPM_SECRET_SECURITY_DEPLOYMENT",
             "COMPUTE_ARCH_AARCH64", "COMPUTE_ARCH_PPC64LE",
             "COMPUTE_ARCH_S390X", "COMPUTE_ARCH_MIPSEL",
             "COMPUTE_ARCH_RISCV64"}, theirs - ours)


class AvailableResourceTest(ReportTestCase):
    """placement-reporting G1 to G13."""

    def check(self, **facts):
        made = connection.Connection(**facts)
        ours = self.plain(self.ours(made).get_available_resource(NODE))
        theirs = self.plain(self.in_tree(made).get_available_resource(NODE))
        self.maxDiff = None
        self.assertEqual(theirs, ours)

    def plain(self, found):
        found = {name: value for name, value in found.items()
                 if name not in OF_THE_MOMENT}
        found["supported_instances"] = sorted(
            map(tuple, found["supported_instances"]))
        found["cpu_info"] = json.loads(found["cpu_info"])
        found["cpu_info"]["features"].sort()
        found["pci_passthrough_devices"] = json.loads(
            found["pci_passthrough_devices"])
        # Compared where they are made.
        found["numa_topology"] = len(json.loads(
            found["numa_topology"])["nova_object.data"]["cells"])
        return found

    def test_by_default(self):
        self.check()

    def test_processors(self):
        """placement-reporting U5."""
        self.option("compute", "cpu_shared_set", "0-3")
        self.option("compute", "cpu_dedicated_set", "8-11,15")
        self.check()

    def test_devices(self):
        """placement-reporting G12."""
        self.check(devices="graphics-cards")

    def test_the_keys_are_the_same(self):
        made = connection.Connection()
        self.assertEqual(
            set(self.in_tree(made).get_available_resource(NODE)),
            set(self.ours(made).get_available_resource(NODE)))
