"""placement-reporting R7, E1 to E5."""

import unittest

from nova_custom_driver.spec import host
from nova_custom_driver.virt.ops import memory_encryption
from tests.unit.virt.ops import factories

SEV = host.Sev(c_bit=51, reduced_bits=1, max_guests=410, max_es_guests=99)


class ChildrenTest(unittest.TestCase):

    def slots(self, *enabled, sev=SEV, tdx=False, launch=(), tdx_guests=None,
              kernel_tdx=None, cpu_mode=None, **facts):
        return {child.name: child.total for child in self.children(
            host.KernelEncryption(enabled=frozenset(enabled),
                                  tdx_guests=kernel_tdx),
            factories.domain_facts(sev=sev, tdx=tdx,
                                   launch_security=frozenset(launch)),
            cpu_mode, tdx_guests, **facts) if child.total}

    def children(self, kernel, domain, cpu_mode=None, tdx_guests=None,
                 **facts):
        return memory_encryption.children(
            factories.host_facts(kernel_encryption=kernel, **facts),
            (factories.domain_facts(), domain), cpu_mode, tdx_guests)

    def test_sev(self):
        """placement-reporting E1: on one machine of several is enough."""
        self.assertEqual({"amd_sev": 410}, self.slots("sev"))
        self.assertEqual({}, self.slots())
        self.assertEqual({}, self.slots("sev", sev=None))
        self.assertEqual({}, self.slots("sev", arch="aarch64"))

    def test_sev_es(self):
        """placement-reporting E2."""
        self.assertEqual({"amd_sev": 410, "amd_sev_es": 99},
                         self.slots("sev", "sev_es"))
        self.assertEqual({"amd_sev": 410}, self.slots(
            "sev", "sev_es", qemu_version=7_002_000))
        self.assertEqual({}, self.slots("sev_es"))

    def test_sev_snp(self):
        """placement-reporting E2, E3: it takes the place of SEV-ES."""
        enabled = ("sev", "sev_es", "sev_snp")
        self.assertEqual({"amd_sev": 410, "amd_sev_snp": 99},
                         self.slots(*enabled, launch=("sev", "sev-snp")))
        self.assertEqual({"amd_sev": 410},
                         self.slots(*enabled, launch=("sev",)))

    def test_tdx(self):
        """placement-reporting E4."""
        passthrough = {"sev": None, "tdx": True,
                       "cpu_mode": "host-passthrough"}
        self.assertEqual({"intel_tdx": 31},
                         self.slots(kernel_tdx=31, **passthrough))
        self.assertEqual({"intel_tdx": 8}, self.slots(
            kernel_tdx=31, tdx_guests=8, **passthrough))
        self.assertEqual({"intel_tdx": 8},
                         self.slots(tdx_guests=8, **passthrough))
        self.assertEqual({}, self.slots(**passthrough))
        self.assertEqual({}, self.slots(
            kernel_tdx=31, sev=None, tdx=True, cpu_mode="host-model"))
        self.assertEqual({}, self.slots(
            kernel_tdx=31, sev=None, cpu_mode="host-passthrough"))

    def test_traits(self):
        """placement-reporting R7, E5: one guest, one context."""
        children = {child.name: child for child in self.children(
            host.KernelEncryption(enabled=frozenset(("sev",))),
            factories.domain_facts(sev=SEV))}
        self.assertEqual({"HW_CPU_X86_AMD_SEV"}, children["amd_sev"].traits)
        self.assertEqual(1, children["amd_sev"].max_unit)
        self.assertEqual("MEM_ENCRYPTION_CONTEXT",
                         children["amd_sev"].resource_class)
        self.assertEqual({
            "HW_CPU_X86_AMD_SEV", "HW_CPU_X86_AMD_SEV_ES",
            "HW_CPU_X86_AMD_SEV_SNP", "HW_CPU_X86_INTEL_TDX"},
            {trait for child in children.values() for trait in child.traits})
