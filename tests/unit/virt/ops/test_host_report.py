"""placement-reporting R4, R6, R7, S1, S4: the whole provider tree."""

import unittest

from nova import exception as nova_exception
from nova.compute import provider_tree

from nova_custom_driver import units
from nova_custom_driver.spec import host
from nova_custom_driver.spec import settings
from nova_custom_driver.virt.host import mdevs
from nova_custom_driver.virt.ops import host_report
from tests.hosts import node_devices
from tests.unit.virt.ops import factories
from tests.unit.virt.ops import stage

NODE, ROOT = "compute-1", factories.UUID
RATIOS = {"VCPU": 4.0, "MEMORY_MB": 1.0, "DISK_GB": 1.0}
GUEST = """
<domain>
  <name>guest</name>
  <uuid>5d1c5c1b-3d0e-4a52-9f0a-2b6d1e1f7a11</uuid>
  <devices>
    <hostdev mode="subsystem" type="mdev" model="vfio-pci">
      <source>
        <address uuid="4b20d080-1b54-4048-85b3-a6a62d165c01"/>
      </source>
    </hostdev>
    <hostdev mode="subsystem" type="pci" managed="yes">
      <source>
        <address domain="0x0000" bus="0x06" slot="0x12" function="0x5"/>
      </source>
    </hostdev>
  </devices>
</domain>
"""
GUEST_UUID = "5d1c5c1b-3d0e-4a52-9f0a-2b6d1e1f7a11"


class UpdateTest(unittest.TestCase):

    def setUp(self):
        self.stage = stage.Stage(self)
        self.hypervisor = self.stage.hypervisor
        self.hypervisor._usage = factories.usage()
        self.hypervisor.makers = tuple(map(
            mdevs.mdev_parent,
            node_devices.documents("graphics-cards", "mdev_types")))
        self.hypervisor.mediated = tuple(map(
            mdevs.mdev, node_devices.documents("graphics-cards", "mdev")))
        self.tree = provider_tree.ProviderTree()
        self.tree.new_root(NODE, ROOT, generation=1)

    def update(self, allocations=None, **resources):
        self.stage.change_resource_settings(**resources)
        host_report.update(self.tree, NODE, self.stage.hands, RATIOS,
                           allocations)

    def vgpus(self, name):
        provider = f"{NODE}_{name}"
        return (self.tree.data(provider).inventory["VGPU"]["total"]
                if self.tree.exists(provider) else None)

    mdev = settings.MdevSettings(
        types={"nvidia-35": settings.MdevType()}, default="nvidia-35")

    def test_the_node_alone(self):
        self.update()
        self.assertEqual([ROOT], self.tree.get_provider_uuids(NODE))
        self.assertEqual({"VCPU", "MEMORY_MB", "DISK_GB"},
                         set(self.tree.data(NODE).inventory))

    def test_a_provider_for_each_card(self):
        """placement-reporting R6."""
        self.update(mdev=self.mdev)
        self.assertEqual((16, 16), (self.vgpus("pci_0000_84_00_0"),
                                    self.vgpus("pci_0000_85_00_0")))
        self.assertNotIn("VGPU", self.tree.data(NODE).inventory)

    def test_a_card_that_was_taken_out(self):
        """placement-reporting R6."""
        self.update(mdev=self.mdev)
        self.hypervisor.makers = self.hypervisor.makers[:1]
        self.update()
        self.assertIsNone(self.vgpus("pci_0000_85_00_0"))
        self.assertEqual(16, self.vgpus("pci_0000_84_00_0"))

    def test_cards_nobody_looks_after_any_more(self):
        """placement-reporting R6: guests may have them still."""
        self.update(mdev=self.mdev)
        self.update(mdev=settings.MdevSettings())
        self.assertEqual(16, self.vgpus("pci_0000_84_00_0"))

    def test_a_provider_for_each_kind_of_encryption(self):
        """placement-reporting R7, E1."""
        self.hypervisor._facts = factories.host_facts(
            kernel_encryption=host.KernelEncryption(
                enabled=frozenset(("sev",))))
        self.hypervisor._domain_facts = factories.domain_facts(
            sev=host.Sev(c_bit=51, reduced_bits=1, max_guests=15))
        self.update()
        self.assertEqual(
            15, self.tree.data(f"{NODE}_amd_sev").inventory[
                "MEM_ENCRYPTION_CONTEXT"]["total"])
        self.assertFalse(self.tree.exists(f"{NODE}_intel_tdx"))

    def test_bases_have_their_room(self):
        """placement-reporting R4."""
        base = self.stage.path / "_base" / "base"
        base.parent.mkdir()
        base.write_bytes(b"x" * 4096)
        reserved = {}
        for reserve in (False, True):
            self.update(reserve_for_base_cache=reserve)
            reserved[reserve] = self.tree.data(NODE).inventory["DISK_GB"][
                "reserved"]
        self.assertEqual({False: 0, True: 1}, reserved)
        self.assertLess(base.stat().st_size, units.BYTES_PER_GIB)

    def test_what_has_to_move_is_asked_for_first(self):
        """placement-reporting S1, S4: until then nothing is changed."""
        self.tree.update_inventory(NODE, {"VGPU": {"total": 32}})
        with self.assertRaises(nova_exception.ReshapeNeeded):
            self.update(mdev=self.mdev)
        self.assertEqual({"VGPU": {"total": 32}},
                         self.tree.data(NODE).inventory)
        self.assertIsNone(self.vgpus("pci_0000_84_00_0"))

    def test_what_has_to_move_is_moved(self):
        """placement-reporting S1, S4."""
        self.hypervisor.define(GUEST)
        self.tree.update_inventory(NODE, {"VGPU": {"total": 32}})
        allocations = {GUEST_UUID: {"allocations": {
            ROOT: {"resources": {"VGPU": 1, "VCPU": 1}}}}}
        self.update(allocations, mdev=self.mdev)
        card = self.tree.data(f"{NODE}_pci_0000_84_00_0").uuid
        self.assertEqual(
            {ROOT: {"resources": {"VCPU": 1}},
             card: {"resources": {"VGPU": 1}}},
            allocations[GUEST_UUID]["allocations"])
        self.assertNotIn("VGPU", self.tree.data(NODE).inventory)

    def test_a_holder_that_is_no_guest_here(self):
        """placement-reporting S1."""
        self.tree.update_inventory(NODE, {"VGPU": {"total": 32}})
        with self.assertRaises(nova_exception.ReshapeFailed):
            self.update({GUEST_UUID: {"allocations": {
                ROOT: {"resources": {"VGPU": 1}}}}}, mdev=self.mdev)
