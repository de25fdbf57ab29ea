"""guest-config M6, D6, G10, P7, S6-S9."""

import pathlib
import unittest

from nova import exception as nova_exception

from nova_custom_driver import exception
from nova_custom_driver.spec import device as spec
from tests.unit.planner import factories

NO_USB = spec.UsbController(model="none")
ANY_USB = spec.UsbController(model=None)
VNC = {"vnc": spec.Vnc(listen="::1")}


def devices(**changes):
    return factories.a_plan(**changes).devices


class RngTest(unittest.TestCase):

    def rng(self, settings=None, **specs):
        return devices(settings=settings, extra_specs={
            f"hw_rng:{name}": value for name, value in specs.items()}).rng

    def test_always(self):
        self.assertEqual(
            spec.Rng(path=pathlib.PurePosixPath("/dev/urandom")), self.rng())

    def test_the_operators_source(self):
        path = pathlib.PurePosixPath("/dev/hwrng")
        self.assertEqual(path, self.rng(settings={"rng_device": path}).path)

    def test_unless_the_flavor_forbids_it(self):
        self.assertIsNotNone(self.rng(allowed="True"))
        self.assertIsNone(self.rng(allowed="False"))

    def test_limits(self):
        for limits, expected in (
                ({"rate_bytes": "2048", "rate_period": "500"}, (2048, 500)),
                ({"rate_bytes": "2048"}, (2048, None)),
                ({"rate_period": "500"}, (None, None)),
                ({"rate_bytes": "0"}, (None, None))):
            found = self.rng(**limits)
            self.assertEqual(expected,
                             (found.rate_bytes, found.rate_period_ms))

    def test_refuses_what_is_no_number(self):
        with self.assertRaises(exception.InvalidGuestRequest):
            self.rng(rate_bytes="some")


class WatchdogTest(unittest.TestCase):

    def watchdog(self, flavor=None, image=None):
        return devices(
            extra_specs={"hw:watchdog_action": flavor} if flavor else {},
            image={"hw_watchdog_action": image} if image else {}).watchdog

    def test_the_image_wins(self):
        for flavor, image, expected in (
                (None, None, None), ("disabled", None, None),
                ("reset", None, "reset"), ("reset", "pause", "pause"),
                ("reset", "disabled", None), (None, "none", "none"),
                ("poweroff", None, "poweroff")):
            with self.subTest(flavor=flavor, image=image):
                self.assertEqual(expected, self.watchdog(flavor, image))

    def test_refuses_what_qemu_cannot(self):
        with self.assertRaisesRegex(nova_exception.InvalidWatchdogAction,
                                    "bark"):
            self.watchdog("bark")


class BalloonTest(unittest.TestCase):

    def test_with_statistics_or_not_at_all(self):
        for period, expected in ((10, 10), (0, None), (-1, None)):
            self.assertEqual(
                spec.Balloon(stats_period_seconds=expected),
                devices(settings={
                    "memory_stats_period_seconds": period}).balloon)


class ControllersTest(unittest.TestCase):

    def controllers(self, **changes):
        return devices(**changes).controllers

    def test_x86_has_usb_unless_told_otherwise(self):
        self.assertEqual((NO_USB,), self.controllers())

    def test_what_is_on_usb_gets_libvirts_default(self):
        self.assertEqual((ANY_USB,), self.controllers(settings=VNC))
        self.assertEqual((ANY_USB,), self.controllers(
            image={"hw_disk_bus": "usb"}))

    def test_power_brings_its_own_usb(self):
        self.assertEqual((ANY_USB,), self.controllers(
            image={"hw_emulation_architecture": "ppc64le"},
            domain=factories.a_domain_facts(
                arch="ppc64le", virt_type="qemu")))

    def test_the_wish_where_nothing_is_on_usb(self):
        wish = {"hw:usb_model": "qemu-xhci"}
        self.assertEqual((spec.UsbController(model="qemu-xhci"),),
                         self.controllers(extra_specs=wish))
        self.assertEqual((ANY_USB,),
                         self.controllers(extra_specs=wish, settings=VNC))

    def test_flavor_and_image_must_agree(self):
        with self.assertRaises(nova_exception.FlavorImageConflict):
            self.controllers(extra_specs={"hw:usb_model": "qemu-xhci"},
                             image={"hw_usb_model": "nec-xhci"},
                             settings=VNC)

    def test_refuses_usb_that_qemu_lacks(self):
        with self.assertRaisesRegex(nova_exception.Invalid, "ohci"):
            self.controllers(extra_specs={"hw:usb_model": "ohci"})

    def test_scsi_as_the_image_asks_and_for_disks_to_come(self):
        self.assertEqual(
            (spec.ScsiController(model="virtio-scsi"), NO_USB),
            self.controllers(image={"hw_scsi_model": "virtio-scsi"}))
        self.assertEqual((NO_USB,), self.controllers(
            image={"hw_disk_bus": "scsi"}))

    def test_ports_of_a_pcie_machine(self):
        ports = spec.PcieRootPorts(count=5)
        for image, domain, expected in (
                ({}, factories.a_domain_facts(), (NO_USB,)),
                ({"hw_machine_type": "q35"}, factories.q35_facts(),
                 (ports, NO_USB)),
                ({"hw_emulation_architecture": "aarch64"},
                 factories.a_domain_facts(arch="aarch64", virt_type="qemu"),
                 (ports, NO_USB))):
            self.assertEqual(expected, self.controllers(
                image=image, domain=domain, settings={"num_pcie_ports": 5}))

    def test_other_machines_have_no_such_ports(self):
        for arch, image in (("aarch64", {"hw_machine_type": "raspi3b"}),
                            ("riscv64", {})):
            with self.subTest(arch=arch):
                self.assertEqual((NO_USB,), self.controllers(
                    host=factories.a_host(arch=arch), image=image,
                    domain=factories.a_domain_facts(
                        arch=arch, cpu_modes=frozenset(
                            ["host-passthrough", "host-model"])),
                    settings={"num_pcie_ports": 5}))

    def test_libvirts_own_number_of_ports(self):
        self.assertEqual((NO_USB,), self.controllers(
            image={"hw_machine_type": "q35"}, domain=factories.q35_facts()))
