"""placement-reporting T1 to T12; driver-contract C1 to C27."""

import unittest

from nova.virt import driver as nova_driver
from nova.virt.libvirt import utils as in_tree
import os_traits

from nova_custom_driver.spec import cpu_trait
from nova_custom_driver.virt.ops import traits
from tests.unit.virt.ops import factories


class CapabilitiesTest(unittest.TestCase):

    def test_only_what_works_is_promised(self):
        """driver-contract C2, C5, C10, C24, C25."""
        self.assertEqual(
            {"supports_evacuate", "supports_device_tagging",
             "supports_tagged_attach_volume", "supports_bfv_rescue",
             "supports_trusted_certs", "supports_image_type_raw",
             "supports_image_type_iso", "supports_image_type_aki",
             "supports_image_type_ari", "supports_image_type_ami",
             "supports_image_type_qcow2"},
            {name for name, has in traits.capabilities().items() if has})

    def test_everything_nova_asks_for_is_answered(self):
        """A trait an earlier driver left must not stay for want of one."""
        asked = {*nova_driver.ComputeDriver.capabilities,
                 *nova_driver.CAPABILITY_TRAITS_MAP}
        self.assertEqual(asked, set(traits.capabilities()))


class TraitsTest(unittest.TestCase):

    def traits(self, *, domains=None, flags=(), virt_type="kvm", **host):
        return traits.traits(
            factories.host_facts(**host),
            domains or (factories.domain_facts(),),
            factories.guest_settings(virt_type=virt_type), frozenset(flags))

    def having(self, prefix, **changes):
        return {name.removeprefix(prefix)
                for name, has in self.traits(**changes).items()
                if has and name.startswith(prefix)}

    def test_placement_knows_them_all(self):
        found = self.traits()
        _known, unknown = os_traits.check_traits(found)
        self.assertEqual(set(), unknown)

    def test_flags_of_the_processor(self):
        """placement-reporting T1."""
        found = self.traits(flags=("aes", "vmx", "pni", "avx512vnni"))
        self.assertTrue(found["HW_CPU_X86_AESNI"])
        self.assertTrue(found["HW_CPU_X86_VMX"])
        self.assertTrue(found["HW_CPU_X86_INTEL_VMX"])
        self.assertTrue(found["HW_CPU_X86_AVX512VNNI"])
        self.assertFalse(found["HW_CPU_X86_AVX2"])

    def test_sse3_is_called_pni(self):
        """placement-reporting T1: never found by the in-tree driver."""
        self.assertTrue(self.traits(flags=("pni",))["HW_CPU_X86_SSE3"])

    def test_the_same_flags_as_in_tree(self):
        """placement-reporting T1: but for sse3."""
        expected = {
            trait: flag for flag, names in in_tree.CPU_TRAITS_MAPPING.items()
            for trait in (names if isinstance(names, tuple) else (names,))}
        expected[os_traits.HW_CPU_X86_SSE3] = "pni"
        self.assertEqual(expected, cpu_trait.FLAGS)

    def test_hyperthreading(self):
        """placement-reporting T2."""
        for has_smt in (True, False):
            self.assertIs(has_smt, self.traits(
                has_smt=has_smt)["HW_CPU_HYPERTHREADING"])

    def test_architecture_of_the_host(self):
        """placement-reporting T3."""
        self.assertEqual({"AARCH64"},
                         self.having("HW_ARCH_", arch="aarch64"))

    def test_architectures_of_guests(self):
        """placement-reporting T4."""
        self.assertEqual({"X86_64", "S390X"}, self.having(
            "COMPUTE_ARCH_", guests=(
                factories.guest_arch(), factories.guest_arch("i686"),
                factories.guest_arch("s390x"))))
        self.assertIs(False, self.traits()["COMPUTE_ARCH_AARCH64"])

    def test_buses_of_all_machines(self):
        """placement-reporting T6."""
        self.assertEqual({"VIRTIO", "IDE", "SATA"}, self.having(
            "COMPUTE_STORAGE_BUS_", domains=(
                factories.domain_facts(buses=("virtio", "ide")),
                factories.domain_facts(buses=("virtio", "sata")))))
        self.assertIs(False, self.traits()["COMPUTE_STORAGE_BUS_XEN"])

    def test_video_models_of_all_machines(self):
        """placement-reporting T7."""
        self.assertEqual({"VGA", "QXL", "BOCHS"}, self.having(
            "COMPUTE_GRAPHICS_MODEL_", domains=(
                factories.domain_facts(videos=("vga", "qxl")),
                factories.domain_facts(videos=("bochs",)))))
        self.assertIs(False, self.traits()["COMPUTE_GRAPHICS_MODEL_GOP"])

    def test_models_of_interfaces(self):
        """placement-reporting T8."""
        kvm = {"VIRTIO", "NE2K_PCI", "PCNET", "RTL8139", "E1000", "E1000E",
               "SPAPR_VLAN", "VMXNET3", "IGB"}
        self.assertEqual(kvm, self.having("COMPUTE_NET_VIF_MODEL_"))
        self.assertEqual(
            kvm | {"LAN9118"},
            self.having("COMPUTE_NET_VIF_MODEL_", virt_type="qemu"))

    def test_igb_needs_newer_libvirt_and_qemu(self):
        """placement-reporting T8."""
        for old in ({"libvirt_version": 9_002_999},
                    {"qemu_version": 7_002_999}):
            self.assertIs(
                False, self.traits(**old)["COMPUTE_NET_VIF_MODEL_IGB"])
        self.assertTrue(self.traits(
            libvirt_version=9_003_000,
            qemu_version=8_000_000)["COMPUTE_NET_VIF_MODEL_IGB"])

    def test_firmwares_of_the_host_s_own_architecture(self):
        domains = (factories.domain_facts(firmwares=frozenset(("bios",))),
                   factories.domain_facts(arch="aarch64"))
        self.assertEqual({"BIOS"}, self.having("COMPUTE_FIRMWARE_",
                                               domains=domains))

    def test_an_operator_s_traits_are_not_spoken_of(self):
        """placement-reporting A6."""
        self.assertEqual([], [name for name in self.traits()
                              if name.startswith("CUSTOM_")])


class GuestCpuFlagsTest(unittest.TestCase):
    """placement-reporting T1."""

    def flags(self, *, models=None, **settings):
        return traits.guest_cpu_flags(
            factories.host_facts(features=("aes", "avx")),
            factories.domain_facts(), factories.guest_settings(**settings),
            {name: frozenset(flags)
             for name, flags in (models or {}).items()})

    def test_the_host_s_where_guests_get_its_model(self):
        for mode in ("host-model", "host-passthrough"):
            self.assertEqual({"aes", "avx"}, self.flags(cpu_mode=mode))

    def test_those_of_the_models_configured(self):
        self.assertEqual({"sse2", "fma"}, self.flags(
            cpu_mode="custom", cpu_models=("A", "B"),
            models={"A": {"sse2"}, "B": {"sse2", "fma"}}))

    def test_those_of_the_default_model(self):
        self.assertEqual({"sse2"}, self.flags(
            cpu_mode="none", models={"qemu64": {"sse2"}}))

    def test_flags_added_and_taken_away(self):
        """A flag taken away is not one more: a bug of the in-tree driver."""
        self.assertEqual({"avx", "pcid", "ssbd"}, self.flags(
            cpu_mode="host-model",
            cpu_extra_flags=("pcid", "+ssbd", "-aes", "-mpx")))
