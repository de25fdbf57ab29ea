import ctypes
import errno
import os
import pathlib
from unittest import mock

from nova_custom_driver.imagebackend import disk_info
from nova_custom_driver.imagebackend import space
from tests.unit.imagebackend import factories

MIB = factories.MIB


class UsageTest(factories.DirectoryTestCase):
    """placement D1."""

    def test_what_the_file_system_says(self):
        found = os.statvfs_result((4096, 1024, 1000, 300, 200, 0, 0, 0, 0,
                                   255))
        with mock.patch.object(os, "statvfs", return_value=found):
            usage = space.usage(self.path)
        self.assertEqual(
            (1000 * 1024, 200 * 1024, 700 * 1024),
            (usage.total_bytes, usage.free_bytes, usage.used_bytes))

    def test_a_directory_that_is_not_there_is_an_error(self):
        with self.assertRaises(FileNotFoundError):
            space.usage(self.path / "missing")


class OverCommittedTest(factories.DirectoryTestCase):
    """placement D4."""

    def record(self, path, format_name):
        disk_info.DiskInfo(self.path).record(path, format_name)

    def test_what_raw_disks_may_still_grow_by(self):
        disk = factories.raw_image(self.path / "disk", 8 * MIB)
        self.record(disk, "raw")
        self.assertEqual(8 * MIB - 512 * disk.stat().st_blocks,
                         space.over_committed_bytes([self.path]))

    def test_what_qcow2_disks_may_still_grow_by(self):
        disk = self.path / "disk"
        factories.qemu_img("create", "-f", "qcow2", disk, "8M")
        self.record(disk, "qcow2")
        self.assertEqual(8 * MIB - 512 * disk.stat().st_blocks,
                         space.over_committed_bytes([self.path]))

    def test_preallocated_disks_cannot_grow(self):
        disk = self.path / "disk"
        factories.qemu_img("create", "-f", "qcow2", disk, "8M")
        space.allocate(disk, 16 * MIB)
        self.record(disk, "qcow2")
        self.assertEqual(0, space.over_committed_bytes([self.path]))

    def test_what_is_gone_or_damaged_counts_nothing(self):
        self.record(self.path / "gone", "raw")
        (self.path / "damaged").write_bytes(b"QFI")
        self.record(self.path / "damaged", "qcow2")
        self.assertEqual(0, space.over_committed_bytes(
            [self.path, self.path / "missing"]))


    def test_a_damaged_record_hides_no_other(self):
        """placement-reporting D4, G11."""
        (self.path / "bad").mkdir()
        (self.path / "bad" / "disk.info").write_text("{")
        disk = factories.raw_image(self.path / "disk", 8 * MIB)
        self.record(disk, "raw")
        with self.assertLogs(space.LOG.logger, "WARNING"):
            found = space.over_committed_bytes([self.path / "bad", self.path])
        self.assertEqual(8 * MIB - 512 * disk.stat().st_blocks, found)


class CacheBytesTest(factories.DirectoryTestCase):
    """placement-reporting R4."""

    def test_what_is_allocated_of_all_bases(self):
        cache = self.path / "_base"
        self.assertEqual(0, space.cache_bytes(cache, self.path))
        cache.mkdir()
        (cache / "one").write_bytes(b"x" * 4096)
        with (cache / "sparse").open("wb") as file:
            file.truncate(8 * MIB)
        (cache / "gone").symlink_to(cache / "nothing")
        self.assertEqual(512 * (cache / "one").stat().st_blocks,
                         space.cache_bytes(cache, self.path))

    def test_a_file_system_of_its_own(self):
        self.assertEqual(
            0, space.cache_bytes(pathlib.Path("/proc"), self.path))


class AllocateTest(factories.DirectoryTestCase):
    """storage B7."""

    def setUp(self):
        super().setUp()
        self.file = self.path / "file"
        self.file.write_bytes(b"x")

    def test_blocks_are_reserved_and_the_size_stays(self):
        space.allocate(self.file, 4 * MIB)
        found = self.file.stat()
        self.assertEqual(1, found.st_size)
        self.assertGreaterEqual(found.st_blocks * 512, 4 * MIB)

    def test_too_little_space_is_an_error(self):
        with mock.patch.object(space, "LIBC") as libc, \
                self.assertRaises(OSError) as caught:
            space.allocate(self.file, 1 << 62)
        self.assertEqual(errno.ENOSPC, caught.exception.errno)
        # Not even tried: it would fill the file system first.
        libc.fallocate64.assert_not_called()

    def test_a_file_system_that_cannot_is_no_error(self):
        with mock.patch.object(space, "LIBC") as libc, \
                mock.patch.object(ctypes, "get_errno",
                                  return_value=errno.EOPNOTSUPP), \
                self.assertLogs("nova_custom_driver", "WARNING"):
            libc.fallocate64.return_value = -1
            space.allocate(self.file, MIB)


class DirectIoTest(factories.DirectoryTestCase):

    def test_it_is_found_out_by_trying(self):
        can = True
        try:
            os.close(os.open(self.path / "probe",
                             os.O_CREAT | os.O_WRONLY | os.O_DIRECT))
        except OSError:
            can = False
        self.assertIs(can, space.supports_direct_io(self.path))
