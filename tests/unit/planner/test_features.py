"""guest-config B8, C8, C20, C21, C23, H2-H6."""

import unittest

import libvirt

from nova_custom_driver.planner import features
from nova_custom_driver.spec import guest as spec
from tests.unit.planner import factories

WINDOWS = {"os_type": "windows"}
PIT = spec.Timer(name="pit", tickpolicy="delay")
RTC = spec.Timer(name="rtc", tickpolicy="catchup")


def qemu():
    return factories.a_domain_facts(virt_type="qemu")


class FeaturesTest(unittest.TestCase):

    def test_plain(self):
        self.assertEqual(
            spec.Features(acpi=True, apic=True, vmcoreinfo=True),
            factories.a_plan().features)

    def test_apic_taken_away(self):
        self.assertFalse(factories.a_plan(
            settings={"disable_apic": True}).features.apic)

    def test_vmcoreinfo_is_of_x86_and_arm(self):
        for arch, expected in (("aarch64", True), ("ppc64le", False)):
            self.assertIs(expected, factories.a_plan(
                image={"hw_emulation_architecture": arch},
                domain=factories.a_domain_facts(
                    arch=arch, virt_type="qemu")).features.vmcoreinfo)

    def test_windows(self):
        found = factories.a_plan(instance=WINDOWS).features
        self.assertTrue(found.hyperv)
        self.assertIsNone(found.hyperv_vendor_id)

    def test_windows_that_must_not_notice(self):
        found = factories.a_plan(
            instance=WINDOWS,
            extra_specs={"hw:hide_hypervisor_id": "true"}).features
        self.assertTrue(found.hidden)
        self.assertEqual("1234567890ab", found.hyperv_vendor_id)

    def test_the_vendor_id_is_for_windows(self):
        found = factories.a_plan(
            extra_specs={"hw:hide_hypervisor_id": "true"}).features
        self.assertEqual((True, False, None), (
            found.hidden, found.hyperv, found.hyperv_vendor_id))

    def test_the_cache_of_translated_code_is_tcgs(self):
        for domain, size, expected in (
                (qemu(), 128, 128), (qemu(), 0, None), (qemu(), None, None),
                (factories.a_domain_facts(), 128, None)):
            self.assertEqual(expected, factories.a_plan(
                domain=domain,
                settings={"tb_cache_mib": size}).features.tb_cache_mib)


class ClockTest(unittest.TestCase):

    def test_kvm(self):
        self.assertEqual(
            spec.Clock(offset="utc", timers=(
                PIT, RTC, spec.Timer(name="hpet", present=False))),
            factories.a_plan().clock)

    def test_timers_are_kvms(self):
        self.assertEqual(spec.Clock(offset="utc"),
                         factories.a_plan(domain=qemu()).clock)

    def test_windows(self):
        self.assertEqual(
            spec.Clock(offset="localtime", timers=(
                PIT, RTC, spec.Timer(name="hpet", present=True),
                spec.Timer(name="hypervclock", present=True))),
            factories.a_plan(instance=WINDOWS,
                             image={"hw_time_hpet": "true"}).clock)

    def test_hpet_is_x86s(self):
        with self.assertLogs(features.__name__, "WARNING"):
            found = features.clock(
                factories.a_request(image={"hw_time_hpet": "true"}),
                "aarch64", "kvm")
        self.assertEqual((PIT, RTC), found.timers)


class PerfEventsTest(unittest.TestCase):

    def test_known_ones_once_each(self):
        with self.assertLogs(features.__name__, "WARNING") as logs:
            found = features.perf_events(factories.guest_settings(
                perf_events=("cpu_cycles", "cmt", "x", "cpu_cycles")))
        self.assertEqual(("cpu_cycles",), found)
        self.assertEqual(2, len(logs.records))

    def test_are_those_of_libvirt(self):
        known = {name.removeprefix("VIR_PERF_PARAM_").lower()
                 for name in dir(libvirt)
                 if name.startswith("VIR_PERF_PARAM_")}
        self.assertEqual(known - {"cmt", "mbml", "mbmt"},
                         features.PERF_EVENTS)

    def test_reach_the_plan(self):
        self.assertEqual(("task_clock",), factories.a_plan(
            settings={"perf_events": ("task_clock",)}).perf_events)
