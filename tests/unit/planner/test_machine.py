"""guest-config B1, B10, B11, F1."""

import unittest

from nova import exception as nova_exception
from nova.objects import fields
from nova.virt.libvirt import utils as in_tree

from nova_custom_driver.planner import machine
from tests.unit.planner import factories


def wanted(*, host=None, machine_types=None, **image):
    return machine.wanted(
        factories.an_image(**image), host or factories.a_host(),
        factories.guest_settings(machine_types=machine_types or {}))


class TableTest(unittest.TestCase):

    def test_the_machines_of_the_in_tree_driver(self):
        for arch in fields.Architecture.ALL:
            expected = in_tree.get_default_machine_type(arch)
            if expected:
                self.assertEqual(expected, machine.DEFAULT_MACHINES[arch])

    def test_the_machines_it_leaves_to_qemu(self):
        # QEMU has no usual machine for these.
        self.assertEqual(
            {"ppc64": "pseries", "mipsel": "malta", "riscv64": "virt"},
            {arch: name for arch, name in machine.DEFAULT_MACHINES.items()
             if not in_tree.get_default_machine_type(arch)})

    def test_families(self):
        self.assertEqual({"i686", "x86_64"}, machine.X86)
        self.assertEqual({"ppc", "ppc64", "ppc64le"}, machine.PPC)
        self.assertEqual({"s390", "s390x"}, machine.S390)


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
