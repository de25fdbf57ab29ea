"""storage F13, Z3, Z7: an instance's files while it moves."""

from nova_custom_driver.imagebackend import instance_directory
from tests.unit.imagebackend import factories


class InstanceDirectoryTest(factories.DirectoryTestCase):

    def setUp(self):
        super().setUp()
        self.directory = self.path / "instance"
        self.directory.mkdir()
        for name in ("disk", "disk.swap", "disk.config", "disk.info",
                     "console.log", "console.log.0", "kernel"):
            (self.directory / name).write_text(name)
        (self.directory / "swtpm").mkdir()

    def names(self):
        return sorted(path.name for path in self.directory.iterdir())

    def test_there_and_back(self):
        before = self.names()
        instance_directory.set_aside(self.directory)
        self.assertFalse(self.directory.exists())
        self.directory.mkdir()
        (self.directory / "new").touch()
        instance_directory.bring_back(self.directory)
        self.assertEqual(before, self.names())
        self.assertFalse(instance_directory.aside(self.directory).exists())

    def test_nothing_was_set_aside(self):
        before = self.names()
        instance_directory.bring_back(self.directory)
        self.assertEqual(before, self.names())

    def test_what_an_earlier_move_left_goes(self):
        kept = instance_directory.aside(self.directory)
        kept.mkdir()
        (kept / "stale").touch()
        instance_directory.set_aside(self.directory)
        self.assertFalse((kept / "stale").exists())
        self.assertTrue((kept / "disk").exists())

    def test_forgotten(self):
        instance_directory.set_aside(self.directory)
        for _ in range(2):
            instance_directory.forget(self.directory)
        self.assertEqual([], list(self.path.iterdir()))

    def test_what_goes_with_the_guest(self):
        carried = list(instance_directory.carried(self.directory))
        self.assertEqual(["disk", "disk.config", "disk.info", "kernel"],
                         [path.name for path in carried])
        elsewhere = self.path / "elsewhere"
        elsewhere.mkdir()
        carried[0].chmod(0o640)
        instance_directory.copy(carried[0], elsewhere)
        copy = elsewhere / "disk"
        self.assertEqual(("disk", 0o640),
                         (copy.read_text(), copy.stat().st_mode & 0o777))
