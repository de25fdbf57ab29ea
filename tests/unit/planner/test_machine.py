"""guest-config B1, B10, B11, F1."""

import unittest

from nova import exception as nova_exception

from nova_custom_driver.planner import machine
from tests.unit.planner import factories


def wanted(*, host=None, machine_types=None, **image):
    return machine.wanted(
        factories.an_image(**image), host or factories.a_host(),
        factories.guest_settings(machine_types=machine_types or {}))


class WantedTest(unittest.TestCase):

    def test_x86_gets_pc(self):
        self.assertEqual(("x86_64", "pc"), wanted())

    def test_the_hosts_architecture_is_the_default(self):
        self.assertEqual(("aarch64", "virt"),
                         wanted(host=factories.a_host(arch="aarch64")))

    def test_the_operators_choice_for_the_architecture(self):
        types = {"x86_64": "q35", "aarch64": "virt-7.2"}
        self.assertEqual(("x86_64", "q35"), wanted(machine_types=types))

    def test_the_image_wins_over_the_operator(self):
        self.assertEqual(
            ("x86_64", "pc-q35-7.2"),
            wanted(machine_types={"x86_64": "pc"},
                   hw_machine_type="pc-q35-7.2"))

    def test_an_emulated_architecture_brings_its_machine(self):
        for arch, name in (("aarch64", "virt"), ("ppc64le", "pseries"),
                           ("mipsel", "malta"), ("ppc64", "pseries")):
            with self.subTest(arch=arch):
                self.assertEqual(
                    (arch, name), wanted(hw_emulation_architecture=arch))

    def test_a_32_bit_image_runs_on_the_hosts_processor(self):
        # Were it i686, it would be emulated.
        self.assertEqual(("x86_64", "q35"), wanted(
            hw_architecture="i686", machine_types={"i686": "q35"}))

    def test_a_foreign_image_has_no_machine_here(self):
        with self.assertRaises(nova_exception.InvalidMachineType):
            wanted(hw_architecture="aarch64")

    def test_refuses_a_machine_the_host_lacks(self):
        with self.assertRaisesRegex(nova_exception.InvalidMachineType,
                                    "isapc.*tiny.*no such machine"):
            wanted(hw_machine_type="isapc")

    def test_refuses_an_architecture_the_host_lacks(self):
        with self.assertRaises(nova_exception.InvalidMachineType):
            wanted(host=factories.a_host(arches=["x86_64"]),
                   hw_emulation_architecture="aarch64")

    def test_q35_by_any_of_its_names(self):
        self.assertEqual([True, True, False], [
            machine.is_q35(name) for name in ("q35", "pc-q35-7.2", "pc")])
