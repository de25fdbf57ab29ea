"""placement-reporting S1, S2, S3."""

import collections
import unittest
from unittest import mock

from nova import exception as nova_exception
from nova.compute import provider_tree

from nova_custom_driver.virt.ops import pinned
from nova_custom_driver.virt.ops import providers
from nova_custom_driver.virt.ops import reshape
from tests.unit.virt.ops import factories

NODE, ROOT = "compute-1", factories.UUID
CARD, OTHER = "pci_0000_84_00_0", "pci_0000_85_00_0"


def a_child(name, resource_class):
    return providers.Child(name=name, resource_class=resource_class, total=8,
                           max_unit=8)


def held(provider=ROOT, **resources):
    return {"allocations": {provider: {"resources": resources}}}


class MoveTest(unittest.TestCase):

    mdevs = (a_child(CARD, "VGPU"), a_child(OTHER, "VGPU"))
    encryption = (a_child("amd_sev", "MEM_ENCRYPTION_CONTEXT"),)

    def setUp(self):
        self.tree = provider_tree.ProviderTree()
        self.tree.new_root(NODE, ROOT, generation=1)
        self.pinned = self.enterContext(mock.patch.multiple(
            pinned, has_guests=mock.Mock(return_value=True),
            consumers=mock.Mock(return_value=["guest", "migration"])))

    def has(self, *names):
        self.tree.update_inventory(
            NODE, {name: {"total": 8} for name in names})

    def move(self, **changes):
        return reshape.Move(**{
            "tree": self.tree, "nodename": NODE, "mdevs": (),
            "encryption": (), "dedicated": False, **changes})

    def moved(self, allocations, devices=None, **changes):
        move = self.move(**changes)
        self.assertTrue(move.is_needed())
        providers.update(self.tree, NODE, (*move.mdevs, *move.encryption))
        move.allocations(allocations, lambda uuid: collections.Counter(
            (devices or {}).get(uuid)))
        return {consumer: {
            provider: each["resources"]
            for provider, each in one["allocations"].items()}
            for consumer, one in allocations.items()}

    def uuid(self, child):
        return self.tree.data(f"{NODE}_{child}").uuid

    def test_nothing_to_move(self):
        self.has("VCPU", "PCPU", "MEMORY_MB")
        self.assertFalse(self.move(
            mdevs=self.mdevs, encryption=self.encryption,
            dedicated=True).is_needed())

    def test_vgpus_go_to_their_devices(self):
        """placement-reporting S1."""
        self.has("VCPU", "VGPU")
        moved = self.moved(
            {"guest": held(VGPU=3, VCPU=2), "other": held(VCPU=1)},
            {"guest": {CARD: 1, OTHER: 2}}, mdevs=self.mdevs)
        self.assertEqual({
            "guest": {ROOT: {"VCPU": 2}, self.uuid(CARD): {"VGPU": 1},
                      self.uuid(OTHER): {"VGPU": 2}},
            "other": {ROOT: {"VCPU": 1}}}, moved)

    def test_vgpus_are_told_as_they_are(self):
        """placement-reporting S1: the guest has them, whatever was said."""
        self.has("VGPU")
        with self.assertLogs(reshape.LOG.logger, "WARNING"):
            moved = self.moved({"guest": held(VGPU=3)},
                               {"guest": {CARD: 1}}, mdevs=self.mdevs)
        self.assertEqual({ROOT: {}, self.uuid(CARD): {"VGPU": 1}},
                         moved["guest"])

    def test_vgpus_of_nobody_we_know(self):
        """placement-reporting S1."""
        self.has("VGPU")
        with self.assertRaisesRegex(nova_exception.ReshapeFailed, "guest"):
            self.moved({"guest": held(VGPU=1)}, mdevs=self.mdevs)

    def test_vgpus_held_elsewhere(self):
        """placement-reporting S1."""
        self.has("VGPU")
        with self.assertRaisesRegex(nova_exception.ReshapeFailed, "far"):
            self.moved({"guest": held("far", VGPU=1)},
                       {"guest": {CARD: 1}}, mdevs=self.mdevs)

    def test_no_mediated_device_is_enabled(self):
        """placement-reporting S1: there is nowhere to move them to."""
        self.has("VGPU")
        self.assertFalse(self.move().is_needed())

    def test_encryption_contexts(self):
        """placement-reporting S3."""
        self.has("VCPU", "MEM_ENCRYPTION_CONTEXT")
        self.tree.add_traits(NODE, "HW_CPU_X86_AMD_SEV", "CUSTOM_GOLD")
        moved = self.moved(
            {"guest": held(VCPU=2, MEM_ENCRYPTION_CONTEXT=1)},
            encryption=self.encryption)
        self.assertEqual({
            ROOT: {"VCPU": 2},
            self.uuid("amd_sev"): {"MEM_ENCRYPTION_CONTEXT": 1}},
            moved["guest"])
        self.assertEqual({"CUSTOM_GOLD"}, self.tree.data(NODE).traits)

    def test_encryption_contexts_with_nowhere_to_go(self):
        """placement-reporting S3."""
        self.has("MEM_ENCRYPTION_CONTEXT")
        with self.assertRaisesRegex(nova_exception.ReshapeFailed, "SEV"):
            self.moved({"guest": held(MEM_ENCRYPTION_CONTEXT=1)})

    def test_processors_of_pinned_guests(self):
        """placement-reporting S2: those that leave, too."""
        self.has("VCPU")
        moved = self.moved({
            "guest": held(VCPU=2, MEMORY_MB=64), "migration": held(VCPU=4),
            "unpinned": held(VCPU=1)}, dedicated=True)
        self.assertEqual({
            "guest": {ROOT: {"PCPU": 2, "MEMORY_MB": 64}},
            "migration": {ROOT: {"PCPU": 4}},
            "unpinned": {ROOT: {"VCPU": 1}}}, moved)

    def test_processors_are_told_apart_already(self):
        """placement-reporting S2."""
        self.has("VCPU", "PCPU")
        self.assertFalse(self.move(dedicated=True).is_needed())
        self.has("VCPU")
        self.assertFalse(self.move(dedicated=False).is_needed())
        pinned.has_guests.return_value = False
        self.assertFalse(self.move(dedicated=True).is_needed())
