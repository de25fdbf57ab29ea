"""storage B12, C6; design 3: disks, side by side, each with its undo."""

import unittest

from nova import exception as nova_exception

from nova_custom_driver import exception
from nova_custom_driver.spec import disk as spec
from nova_custom_driver.spec import firmware
from nova_custom_driver.virt.ops import disks
from nova_custom_driver.virt.ops import operation
from tests.unit.planner import factories
from tests.unit.virt.ops import stage


def a_plan(name="disk", content=None, **changes):
    return spec.DiskPlan(**{
        "name": name, "target": "vda", "bus": spec.Bus.VIRTIO,
        "content": content or spec.ImageContent(image_id=factories.IMAGE),
        "size_bytes": 1 << 30, **changes})


DRIVE = a_plan("disk.config", spec.ConfigDriveContent(), size_bytes=None)
SWAP = a_plan("disk.swap", spec.SwapContent())


class DisksTestCase(unittest.TestCase):

    def setUp(self):
        self.stage = stage.Stage(self)
        self.context = stage.a_context()
        self.instance = stage.a_subject().instance

    def make(self, *plans, error=None):
        """Make the disks in an operation that ends with ``error``."""
        with self.stage.operation("spawn", self.instance) as op:
            made = operation.first_failure(disks.begin(
                self.context, self.instance, plans, self.stage.hands, op))
            if error:
                raise error
        return made


class BeginTest(DisksTestCase):

    def test_in_the_order_of_the_plans(self):
        made = self.make(SWAP, a_plan(), DRIVE)
        self.assertEqual(["disk.swap", "disk"],
                         [disk.plan.name for disk in made])
        self.assertEqual(
            [str(self.stage.path / self.instance.uuid / name)
             for name in ("disk.swap", "disk")],
            [str(disk.source.path) for disk in made])
        self.assertEqual([factories.IMAGE], self.stage.bases.fetched)

    def test_one_that_exists_is_used_and_stays(self):
        """storage B12."""
        self.make(a_plan())
        self.stage.bases.fetched.clear()
        with self.assertRaises(ValueError):
            self.make(a_plan(), SWAP, error=ValueError())
        self.assertEqual([(self.instance.uuid, "disk")],
                         list(self.stage.disks.disks))
        self.assertEqual([], self.stage.bases.fetched)

    def test_one_that_fails_takes_the_others_with_it(self):
        self.stage.disks.refuses.add("disk.swap")
        with self.assertRaisesRegex(exception.HostError, "disk.swap"):
            self.make(a_plan(), SWAP)
        self.assertEqual({}, self.stage.disks.disks)


class KernelTest(DisksTestCase):

    def setUp(self):
        super().setUp()
        self.directory = self.stage.hands.directory(self.instance.uuid)
        self.directory.mkdir()
        self.instance.kernel_id = "kernel-image"

    def fetch(self, error=None):
        with self.stage.operation("spawn", self.instance) as op:
            operation.first_failure(disks.begin_kernel(
                self.context, self.instance, firmware.Kernel(
                    kernel=self.directory / "kernel",
                    ramdisk=self.directory / "ramdisk", command_line=""),
                (self.instance.kernel_id, self.instance.ramdisk_id),
                self.stage.hands, op))
            if error:
                raise error

    def files(self):
        return {path.name: path.read_text()
                for path in self.directory.iterdir()}

    def test_what_the_image_names(self):
        self.fetch()
        self.assertEqual({"kernel": "kernel-image"}, self.files())
        self.instance.ramdisk_id = "ramdisk-image"
        self.fetch()
        self.assertEqual({"kernel": "kernel-image",
                          "ramdisk": "ramdisk-image"}, self.files())
        self.assertEqual(["kernel-image", "ramdisk-image"],
                         self.stage.bases.fetched)

    def test_gone_after_a_failure(self):
        with self.assertRaises(ValueError):
            self.fetch(error=ValueError())
        self.assertEqual({}, self.files())

    def test_one_that_was_there_stays(self):
        (self.directory / "kernel").write_text("of before")
        with self.assertRaises(ValueError):
            self.fetch(error=ValueError())
        self.assertEqual({"kernel": "of before"}, self.files())


class ExistingTest(DisksTestCase):

    def test_all_there(self):
        self.make(a_plan(), SWAP)
        found = disks.existing(self.instance.uuid, (a_plan(), SWAP),
                               self.stage.hands)
        self.assertEqual((a_plan(), SWAP),
                         tuple(disk.plan for disk in found))

    def test_one_gone(self):
        self.make(a_plan())
        with self.assertRaisesRegex(nova_exception.DiskNotFound,
                                    "disk.swap"):
            disks.existing(self.instance.uuid, (a_plan(), SWAP),
                           self.stage.hands)
        self.assertEqual(1, len(self.stage.disks.disks))


class RestoreBasesTest(DisksTestCase):

    def restore(self):
        disks.restore_bases(self.context, self.instance,
                            (a_plan(), SWAP, DRIVE), self.stage.hands)

    def test_of_images(self):
        self.restore()
        self.assertEqual([factories.IMAGE], self.stage.bases.fetched)

    def test_not_where_disks_stand_alone(self):
        self.stage.disks.keeps_base = False
        self.restore()
        self.assertEqual([], self.stage.bases.fetched)

    def test_an_image_that_glance_has_no_more(self):
        self.stage.bases.images = {}
        with self.assertRaises(nova_exception.ImageNotFound):
            self.restore()
