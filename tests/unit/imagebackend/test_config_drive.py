import os

from nova import exception as nova_exception

from nova_custom_driver import exception
from nova_custom_driver.imagebackend import config_drive
from nova_custom_driver.imagebackend import disk_info
from tests.unit.imagebackend import factories

FILES = {
    "openstack/latest/meta_data.json": b'{"uuid": "1"}',
    "openstack/latest/user_data": bytes(range(256)) * 100,
    "openstack/2018-08-27/network_data.json": b"{}",
    "openstack/content/0000": b"injected",
    "ec2/latest/meta-data.json": b"{}",
}


class ConfigDriveTestCase(factories.DirectoryTestCase):

    def setUp(self):
        super().setUp()
        self.drive = self.path / "disk.config"

    def build(self, format_name, entries=None, **changes):
        config_drive.build(
            (FILES if entries is None else entries).items(), self.drive,
            format_name, publisher="OpenStack Nova 34.0.0", **changes)

    def blkid(self, field):
        return factories.run("blkid", "-p", "-s", field, "-o", "value",
                             self.drive).strip()


class Iso9660Test(ConfigDriveTestCase):
    """storage D2."""

    def read(self, extension, path):
        return factories.run("isoinfo", extension, "-i", self.drive, "-x",
                             path, text=False)

    def test_a_guest_finds_it_by_its_label(self):
        self.build("iso9660")
        self.assertEqual(("iso9660", "config-2"), (
            self.blkid("TYPE"), self.blkid("LABEL")))

    def test_files_have_their_names_and_content(self):
        """By Rock Ridge, which Linux reads, and Joliet, for Windows."""
        self.build("iso9660")
        for extension in ("-R", "-J"):
            listing = factories.run("isoinfo", extension, "-f", "-i",
                                    self.drive).splitlines()
            for path, content in FILES.items():
                with self.subTest(path, extension=extension):
                    self.assertIn(f"/{path}", listing)
                    self.assertEqual(content,
                                     self.read(extension, f"/{path}"))

    def test_the_publisher_is_named(self):
        self.build("iso9660")
        self.assertIn("OpenStack Nova 34.0.0",
                      factories.run("isoinfo", "-d", "-i", self.drive))

    def test_another_program_may_make_it(self):
        program = self.path / "mkisofs"
        program.write_text('#!/bin/sh\nexec genisoimage "$@"\n')
        program.chmod(0o755)
        self.build("iso9660", mkisofs=str(program))
        self.assertEqual("config-2", self.blkid("LABEL"))


class VfatTest(ConfigDriveTestCase):
    """storage D2."""

    def read(self, path):
        return factories.run("mtype", "-i", self.drive, f"::/{path}",
                             text=False)

    def test_a_guest_finds_it_by_its_label(self):
        self.build("vfat")
        self.assertEqual(("vfat", "config-2"), (
            self.blkid("TYPE"), self.blkid("LABEL")))
        self.assertEqual(64 << 20, self.drive.stat().st_size)

    def test_files_have_their_names_and_content(self):
        self.build("vfat")
        listing = factories.run("mdir", "-/", "-b", "-i", self.drive, "::")
        for path, content in FILES.items():
            with self.subTest(path):
                self.assertIn(f"/{path}\n", listing)
                self.assertEqual(content, self.read(path))


class BuildTest(ConfigDriveTestCase):

    def test_text_is_written_as_utf_8(self):
        self.build("vfat", {"openstack/name": "h\u00e9llo"})
        self.assertEqual("h\u00e9llo".encode(), factories.run(
            "mtype", "-i", self.drive, "::/openstack/name", text=False))

    def test_its_format_is_recorded(self):
        """storage D3, F9: a guest can write to a vfat drive."""
        for format_name in ("iso9660", "vfat"):
            self.build(format_name)
            self.assertEqual({self.drive: "raw"},
                             disk_info.DiskInfo(self.path).all())
            self.drive.unlink()

    def assert_nothing_left(self, error, format_name, **changes):
        with self.assertRaises(error):
            self.build(format_name, **changes)
        self.assertEqual([], os.listdir(self.path))

    def test_nothing_is_left_of_a_failure(self):
        self.assert_nothing_left(exception.HostError, "iso9660",
                                 mkisofs="false")
        self.assert_nothing_left(exception.HostError, "iso9660",
                                 mkisofs="no-such-program")
        self.assert_nothing_left(
            exception.HostError, "vfat",
            entries={"too-large": bytes(config_drive.VFAT_BYTES)})

    def test_an_unknown_format_is_refused(self):
        self.assert_nothing_left(nova_exception.ConfigDriveUnknownFormat,
                                 "ext4")
