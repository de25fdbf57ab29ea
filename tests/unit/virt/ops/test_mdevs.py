"""placement-reporting R6."""

import unittest

from nova_custom_driver.spec import node_device
from nova_custom_driver.spec import settings
from nova_custom_driver.virt.ops import mdevs

CARD, OTHER, SAMPLE = "pci_0000_84_00_0", "pci_0000_85_00_0", "mtty_mtty"


def a_parent(name=CARD, **available):
    return node_device.MdevParent(name=name, types=tuple(
        node_device.MdevType(name=kind, api="vfio-pci", available=count)
        for kind, count in available.items()))


def an_mdev(number, parent=CARD, kind="small"):
    return node_device.Mdev(uuid=f"mdev-{number}", parent=parent, type=kind)


def mdev_settings(devices=None, default="small", **limits):
    return settings.MdevSettings(
        types={"small": settings.MdevType(max_instances=limits.get("small")),
               "large": settings.MdevType(
                   resource_class="CUSTOM_LARGE",
                   max_instances=limits.get("large"))},
        devices=devices or {}, default=default)


class ChildrenTest(unittest.TestCase):

    def totals(self, *parents, existing=(), **changes):
        return {child.name: (child.resource_class, child.total)
                for child in mdevs.children(
                    parents, existing, mdev_settings(**changes))}

    def test_what_can_be_made_of_each(self):
        self.assertEqual(
            {CARD: ("VGPU", 8), OTHER: ("CUSTOM_LARGE", 2)}, self.totals(
                a_parent(small=8, large=4),
                a_parent(OTHER, small=8, large=2),
                devices={"0000:85:00.0": "large"}))

    def test_what_was_made_counts_too(self):
        found = self.totals(
            a_parent(small=6), existing=(an_mdev(1), an_mdev(2)))
        self.assertEqual({CARD: ("VGPU", 8)}, found)

    def test_all_that_can_be_made_was(self):
        """Its provider stays, as guests have them."""
        found = self.totals(existing=(an_mdev(1), an_mdev(2)))
        self.assertEqual({CARD: ("VGPU", 2)}, found)

    def test_another_type_than_the_one_chosen(self):
        found = self.totals(
            a_parent(large=3), existing=(an_mdev(1, kind="large"),))
        self.assertEqual({}, found)

    def test_a_device_that_was_not_named(self):
        found = self.totals(a_parent(small=3), a_parent(OTHER, small=3),
                            devices={"0000:85:00.0": "small"}, default=None)
        self.assertEqual({OTHER: ("VGPU", 3)}, found)

    def test_a_limit_for_all_devices_together(self):
        """What exists is never above it, as guests have it."""
        parents = (a_parent(small=6), a_parent(OTHER, small=8))
        made = (an_mdev(1), an_mdev(2))
        for limit, first, second in ((20, 8, 8), (12, 8, 4), (5, 5, 0),
                                     (2, 2, 0), (1, 2, 0)):
            found = self.totals(*parents, existing=made, small=limit)
            self.assertEqual({CARD: ("VGPU", first),
                              OTHER: ("VGPU", second)}, found, limit)

    def test_a_device_that_is_no_hardware(self):
        """It is used if it is named, never by default."""
        self.assertEqual({}, self.totals(a_parent(SAMPLE, small=9)))
        self.assertEqual({SAMPLE: ("CUSTOM_LARGE", 9)}, self.totals(
            a_parent(SAMPLE, large=9), devices={SAMPLE: "large"}))

    def test_none_are_enabled(self):
        self.assertEqual((), mdevs.children(
            (a_parent(small=3),), (), settings.MdevSettings()))

    def test_a_guest_may_have_all_of_one_device(self):
        (child,) = mdevs.children((a_parent(small=3),), (), mdev_settings())
        self.assertEqual((3, frozenset()), (child.max_unit, child.traits))
