"""storage R1, R2, F6: the disks of a guest that is being rescued."""

import pathlib
import unittest

from nova import exception as nova_exception

from nova_custom_driver.planner import request as request_module
from nova_custom_driver.spec import disk as spec
from tests.unit.planner import factories

DRIVE = {"config_drive": True}


def plan(*, stable=False, rescue_image=None, **changes):
    return factories.a_plan(rescue=request_module.Rescue(
        image_id="rescue-image", stable=stable,
        image_meta=factories.an_image(**(rescue_image or {}))), **changes)


def targets(guest):
    return {disk.name: disk.target for disk in guest.disks}


class RescueTest(unittest.TestCase):

    def test_the_image_comes_first(self):
        guest = plan(**DRIVE)
        self.assertEqual({"disk.rescue": "vda", "disk": "vdb",
                          "disk.config.rescue": "hda"}, targets(guest))
        self.assertEqual(
            spec.DiskPlan(
                name="disk.rescue", target="vda", bus=spec.Bus.VIRTIO,
                content=spec.ImageContent(image_id="rescue-image"),
                boot_index=0), guest.disks[0])
        self.assertEqual(("hd",), guest.boot.devices)

    def test_its_kernel_starts_from_the_rescue_disk(self):
        guest = plan(kernel=pathlib.PurePosixPath("/i/kernel.rescue"))
        self.assertIn("root=/dev/vda", guest.boot.kernel.command_line)

    def test_other_disks_are_left_out(self):
        self.assertEqual({"disk.rescue", "disk"}, set(targets(plan(
            flavor={"swap": 64, "ephemeral_gb": 1}))))

    def test_stable_all_stay_where_they_are(self):
        request = {"flavor": {"swap": 64, "ephemeral_gb": 1}, **DRIVE}
        guest = plan(stable=True, **request)
        own = factories.a_plan(**request)
        self.assertEqual(own.disks, guest.disks[:-1])
        last = guest.disks[-1]
        self.assertEqual(("disk.rescue", "vdd", True),
                         (last.name, last.target, last.boot_first))
        # libvirt refuses both ways of naming what boots.
        self.assertEqual((), guest.boot.devices)

    def test_stable_the_image_says_where(self):
        for properties, device, bus in (
                ({"hw_rescue_device": "cdrom"}, "cdrom", "ide"),
                ({"hw_rescue_device": "cdrom", "hw_rescue_bus": "sata"},
                 "cdrom", "sata"),
                ({"hw_rescue_bus": "scsi"}, "disk", "scsi"),
                ({"hw_rescue_device": "floppy"}, "floppy", "fdc")):
            with self.subTest(properties):
                last = plan(stable=True, rescue_image=properties).disks[-1]
                self.assertEqual((device, bus), (last.device, last.bus))

    def test_stable_refuses_what_is_not_there(self):
        for properties, error in (
                ({"hw_rescue_bus": "xen"},
                 nova_exception.UnsupportedRescueBus),
                ({"hw_rescue_device": "fs"},
                 nova_exception.UnsupportedRescueDevice)):
            with self.subTest(properties), self.assertRaises(error):
                plan(stable=True, rescue_image=properties)
