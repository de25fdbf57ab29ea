"""placement-reporting R1, R2, R4, U1, U2, A6."""

import unittest

from nova import exception as nova_exception
from nova.compute import provider_tree

from nova_custom_driver import units
from nova_custom_driver.virt.ops import inventory
from tests.unit.virt.ops import factories

RATIOS = {"VCPU": 4.0, "MEMORY_MB": 1.5, "DISK_GB": 2.0}


class ResourcesTest(unittest.TestCase):

    def resources(self, *, usage=None, disk=None, cached_bytes=0, **settings):
        return inventory.resources(
            usage or factories.usage(), disk or factories.disk_usage(),
            factories.resource_settings(**settings), RATIOS, cached_bytes)

    def test_all_of_them(self):
        found = self.resources(reserved_memory_mib=1024, reserved_cpus=1,
                               reserved_disk_mib=2048)
        self.assertEqual({
            "VCPU": {"total": 8, "reserved": 1, "min_unit": 1, "max_unit": 8,
                     "step_size": 1, "allocation_ratio": 4.0},
            "MEMORY_MB": {"total": 64_000, "reserved": 1024, "min_unit": 1,
                          "max_unit": 64_000, "step_size": 1,
                          "allocation_ratio": 1.5},
            "DISK_GB": {"total": 100, "reserved": 2, "min_unit": 1,
                        "max_unit": 100, "step_size": 1,
                        "allocation_ratio": 2.0}}, found)

    def test_a_part_of_a_gib_is_reserved_as_a_whole_one(self):
        """placement-reporting R4."""
        self.assertEqual(
            1, self.resources(reserved_disk_mib=1)["DISK_GB"]["reserved"])

    def test_what_bases_take_is_reserved_as_well(self):
        """placement-reporting R4."""
        found = self.resources(reserved_disk_mib=1024,
                               cached_bytes=units.BYTES_PER_GIB + 1)
        self.assertEqual(3, found["DISK_GB"]["reserved"])

    def test_a_part_of_a_gib_is_not_offered(self):
        found = self.resources(disk=factories.disk_usage(total_gib=9.9))
        self.assertEqual(9, found["DISK_GB"]["total"])

    def test_what_there_is_none_of_is_left_out(self):
        """placement-reporting R4: placement takes no total of 0."""
        found = self.resources(disk=factories.disk_usage(total_gib=0.5))
        self.assertEqual({"VCPU", "MEMORY_MB"}, set(found))


    def test_dedicated_processors(self):
        """placement-reporting R3: never shared, never reserved; none of
        them are VCPU.
        """
        found = self.resources(reserved_cpus=2,
                               cpu_dedicated_set=frozenset((4, 5, 6)))
        self.assertEqual(
            {"total": 3, "reserved": 0, "min_unit": 1, "max_unit": 3,
             "step_size": 1, "allocation_ratio": 1.0}, found["PCPU"])
        self.assertNotIn("VCPU", found)

    def test_shared_and_dedicated_processors(self):
        """placement-reporting R2, R3."""
        found = self.resources(cpu_dedicated_set=frozenset((4, 5, 6)),
                               cpu_shared_set=frozenset((0, 1)))
        self.assertEqual((2, 3), (found["VCPU"]["total"],
                                  found["PCPU"]["total"]))

    def test_memory_in_files(self):
        """placement-reporting R1: as much as was said."""
        found = self.resources(file_backed_memory_mib=1 << 20)
        self.assertEqual(1 << 20, found["MEMORY_MB"]["total"])


class DedicatedCpusTest(unittest.TestCase):
    """placement-reporting U3."""

    def dedicated(self, *cpus, **settings):
        return inventory.dedicated_cpus(
            factories.usage(online_cpus=frozenset((0, 1)),
                            present_cpus=frozenset((0, 1, 2, 3))),
            factories.resource_settings(
                cpu_dedicated_set=frozenset(cpus), **settings))

    def test_none(self):
        self.assertEqual(set(), self.dedicated())

    def test_online(self):
        self.assertEqual({0, 1}, self.dedicated(0, 1))
        with self.assertRaisesRegex(
                nova_exception.Invalid, r"cpu_dedicated_set.*\[2\]"):
            self.dedicated(1, 2)

    def test_asleep(self):
        """They are woken for a guest; one that is not there cannot be."""
        self.assertEqual({1, 2}, self.dedicated(
            1, 2, dedicated_cpus_sleep=True))
        with self.assertRaisesRegex(
                nova_exception.Invalid, r"cpu_dedicated_set.*\[4\]"):
            self.dedicated(1, 4, dedicated_cpus_sleep=True)

    def test_checked_before_the_service_starts(self):
        """placement-reporting U2, U3."""
        usage = factories.usage()
        for name in ("cpu_dedicated_set", "cpu_shared_set"):
            with self.assertRaisesRegex(nova_exception.Invalid, name):
                inventory.check_cpus(usage, factories.resource_settings(
                    **{name: frozenset((99,))}))


class SharedCpusTest(unittest.TestCase):

    def shared(self, cpu_shared_set, **settings):
        return inventory.shared_cpus(
            factories.usage(online_cpus=frozenset((0, 1, 2, 3))),
            factories.resource_settings(cpu_shared_set=cpu_shared_set,
                                        **settings))

    def test_all_that_are_online(self):
        """placement-reporting U2."""
        self.assertEqual({0, 1, 2, 3}, self.shared(None))

    def test_those_named(self):
        """placement-reporting U1, U2."""
        self.assertEqual({1, 2}, self.shared(frozenset((1, 2))))

    def test_one_that_is_not_online(self):
        """placement-reporting U1, U2: never silently fewer."""
        with self.assertRaisesRegex(
                nova_exception.Invalid, r"cpu_shared_set.*\[4, 5\]"):
            self.shared(frozenset((3, 4, 5)))

    def test_the_old_option(self):
        """placement-reporting U1."""
        with self.assertRaisesRegex(
                nova_exception.Invalid, r"vcpu_pin_set names.*\[4\]"):
            self.shared(frozenset((4,)), cpu_set_is_legacy=True)


class UpdateTest(unittest.TestCase):

    def setUp(self):
        self.tree = provider_tree.ProviderTree()
        self.tree.new_root("compute-1", factories.UUID, generation=1)

    def test_inventory_and_traits(self):
        """driver-contract M95."""
        inventory.update(self.tree, "compute-1", {"VCPU": {"total": 8}},
                         {"HW_CPU_X86_AVX": True, "HW_CPU_X86_AVX2": False})
        found = self.tree.data("compute-1")
        self.assertEqual({"VCPU": {"total": 8}}, found.inventory)
        self.assertEqual({"HW_CPU_X86_AVX"}, found.traits)

    def test_what_is_gone_is_removed(self):
        """placement-reporting R1, R2, R4."""
        self.tree.update_inventory(
            "compute-1", {"VCPU": {"total": 8}, "DISK_GB": {"total": 9}})
        self.tree.add_traits("compute-1", "HW_CPU_X86_AVX")
        inventory.update(self.tree, "compute-1", {"VCPU": {"total": 8}},
                         {"HW_CPU_X86_AVX": False})
        found = self.tree.data("compute-1")
        self.assertEqual({"VCPU": {"total": 8}}, found.inventory)
        self.assertEqual(set(), found.traits)

    def test_an_operator_s_traits_stay(self):
        """placement-reporting A6."""
        self.tree.add_traits("compute-1", "CUSTOM_GOLD", "COMPUTE_NODE")
        inventory.update(self.tree, "compute-1", {},
                         {"HW_CPU_X86_AVX": False})
        self.assertEqual({"CUSTOM_GOLD", "COMPUTE_NODE"},
                         self.tree.data("compute-1").traits)

    def test_other_providers_stay(self):
        self.tree.new_child("compute-1_pci", "compute-1")
        self.tree.update_inventory("compute-1_pci", {"PGPU": {"total": 1}})
        inventory.update(self.tree, "compute-1", {"VCPU": {"total": 8}}, {})
        self.assertEqual({"PGPU": {"total": 1}},
                         self.tree.data("compute-1_pci").inventory)
