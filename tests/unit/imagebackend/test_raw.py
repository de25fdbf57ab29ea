import os
import shutil
from unittest import mock

from nova import exception as nova_exception

from nova_custom_driver.imagebackend import cache
from nova_custom_driver.imagebackend import disk_info
from nova_custom_driver.imagebackend import raw
from tests.unit.imagebackend import factories

MIB = factories.MIB
GIB = factories.GIB
IMAGE = factories.IMAGE


class RawTestCase(factories.CacheTestCase):

    def setUp(self):
        super().setUp()
        self.directory = self.instances / factories.UUID
        self.directory.mkdir()
        self.disk = self.directory / "disk"

    def backend(self, **changes):
        return raw.RawBackend(factories.settings(self.instances, **changes),
                              self.make_cache())

    def a_base(self, path, format_name="raw"):
        header = {"raw": path.stat().st_size}.get(format_name, 8 * MIB)
        return cache.Base(path=path, format=format_name,
                          virtual_size_bytes=header)

    def create(self, base, backend=None, **plan):
        return (backend or self.backend()).create(
            factories.UUID, factories.a_plan(**plan), base)


class RawTest(RawTestCase):
    """storage B1."""

    def test_the_format_is_on_record_before_the_disk_has_its_name(self):
        """storage F9."""
        base = self.a_base(factories.raw_image(self.path / "base"))
        record = disk_info.DiskInfo.record
        seen = []

        def spy(info, path, format_name):
            seen.append(path.exists())
            record(info, path, format_name)

        with mock.patch.object(disk_info.DiskInfo, "record", spy):
            self.create(base)
        self.assertEqual([False], seen)
        self.assertEqual("raw", disk_info.DiskInfo(self.directory).format(
            self.disk))

    def test_the_recorded_format_is_believed(self):
        """storage F9: also if the host has changed its images_type."""
        disk_info.DiskInfo(self.directory).record(self.disk, "qcow2")
        source = self.backend().source(factories.UUID, factories.a_plan())
        self.assertEqual("qcow2", source.format)

    def test_a_disk_takes_no_more_blocks_than_its_base(self):
        self.create(self.a_base(factories.raw_image(self.path / "base")))
        self.assertEqual(GIB, self.disk.stat().st_size)
        self.assertLess(self.disk.stat().st_blocks * 512, MIB)

    def test_space_is_reserved_if_wanted(self):
        """storage B7."""
        base = self.a_base(factories.raw_image(self.path / "base"))
        self.create(base, self.backend(preallocate=True), size_bytes=16 * MIB)
        self.assertEqual(16 * MIB, self.disk.stat().st_size)
        self.assertGreaterEqual(self.disk.stat().st_blocks * 512, 16 * MIB)

    def test_a_base_that_is_not_raw_is_converted(self):
        base = self.a_base(
            factories.image(self.path / "base", "qcow2"), "qcow2")
        source = self.create(base)
        self.assertEqual("raw", source.format)
        self.assertEqual(GIB, self.disk.stat().st_size)
        self.assertEqual(factories.CONTENT, factories.content(source, 512))

    def test_a_base_that_cannot_be_converted_names_its_image(self):
        path = self.path / "base"
        path.write_bytes(b"QFI\xfb")
        with self.assertRaisesRegex(nova_exception.ImageUnacceptable, IMAGE):
            self.create(self.a_base(path, "qcow2"))
        self.assertEqual([], os.listdir(self.directory))

    def test_a_disk_whose_directory_is_gone_can_be_deleted(self):
        base = self.a_base(factories.raw_image(self.path / "base"))
        source = self.create(base)
        shutil.rmtree(self.directory)
        self.backend().delete(factories.UUID, source)
        self.assertFalse(self.directory.exists())

    def test_a_disk_needs_its_image(self):
        with self.assertRaisesRegex(ValueError, "disk without a base"):
            self.create(None)
        self.assertEqual([], os.listdir(self.directory))

    def test_no_bases_are_made_for_ephemeral_disks_and_swap(self):
        self.create(None, name="disk.swap", size_bytes=16 * MIB,
                    content=factories.SWAP)
        self.create(None, name="disk.eph0", content=factories.EPHEMERAL)
        self.assertEqual([], self.left())


class GrowTest(RawTestCase):
    """storage B8."""

    def file_system(self, format_name):
        path = factories.raw_image(self.path / "base", 8 * MIB, b"")
        factories.run(f"mkfs.{format_name}", "-q", "-F", path)
        return self.a_base(path)

    def blocks(self):
        """Return the size in bytes the superblock tells."""
        output = factories.run("dumpe2fs", "-h", self.disk)
        fields = dict(line.split(":", 1) for line in output.splitlines()
                      if ":" in line)
        return int(fields["Block count"]) * int(fields["Block size"])

    def test_a_file_system_without_partitions_grows_with_its_disk(self):
        for format_name in ("ext2", "ext3", "ext4"):
            with self.subTest(format_name):
                self.create(self.file_system(format_name),
                            size_bytes=64 * MIB)
                self.assertEqual(64 * MIB, self.blocks())
                self.disk.unlink()

    def test_a_broken_file_system_is_left_to_its_guest(self):
        base = self.file_system("ext4")
        with base.path.open("r+b") as file:
            file.seek(1024)
            file.write(b"\xff" * 56)
        with self.assertLogs("nova_custom_driver", "WARNING"):
            self.create(base, size_bytes=64 * MIB)
        self.assertEqual(64 * MIB, self.disk.stat().st_size)

    def test_a_disk_that_does_not_grow_is_left_as_it_is(self):
        base = self.file_system("ext4")
        self.create(base, size_bytes=8 * MIB)
        self.assertEqual(base.path.read_bytes(), self.disk.read_bytes())
