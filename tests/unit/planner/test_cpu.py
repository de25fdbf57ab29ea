"""guest-config B11, C1-C5, C7-C9."""

import unittest

from nova import exception as nova_exception
from nova.virt.libvirt import utils as in_tree

from nova_custom_driver import exception
from nova_custom_driver.planner import cpu
from nova_custom_driver.spec import cpu as spec
from nova_custom_driver.spec import cpu_trait
from tests.unit.planner import factories

AVX2 = "trait:HW_CPU_X86_AVX2"


def a_cpu(**changes):
    return factories.a_plan(**changes).cpu


class ModeTest(unittest.TestCase):

    def mode(self, configured, **facts):
        return cpu.cpu_mode(configured, factories.a_domain_facts(**facts))

    def test_the_hosts_model_by_default(self):
        self.assertIs(spec.Mode.HOST_MODEL, self.mode(None))

    def test_aarch64_cannot_name_its_model(self):
        self.assertIs(spec.Mode.HOST_PASSTHROUGH,
                      self.mode(None, arch="aarch64"))

    def test_as_configured(self):
        for mode in spec.Mode:
            self.assertIs(mode, self.mode(str(mode)))
        self.assertIsNone(self.mode("none"))

    def test_refuses_what_the_host_cannot(self):
        with self.assertRaisesRegex(exception.UnsupportedConfiguration,
                                    "cpu_mode=host-model.*custom, maximum"):
            self.mode(None, cpu_modes=frozenset(["maximum", "custom"]))


class ModelTest(unittest.TestCase):
    MODELS = ("penryn", "SandyBridge", "haswell-noTSX")
    FLAGS = {"penryn": frozenset(), "SandyBridge": frozenset(["avx"]),
             "haswell-noTSX": frozenset(["avx", "avx2"])}

    def model(self, *, models=MODELS, **extra_specs):
        return a_cpu(
            settings={"cpu_mode": "custom", "cpu_models": models},
            model_flags=self.FLAGS, extra_specs=extra_specs).model

    def test_the_first_in_libvirts_spelling(self):
        self.assertEqual("Penryn", self.model())

    def test_the_cheapest_with_the_required_flags(self):
        self.assertEqual("Haswell-noTSX", self.model(**{AVX2: "required"}))
        self.assertEqual("SandyBridge", self.model(
            **{"trait2:HW_CPU_X86_AVX": "required"}))

    def test_forbidden_traits_choose_nothing(self):
        self.assertEqual("Penryn", self.model(**{AVX2: "forbidden"}))

    def test_refuses_flags_that_no_model_has(self):
        with self.assertRaisesRegex(nova_exception.InvalidCPUInfo,
                                    "cpu_models.*avx512f"):
            self.model(**{"trait:HW_CPU_X86_AVX512F": "required"})

    def test_refuses_a_model_the_host_lacks(self):
        with self.assertRaisesRegex(nova_exception.InvalidCPUInfo, "Zen"):
            self.model(models=("Zen",))

    def test_traits_do_not_touch_other_modes(self):
        found = a_cpu(extra_specs={AVX2: "required"})
        self.assertEqual((spec.Mode.HOST_MODEL, None),
                         (found.mode, found.model))

    def test_aarch64_takes_the_most(self):
        found = a_cpu(
            host=factories.a_host(arch="aarch64"),
            domain=factories.a_domain_facts(
                arch="aarch64", cpu_models=frozenset(["max"])),
            settings={"cpu_mode": "custom"})
        self.assertEqual("max", found.model)

    def test_other_traits_stand_for_no_flag(self):
        self.assertEqual(frozenset(["aes", "pni"]), cpu.required_flags({
            "trait:HW_CPU_X86_AESNI": "required",
            "trait:HW_CPU_X86_SSE3": "required",
            "trait:CUSTOM_GOLD": "required", "hw:traits": "required"}))

    def test_every_trait_of_the_in_tree_driver_is_known(self):
        self.assertLessEqual(set(in_tree.TRAITS_CPU_MAPPING),
                             set(cpu_trait.FLAGS))


class FlagsTest(unittest.TestCase):

    def test_added_and_taken_once_each(self):
        found = a_cpu(settings={"cpu_extra_flags": (
            "pcid", "+ssbd", "-mpx", "pcid")})
        self.assertEqual(
            (spec.Feature(name="pcid"), spec.Feature(name="ssbd"),
             spec.Feature(name="mpx", policy=spec.Policy.DISABLE)),
            found.features)

    def test_none_without_a_model(self):
        self.assertEqual((), a_cpu(settings={
            "cpu_mode": "none", "cpu_extra_flags": ("pcid",)}).features)


class EmulatedTest(unittest.TestCase):

    def test_each_architecture_its_model(self):
        for arch, mode, model in (
                ("aarch64", spec.Mode.CUSTOM, "cortex-a57"),
                ("ppc64le", spec.Mode.CUSTOM, "POWER8"),
                ("ppc64", None, None)):
            with self.subTest(arch=arch):
                found = a_cpu(
                    image={"hw_emulation_architecture": arch},
                    settings={"cpu_mode": "host-passthrough",
                              "cpu_extra_flags": ("pcid",)},
                    domain=factories.a_domain_facts(
                        arch=arch, virt_type="qemu",
                        cpu_modes=frozenset(["maximum", "custom"])))
                self.assertEqual(
                    spec.Cpu(mode=mode, model=model, topology=spec.Topology(
                        sockets=2, cores=1, threads=1)), found)

    def test_libvirt_is_told_nothing_of_a_mipsel(self):
        """guest-config B11."""
        self.assertIsNone(a_cpu(domain=factories.a_domain_facts(
            arch="mipsel", virt_type="qemu")))


class AddressWidthTest(unittest.TestCase):
    """guest-config C6."""

    def width(self, **changes):
        found = a_cpu(**changes).address_width
        return found and (found.mode.value, found.bits)

    def test_of_flavor_and_image(self):
        flavor = {"hw:maxphysaddr_mode": "emulate",
                  "hw:maxphysaddr_bits": "42"}
        image = {"hw_maxphysaddr_mode": "passthrough"}
        self.assertIsNone(self.width())
        self.assertEqual(("emulate", 42), self.width(extra_specs=flavor))
        self.assertEqual(("passthrough", None), self.width(image=image))
        self.assertEqual(("emulate", 42),
                         self.width(extra_specs=flavor, image=image))

    def test_of_an_emulated_processor(self):
        self.assertEqual(("emulate", 40), self.width(
            image={"hw_emulation_architecture": "aarch64",
                   "hw_maxphysaddr_mode": "emulate",
                   "hw_maxphysaddr_bits": 40},
            domain=factories.a_domain_facts(arch="aarch64",
                                            virt_type="qemu")))

    def test_what_is_no_width(self):
        for extra_specs in (
                {"hw:maxphysaddr_mode": "guess"},
                {"hw:maxphysaddr_mode": "emulate",
                 "hw:maxphysaddr_bits": "many"}):
            with self.assertRaises(exception.InvalidGuestRequest):
                self.width(extra_specs=extra_specs)


class TopologyTest(unittest.TestCase):

    def test_sockets_before_cores_before_threads(self):
        self.assertEqual(
            spec.Topology(sockets=4, cores=1, threads=1),
            a_cpu(flavor={"vcpus": 4}).topology)

    def test_flavor_and_image_together(self):
        self.assertEqual(
            spec.Topology(sockets=2, cores=2, threads=2),
            a_cpu(flavor={"vcpus": 8},
                  extra_specs={"hw:cpu_max_sockets": "2"},
                  image={"hw_cpu_threads": "2"}).topology)

    def test_refuses_more_than_the_flavor_allows(self):
        most = {"hw:cpu_max_threads": "1"}
        for wish, error in (
                ("hw_cpu_threads",
                 nova_exception.ImageVCPUTopologyRangeExceeded),
                ("hw_cpu_max_threads",
                 nova_exception.ImageVCPULimitsRangeExceeded)):
            with self.subTest(wish=wish), self.assertRaises(error):
                a_cpu(extra_specs=most, image={wish: "2"})

    def test_refuses_limits_that_all_processors_do_not_fit_in(self):
        with self.assertRaises(
                nova_exception.ImageVCPULimitsRangeImpossible):
            a_cpu(flavor={"vcpus": 4}, extra_specs={
                f"hw:cpu_max_{part}": "1"
                for part in ("sockets", "cores", "threads")})

    def test_refuses_what_is_no_number(self):
        with self.assertRaisesRegex(nova_exception.InvalidRequest, "many"):
            a_cpu(extra_specs={"hw:cpu_sockets": "many"})


class TuningTest(unittest.TestCase):

    def test_nothing_unless_asked(self):
        self.assertIsNone(factories.a_plan().cpu_tuning)
        self.assertIsNone(factories.a_plan(
            host=factories.a_host(cpu_cgroup=False)).cpu_tuning)

    def test_as_asked(self):
        self.assertEqual(
            spec.Tuning(shares=2048, quota=25000),
            factories.a_plan(extra_specs={
                "quota:cpu_shares": "2048",
                "quota:cpu_quota": "25000"}).cpu_tuning)

    def test_refused_without_the_control_group(self):
        with self.assertRaises(
                nova_exception.UnsupportedHostCPUControlPolicy):
            factories.a_plan(host=factories.a_host(cpu_cgroup=False),
                             extra_specs={"quota:cpu_period": "1000"})

    def test_refuses_what_is_no_number(self):
        with self.assertRaisesRegex(exception.InvalidGuestRequest,
                                    "quota:cpu_shares=many"):
            factories.a_plan(extra_specs={"quota:cpu_shares": "many"})


class FlavorOrImageTest(unittest.TestCase):

    def test_performance_monitor(self):
        for specs, image, expected in (
                ({}, {}, None), ({"hw:pmu": "true"}, {}, True),
                ({}, {"hw_pmu": "false"}, False)):
            with self.subTest(specs=specs, image=image):
                self.assertIs(expected, factories.a_plan(
                    extra_specs=specs, image=image).features.pmu)

    def test_performance_monitor_disputed(self):
        with self.assertRaises(nova_exception.FlavorImageConflict):
            factories.a_plan(extra_specs={"hw:pmu": "true"},
                             image={"hw_pmu": "false"})

    def test_hypervisor_hidden_by_any_of_three(self):
        for specs, image, expected in (
                ({}, {}, False), ({"hw:hide_hypervisor_id": "no"}, {}, False),
                ({"hw:hide_hypervisor_id": "true"}, {}, True),
                ({"hide_hypervisor_id": "true"}, {}, True),
                ({}, {"img_hide_hypervisor_id": "true"}, True)):
            with self.subTest(specs=specs, image=image):
                self.assertIs(expected, factories.a_plan(
                    extra_specs=specs, image=image).features.hidden)
