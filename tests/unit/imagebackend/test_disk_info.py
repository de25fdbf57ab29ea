from concurrent import futures
import json
import pathlib
import tempfile

from hypothesis import given
from hypothesis import settings
from hypothesis import strategies as st
from nova import exception as nova_exception
import nova.conf
from nova.virt.libvirt import imagebackend as in_tree

from nova_custom_driver.imagebackend import disk_info
from tests.unit.imagebackend import factories

names = st.text(st.characters(exclude_characters="/\0",
                              exclude_categories=["Cs"]), min_size=1,
                max_size=30)
formats = st.sampled_from(sorted(disk_info.FORMATS))


class DiskInfoTest(factories.DirectoryTestCase):
    """storage F9."""

    def setUp(self):
        super().setUp()
        self.disk = self.path / "disk"
        self.file = self.path / "disk.info"
        self.info = disk_info.DiskInfo(self.path)

    @settings(deadline=None, max_examples=40)
    @given(st.dictionaries(names, formats, max_size=6))
    def test_formats_read_back_as_they_were_recorded(self, wanted):
        with tempfile.TemporaryDirectory() as directory:
            info = disk_info.DiskInfo(pathlib.Path(directory))
            paths = {pathlib.Path("/instances", name): format_name
                     for name, format_name in wanted.items()}
            for path, format_name in paths.items():
                info.record(path, format_name)
            self.assertEqual(paths, info.all())
            for path, format_name in paths.items():
                self.assertEqual(format_name, info.format(path))
                info.forget(path)
                self.assertIsNone(info.format(path))

    def test_a_path_that_was_not_recorded_has_no_format(self):
        self.assertIsNone(self.info.format(self.disk))
        self.info.record(self.path / "disk.swap", "raw")
        self.assertIsNone(self.info.format(self.disk))

    def test_a_format_never_changes(self):
        self.disk.touch()
        self.info.record(self.disk, "raw")
        self.info.record(self.disk, "raw")
        with self.assertRaisesRegex(nova_exception.InvalidDiskInfo,
                                    "recorded as raw"):
            self.info.record(self.disk, "qcow2")
        self.assertEqual("raw", self.info.format(self.disk))

    def test_what_was_recorded_of_a_file_that_is_gone_gives_way(self):
        self.info.record(self.disk, "raw")
        self.info.record(self.disk, "qcow2")
        self.assertEqual("qcow2", self.info.format(self.disk))

    def test_an_unknown_format_is_refused(self):
        self.file.write_text(json.dumps({str(self.disk): "vmdk"}))
        with self.assertRaisesRegex(nova_exception.InvalidDiskInfo, "vmdk"):
            self.info.format(self.disk)

    def test_a_damaged_file_is_refused_and_kept(self):
        for damage in ("{", "[]", "null", '"raw"'):
            with self.subTest(damage):
                self.file.write_text(damage)
                with self.assertRaises(nova_exception.InvalidDiskInfo):
                    self.info.format(self.disk)
                with self.assertRaises(nova_exception.InvalidDiskInfo):
                    self.info.record(self.disk, "raw")
                self.assertEqual(damage, self.file.read_text())

    def test_an_empty_file_records_nothing(self):
        """The in-tree driver creates the file before it writes it."""
        self.file.touch()
        self.assertIsNone(self.info.format(self.disk))

    def test_threads_do_not_lose_each_others_records(self):
        paths = [self.path / f"disk.eph{number}" for number in range(40)]
        with futures.ThreadPoolExecutor(8) as pool:
            list(pool.map(
                lambda path: disk_info.DiskInfo(self.path).record(
                    path, "qcow2"), paths))
        self.assertEqual(dict.fromkeys(paths, "qcow2"), self.info.all())

    def test_only_its_owner_may_write_the_file(self):
        self.info.record(self.disk, "raw")
        self.assertEqual(0o644, self.file.stat().st_mode & 0o777)


class InTreeTest(factories.DirectoryTestCase):
    """The in-tree driver and ours read each other's file."""

    def setUp(self):
        super().setUp()
        nova.conf.CONF.set_override("instances_path", str(self.path))
        self.addCleanup(nova.conf.CONF.clear_override, "instances_path")
        self.disk = factories.image(self.path / "disk", "qcow2")

    def test_it_believes_what_we_recorded(self):
        disk_info.DiskInfo(self.path).record(self.disk, "raw")
        self.assertEqual(
            "raw", in_tree.Flat(path=str(self.disk)).driver_format)

    def test_we_believe_what_it_recorded(self):
        in_tree.Qcow2(path=str(self.disk))
        info = disk_info.DiskInfo(self.path)
        self.assertEqual("qcow2", info.format(self.disk))
        info.record(self.path / "disk.swap", "raw")
        self.assertEqual("qcow2", info.format(self.disk))
