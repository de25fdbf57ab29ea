"""placement-reporting R6, R7, E5."""

import unittest

from nova.compute import provider_tree

from nova_custom_driver.virt.ops import providers
from tests.unit.virt.ops import factories

NODE, CARD = "compute-1", "compute-1_pci_0000_84_00_0"


def a_child(total=8, name="pci_0000_84_00_0", **changes):
    return providers.Child(**{
        "name": name, "resource_class": "VGPU", "total": total,
        "max_unit": total, **changes})


class UpdateTest(unittest.TestCase):

    def setUp(self):
        self.tree = provider_tree.ProviderTree()
        self.tree.new_root(NODE, factories.UUID, generation=1)

    def update(self, *children):
        providers.update(self.tree, NODE, children)

    def test_a_new_one(self):
        self.update(a_child(traits=frozenset(("HW_CPU_X86_AMD_SEV",))))
        found = self.tree.data(CARD)
        self.assertEqual(factories.UUID, found.parent_uuid)
        self.assertEqual({"VGPU": {
            "total": 8, "reserved": 0, "min_unit": 1, "max_unit": 8,
            "step_size": 1, "allocation_ratio": 1.0}}, found.inventory)
        self.assertEqual({"OWNER_NOVA", "HW_CPU_X86_AMD_SEV"}, found.traits)

    def test_the_same_again(self):
        """Traits an operator gave it stay, and so does its uuid."""
        self.update(a_child())
        before = self.tree.data(CARD)
        self.tree.add_traits(CARD, "CUSTOM_FAST")
        self.update(a_child(total=4))
        found = self.tree.data(CARD)
        self.assertEqual(before.uuid, found.uuid)
        self.assertEqual(4, found.inventory["VGPU"]["total"])
        self.assertEqual({"OWNER_NOVA", "CUSTOM_FAST"}, found.traits)

    def test_nothing_left(self):
        self.update(a_child())
        self.update(a_child(total=0))
        self.assertFalse(self.tree.exists(CARD))
        self.update(a_child(total=0))

    def test_those_of_others_stay(self):
        self.tree.new_child(f"{NODE}_0000:81:00.0", NODE)
        self.update(a_child())
        self.assertTrue(self.tree.exists(f"{NODE}_0000:81:00.0"))

    def test_those_offered_no_more(self):
        """placement-reporting R6: a card that was taken out goes; what is
        others' stays.
        """
        self.update(a_child(), a_child(name="pci_0000_85_00_0"))
        for name, resource_class in (("amd_sev", "MEM_ENCRYPTION_CONTEXT"),
                                     ("0000:81:00.0", "CUSTOM_PCI_1")):
            self.update(a_child(name=name, resource_class=resource_class))
        self.update(a_child(name="0000:82:00.0"))
        self.tree.add_traits("compute-1_0000:82:00.0",
                             "COMPUTE_MANAGED_PCI_DEVICE")
        self.tree.new_child("compute-1_agent", NODE)
        self.tree.update_inventory("compute-1_agent", {"VGPU": {"total": 1}})
        gone = providers.gone(self.tree, NODE, {"VGPU"}, (a_child(),))
        self.assertEqual(["pci_0000_85_00_0"], [each.name for each in gone])
        self.update(a_child(), *gone)
        self.assertFalse(self.tree.exists("compute-1_pci_0000_85_00_0"))

    def test_uuids(self):
        self.update(a_child())
        self.assertEqual(
            {"pci_0000_84_00_0": self.tree.data(CARD).uuid},
            providers.uuids(self.tree, NODE, (
                a_child(), a_child(name="pci_0000_85_00_0", total=0))))
