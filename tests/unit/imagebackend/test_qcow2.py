import dataclasses
import json

from nova_custom_driver import exception
from nova_custom_driver.imagebackend import disk_info
from nova_custom_driver.imagebackend import qcow2
from nova_custom_driver.spec import disk as spec
from tests.unit.imagebackend import factories

MIB = factories.MIB
GIB = factories.GIB


class Qcow2Test(factories.CacheTestCase):

    def setUp(self):
        super().setUp()
        self.directory = self.instances / factories.UUID
        self.directory.mkdir()
        self.disk = self.directory / "disk"

    def backend(self, **changes):
        return qcow2.Qcow2Backend(
            factories.settings(self.instances, **changes),
            self.make_cache(**changes))

    def create(self, base=None, backend=None, **plan):
        return (backend or self.backend()).create(
            factories.UUID, factories.a_plan(**plan), base)

    def describe(self, name):
        return json.loads(factories.qemu_img(
            "info", "--output=json", self.directory / name))

    def backing(self, name):
        return self.describe(name).get("backing-filename")

    def test_an_image_is_overlaid(self):
        """storage B2."""
        for force_raw, base_format, cluster in (
                (True, "raw", 65536), (False, "qcow2", 2 * MIB)):
            with self.subTest(base_format):
                image = factories.image(
                    self.store / "image", "qcow2", 8 * MIB,
                    "-o", "cluster_size=2M")
                self.glance.add(base_format, image, "qcow2")
                bases = self.make_cache(force_raw_images=force_raw)
                with bases.image(None, base_format) as base:
                    source = self.create(base, name=base_format)
                found = self.describe(base_format)
                self.assertEqual(
                    (GIB, str(base.path), base_format, cluster),
                    (found["virtual-size"], found["backing-filename"],
                     found["backing-filename-format"],
                     found["cluster-size"]))
                self.assertEqual("qcow2", source.format)

    def test_the_format_is_recorded(self):
        """storage F9."""
        source = self.create(name="disk.swap", content=factories.SWAP,
                             size_bytes=16 * MIB)
        info = disk_info.DiskInfo(self.directory)
        path = self.directory / "disk.swap"
        self.assertEqual({path: "qcow2"}, info.all())
        self.backend().delete(factories.UUID, source)
        self.assertEqual({}, info.all())

    def test_swap_is_overlaid(self):
        """storage B10, C4."""
        self.create(name="disk.swap", content=factories.SWAP,
                    size_bytes=16 * MIB)
        self.assertEqual(str(self.bases / "swap_16"),
                         self.backing("disk.swap"))

    def test_the_first_ephemeral_disk_is_overlaid(self):
        """storage C3."""
        self.create(name="disk.eph0", content=factories.EPHEMERAL)
        self.assertEqual(str(self.bases / "ephemeral_1_0706d66"),
                         self.backing("disk.eph0"))

    def test_the_hosts_default_file_system_is_overlaid(self):
        """storage C3."""
        content = dataclasses.replace(factories.EPHEMERAL, filesystem="ext4")
        self.create(name="disk.eph0", content=content,
                    backend=self.backend(default_ephemeral_format="ext4"))
        self.assertEqual(str(self.bases / "ephemeral_1_40d1d2c"),
                         self.backing("disk.eph0"))

    def test_what_no_base_holds_stands_alone(self):
        """storage C5: two disks of one size have two labels."""
        for name, content in (
                ("disk.eph1", dataclasses.replace(
                    factories.EPHEMERAL, label="ephemeral1")),
                ("disk.eph2", dataclasses.replace(
                    factories.EPHEMERAL, filesystem="ext3"))):
            with self.subTest(name):
                self.create(name=name, content=content)
                self.assertIsNone(self.backing(name))
        self.assertEqual([], self.left())
        self.assertEqual(
            ["disk.eph1", "disk.eph2", "disk.info"],
            sorted(path.name for path in self.directory.iterdir()))

    def test_space_is_reserved_if_wanted(self):
        """storage B7."""
        self.create(name="disk.swap", content=factories.SWAP,
                    size_bytes=16 * MIB,
                    backend=self.backend(preallocate=True))
        found = (self.directory / "disk.swap").stat()
        self.assertGreaterEqual(found.st_blocks * 512, 16 * MIB)
        self.assertLess(found.st_size, MIB)

    def test_space_that_is_not_there_is_this_hosts_failure(self):
        """storage B7."""
        with self.assertRaises(exception.HostError):
            self.create(name="disk.eph0", content=factories.EPHEMERAL,
                        size_bytes=1 << 42,
                        backend=self.backend(preallocate=True))
        self.assertEqual([], self.disks())

    def disks(self):
        return [path.name for path in self.directory.iterdir()
                if path.name != disk_info.NAME]

    def test_a_disk_needs_its_image(self):
        with self.assertRaisesRegex(ValueError, "disk without a base"):
            self.create(content=spec.ImageContent(image_id=factories.IMAGE))
        self.assertEqual([], self.disks())
