import subprocess
from unittest import mock

from nova import exception as nova_exception
from nova.privsep import fs

from nova_custom_driver import exception
from nova_custom_driver.imagebackend import filesystem
from nova_custom_driver.spec import disk as spec
from tests.unit.imagebackend import factories


def an_ephemeral(os_type=None, **changes):
    return spec.EphemeralContent(label="ephemeral0", os_type=os_type,
                                 **changes)


class FilesystemTestCase(factories.DirectoryTestCase):

    def setUp(self):
        super().setUp()
        self.disk = factories.raw_image(self.path / "disk", content=b"")
        for name in ("_MKFS_COMMAND", "_DEFAULT_MKFS_COMMAND"):
            patch = mock.patch.object(
                fs, name, {} if name == "_MKFS_COMMAND" else None)
            patch.start()
            self.addCleanup(patch.stop)


class NameTest(FilesystemTestCase):
    """storage C3."""

    def test_the_names_the_in_tree_driver_gives(self):
        for os_type, default, name in (
                (None, None, "0706d66"), ("linux", None, "0706d66"),
                ("windows", None, "0706d66"), ("linux", "ext4", "40d1d2c"),
                (None, "ntfs", "68e98b8")):
            with self.subTest(os_type=os_type, default=default):
                self.assertEqual(name, filesystem.name_hash(
                    an_ephemeral(os_type), default))

    def test_an_operators_command_has_a_name_of_its_own(self):
        filesystem.load_commands(("linux=mkfs.ext4 -L %(fs_label)s",))
        linux = filesystem.name_hash(an_ephemeral("linux"), None)
        self.assertEqual(fs._get_hash_str(
            "mkfs.ext4 -L %(fs_label)s")[:7], linux)
        self.assertEqual("0706d66", filesystem.name_hash(
            an_ephemeral("windows"), None))

    def test_a_line_that_is_no_command_is_refused(self):
        with self.assertRaisesRegex(exception.UnsupportedConfiguration,
                                    "virt_mkfs=mkfs.ext4"):
            filesystem.load_commands(("mkfs.ext4",))


class SharedTest(FilesystemTestCase):

    def test_only_what_the_name_tells_is_shared(self):
        for content, default, shared in (
                (an_ephemeral(), None, True),
                (an_ephemeral(filesystem="ext4"), "ext4", True),
                (an_ephemeral(filesystem="ext4"), None, False),
                (an_ephemeral(filesystem="xfs"), "ext4", False),
                (spec.EphemeralContent(label="ephemeral1"), None, False)):
            with self.subTest(content, default=default):
                self.assertIs(shared,
                              filesystem.is_shared(content, default))


class FormatTest(FilesystemTestCase):

    def blkid(self, field):
        return factories.run("blkid", "-p", "-s", field, "-o", "value",
                             self.disk).strip()

    def test_the_file_system_that_was_asked_for(self):
        for content, default, wanted in (
                (an_ephemeral("linux"), None, "ext4"),
                (an_ephemeral("linux"), "ext3", "ext3"),
                (an_ephemeral("linux", filesystem="ext2"), "ext3", "ext2"),
                (an_ephemeral(), None, "vfat")):
            with self.subTest(wanted):
                factories.raw_image(self.disk, content=b"")
                filesystem.format_ephemeral(self.disk, content, default)
                self.assertEqual(wanted, self.blkid("TYPE"))
                self.assertEqual("ephemeral0", self.blkid("LABEL").lower())

    def test_an_operators_command(self):
        filesystem.load_commands((
            "default=mkfs.ext2 -q -F -L mine-%(fs_label)s %(target)s",))
        filesystem.format_ephemeral(self.disk, an_ephemeral("linux"), "ext4")
        self.assertEqual(("ext2", "mine-ephemeral0"), (
            self.blkid("TYPE"), self.blkid("LABEL")))

    def test_swap(self):
        filesystem.format_swap(self.disk)
        self.assertEqual("swap", self.blkid("TYPE"))

    def test_a_failure_names_the_disk(self):
        (self.path / "empty").touch()
        for make in (
                filesystem.format_swap,
                lambda path: filesystem.format_ephemeral(
                    path, an_ephemeral("linux"), None)):
            with self.assertRaisesRegex(exception.HostError,
                                        f"{self.path}/empty"):
                make(self.path / "empty")

    def test_unknown_file_systems_are_refused(self):
        filesystem.check(an_ephemeral())
        filesystem.check(an_ephemeral(filesystem="xfs"))
        with self.assertRaisesRegex(nova_exception.InvalidBDMFormat, "ntfs9"):
            filesystem.check(an_ephemeral(filesystem="ntfs9"))


class GrowTest(FilesystemTestCase):
    """storage B8."""

    def test_other_content_takes_no_process(self):
        for content in (b"", b"\xff" * 2048):
            factories.raw_image(self.disk, content=content)
            with mock.patch.object(subprocess, "Popen") as execute:
                filesystem.grow(self.disk)
            execute.assert_not_called()

    def test_a_disk_smaller_than_any_file_system_is_left_alone(self):
        self.disk.write_bytes(b"x")
        filesystem.grow(self.disk)
        self.assertEqual(b"x", self.disk.read_bytes())
