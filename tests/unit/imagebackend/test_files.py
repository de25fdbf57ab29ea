import os
from unittest import mock

from nova_custom_driver.imagebackend import files
from tests.unit.imagebackend import factories


class WholeTest(factories.DirectoryTestCase):

    def setUp(self):
        super().setUp()
        self.file = self.path / "file"

    def names(self):
        return sorted(path.name for path in self.path.iterdir())

    def test_a_file_has_its_name_when_it_is_whole(self):
        with files.whole(self.file) as part:
            part.write_text("half")
            self.assertFalse(self.file.exists())
        self.assertEqual("half", self.file.read_text())
        self.assertEqual(["file"], self.names())

    def test_nothing_is_left_of_a_failure(self):
        with self.assertRaises(KeyboardInterrupt), \
                files.whole(self.file) as part:
            part.write_text("half")
            raise KeyboardInterrupt
        self.assertEqual([], self.names())

    def test_a_failure_keeps_what_was_there(self):
        self.file.write_text("old")
        with self.assertRaises(OSError), files.whole(self.file) as part:
            part.write_text("half")
            raise OSError
        self.assertEqual("old", self.file.read_text())

    def test_the_rest_of_an_earlier_attempt_is_gone_first(self):
        files.part_of(self.file).write_text("a longer rest")
        with files.whole(self.file) as part:
            self.assertFalse(part.exists())
            part.write_text("new")
        self.assertEqual("new", self.file.read_text())

    def test_content_is_synced_before_it_has_a_name_and_the_name_after(self):
        order = []
        with mock.patch.object(
                files, "sync",
                lambda path: order.append((path, self.file.exists()))), \
                files.whole(self.file) as part:
            part.touch()
        self.assertEqual([(files.part_of(self.file), False),
                          (self.path, True)], order)


class SyncTest(factories.DirectoryTestCase):

    def test_files_and_directories_reach_the_disk(self):
        file = self.path / "file"
        file.touch()
        synced = []
        before = os.listdir("/proc/self/fd")
        with mock.patch.object(
                os, "fsync",
                lambda number: synced.append(os.fstat(number).st_ino)):
            files.sync(file)
            files.sync(self.path)
        self.assertEqual([file.stat().st_ino, self.path.stat().st_ino],
                         synced)
        self.assertEqual(before, os.listdir("/proc/self/fd"))
