"""guest-config P3-P5: mediated devices that placement or Cyborg gives."""

import dataclasses
from unittest import mock

from nova import exception as nova_exception

from nova_custom_driver import exception
from nova_custom_driver import journal
from nova_custom_driver.spec import node_device
from nova_custom_driver.spec import settings
from nova_custom_driver.virt.ops import destroy
from nova_custom_driver.virt.ops import mdev_allocation
from nova_custom_driver.virt.ops import reboot
from nova_custom_driver.virt.ops import recover
from nova_custom_driver.virt.xml import read
from tests.unit.planner import test_host_devices
from tests.unit.virt.ops import stage
from tests.unit.virt.ops import test_spawn

CARD, PROVIDER = "pci_0000_84_00_0", "11111111-2222-3333-4444-555555555555"
FREE = node_device.Mdev(uuid="6a3b7a1e-6c4a-4f55-9b9f-0a4f5f0f6b11",
                        parent=CARD, type="small")
VGPU = {"extra_specs": {"resources:VGPU": "1"}}


class AllocationTestCase(test_spawn.SpawnTestCase):

    def setUp(self):
        super().setUp()
        self.host = self.stage.hypervisor
        self.host.makers = (node_device.MdevParent(name=CARD, types=(
            node_device.MdevType(name="small", api="vfio-pci",
                                 available=2),)),)
        self.stage.change_resource_settings(mdev=settings.MdevSettings(
            types={"small": settings.MdevType()}, default="small"))
        self.claims.learn({CARD: PROVIDER})

    @property
    def claims(self):
        return self.stage.hands.mdevs

    def give(self, count=1, **fields):
        return self.spawn(flavor=VGPU, allocations={
            PROVIDER: {"resources": {"VGPU": count}},
            "other": {"resources": {"VCPU": 2}}}, **fields)

    def has(self, instance):
        return read.mdevs(
            self.host.find(instance.uuid).xml(inactive=True))

    def made(self):
        return tuple(mdev.uuid for mdev in self.host.mediated)


class SpawnTest(AllocationTestCase):

    def test_none(self):
        self.assertEqual((), self.has(self.spawn(allocations={
            "other": {"resources": {"VCPU": 2}}})))
        self.assertEqual((), self.made())

    def test_made_for_the_guest(self):
        """guest-config P3, P4."""
        instance = self.give(count=2)
        self.assertEqual(2, len(self.made()))
        self.assertEqual(self.made(), self.has(instance))

    def test_a_free_one_first(self):
        """guest-config P3."""
        self.host.mediated = (FREE,)
        self.assertEqual((FREE.uuid,), self.has(self.give()))
        self.assertEqual((FREE.uuid,), self.made())

    def test_not_that_of_another_guest(self):
        """guest-config P3."""
        self.host.mediated = (FREE,)
        self.claims.claim([FREE.uuid], "another guest being made")
        self.assertNotEqual((FREE.uuid,), self.has(self.give()))

    def test_no_room(self):
        """guest-config P4."""
        with self.assertRaisesRegex(
                nova_exception.ComputeResourcesUnavailable, CARD):
            self.give(count=3)
        self.assertEqual(((), []), (self.made(), self.stage.left()))

    def test_a_provider_that_is_not_of_the_host(self):
        """guest-config P4."""
        self.claims.learn({})
        with self.assertRaisesRegex(
                nova_exception.ComputeResourcesUnavailable, PROVIDER):
            self.give()
        self.assertEqual([], self.stage.left())

    def test_a_failure_removes_them(self):
        """guest-config P3."""
        for name in ("create_mdev", "define"):
            self.host.breaks = {name: test_spawn.refusal(name)}
            with self.subTest(name=name), \
                    self.assertRaises(exception.HostError):
                self.give()
            self.assertEqual(((), []), (self.made(), self.stage.left()))
        self.assertEqual(frozenset(), self.claims.of_others("any"))

    def test_a_crash_leaves_none(self):
        """guest-config P3."""
        self.host.mediated = (FREE,)
        entry = self.stage.hands.journal.entry(
            test_spawn.factories.UUID)
        entry.note(journal.Resource(kind=journal.Kind.MDEV, name=FREE.uuid))
        entry.release()
        recover.unfinished(self.stage.hands)
        self.assertEqual(((), []), (self.made(), self.stage.left()))

    def test_a_free_one_again_when_the_guest_is_gone(self):
        """guest-config P3."""
        instance = self.give()
        (uuid,) = self.has(instance)
        destroy.stop(self.stage.hands, instance.uuid)
        destroy.forget(self.stage.hands, instance.uuid)
        self.stage.disks.disks.clear()
        self.assertEqual((uuid,), self.has(self.give()))

    def test_of_cyborg(self):
        """guest-config P5."""
        accelerator = test_host_devices.an_accelerator(
            "MDEV", function="0")
        instance = self.spawn(accelerators=[accelerator])
        self.assertEqual((test_host_devices.MDEV,), self.has(instance))
        self.assertEqual((node_device.Mdev(
            uuid=test_host_devices.MDEV, parent=CARD, type="nvidia-35"),),
            self.host.mediated)


class RebootTest(AllocationTestCase):

    def reboot(self, instance):
        subject = dataclasses.replace(
            stage.a_subject(), instance=instance)
        self.stage.virtapi.reportclient = mock.Mock(**{
            "get_allocations_for_consumer.return_value":
                {PROVIDER: {"resources": {"VGPU": 1}}}})
        with self.stage.operation("hard reboot", instance) as op:
            reboot.hard(stage.a_context(), subject, self.network,
                        self.stage.virtapi, self.stage.hands, op)

    def test_it_keeps_them(self):
        """guest-config P3."""
        instance = self.give()
        before = self.has(instance)
        self.reboot(instance)
        self.assertEqual((before, before),
                         (self.has(instance), self.made()))

    def test_it_is_given_others_where_they_are_lost(self):
        """guest-config P3, P4."""
        instance = self.give()
        (before,) = self.has(instance)
        self.host.mediated = ()
        self.reboot(instance)
        (after,) = self.has(instance)
        self.assertNotEqual(before, after)
        self.assertEqual((after,), self.made())


class PromisedTest(AllocationTestCase):

    def test_placement_is_asked_only_where_the_flavor_asks(self):
        """guest-config P4."""
        asked = mock.Mock()
        for specs, expected in (
                ({}, 0), ({"resources:VGPU": "0"}, 0),
                ({"resources:CUSTOM_LARGE": "1"}, 0),
                ({"resources1:VGPU": "1"}, 1)):
            asked.reset_mock()
            subject = stage.a_subject(
                flavor=test_spawn.factories.a_flavor(extra_specs=specs))
            mdev_allocation.promised(
                stage.a_context(), subject.instance, asked,
                self.stage.hands)
            self.assertEqual(expected, len(asked.mock_calls), specs)
