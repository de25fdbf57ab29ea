"""driver-contract M92, M76: what hosts tell each other of disks."""

from nova_custom_driver.imagebackend import disk_info
from nova_custom_driver.imagebackend import disk_records
from nova_custom_driver.imagebackend import qemu_img
from tests.unit.imagebackend import factories

MIB = factories.MIB


class DiskRecordsTest(factories.DirectoryTestCase):

    def record(self, name, format_name):
        disk_info.DiskInfo(self.path).record(self.path / name, format_name)

    def test_an_overlay_and_a_raw_disk(self):
        base = factories.raw_image(self.path / "base")
        qemu_img.create_overlay(self.path / "disk", base, "raw", 16 * MIB)
        factories.raw_image(self.path / "disk.eph0")
        qemu_img.create(self.path / "disk.swap", "qcow2", 4 * MIB)
        for name, format_name in (("disk", "qcow2"), ("disk.eph0", "raw"),
                                  ("disk.swap", "qcow2")):
            self.record(name, format_name)
        found = disk_records.of(self.path)
        self.assertEqual(
            [("disk", "qcow2", 16 * MIB, "base"),
             ("disk.eph0", "raw", 8 * MIB, ""),
             ("disk.swap", "qcow2", 4 * MIB, "")],
            [(record["path"].rpartition("/")[2], record["type"],
              record["virt_disk_size"], record["backing_file"])
             for record in found])
        for record in found:
            self.assertEqual(
                record["virt_disk_size"],
                record["disk_size"] + record["over_committed_disk_size"])
            self.assertLess(record["disk_size"], MIB)

    def test_no_disks(self):
        self.assertEqual([], disk_records.of(self.path))
