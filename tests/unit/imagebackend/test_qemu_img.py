import json
import os
from unittest import mock

from nova import exception as nova_exception
from oslo_concurrency import processutils

from nova_custom_driver import exception
from nova_custom_driver.imagebackend import command
from nova_custom_driver.imagebackend import qemu_img
from tests.unit.imagebackend import factories

MIB = factories.MIB
LIMITS = qemu_img.Limits(cpu_seconds=30, address_space_bytes=2 << 30)


def failing_half_way(path):
    def run(*_):
        path.write_bytes(b"half")
        raise processutils.ProcessExecutionError(stderr="half way")

    return mock.patch.object(command, "run", run)


class QemuImgTest(factories.DirectoryTestCase):

    def setUp(self):
        super().setUp()
        self.image = self.path / "image"
        self.base = self.path / "base"

    def describe(self, path):
        return json.loads(factories.qemu_img("info", "--output=json", path))

    def test_an_empty_image_has_the_format_and_size_asked_for(self):
        for format_name in ("raw", "qcow2"):
            with self.subTest(format_name):
                qemu_img.create(self.image, format_name, 5 * MIB)
                found = self.describe(self.image)
                self.assertEqual((format_name, 5 * MIB), (
                    found["format"], found["virtual-size"]))

    def test_an_overlay_names_its_base_and_the_bases_format(self):
        """storage B2."""
        for format_name in ("raw", "qcow2"):
            with self.subTest(format_name):
                factories.image(self.base, format_name)
                qemu_img.create_overlay(self.image, self.base, format_name,
                                        16 * MIB, 65536)
                found = self.describe(self.image)
                self.assertEqual(
                    ("qcow2", 16 * MIB, str(self.base), format_name),
                    (found["format"], found["virtual-size"],
                     found["backing-filename"],
                     found["backing-filename-format"]))

    def test_an_overlay_has_clusters_as_large_as_its_base(self):
        """storage B2."""
        factories.image(self.base, "qcow2", 8 * MIB, "-o", "cluster_size=2M")
        qemu_img.create_overlay(self.image, self.base, "qcow2", 16 * MIB,
                                2 * MIB)
        self.assertEqual(2 * MIB, self.describe(self.image)["cluster-size"])

    def test_an_overlay_that_fails_leaves_nothing(self):
        with self.assertRaisesRegex(exception.HostError, "create disk .*base"):
            qemu_img.create_overlay(self.image, self.base, "raw", MIB)
        self.assertFalse(self.image.exists())

    def test_nothing_is_left_of_a_half_made_image(self):
        with failing_half_way(self.image), \
                self.assertRaisesRegex(exception.HostError, "half way"):
            qemu_img.create(self.image, "raw", MIB)
        self.assertFalse(self.image.exists())

    def test_a_missing_program_is_this_hosts_failure(self):
        with mock.patch.dict(os.environ, PATH=str(self.path)), \
                self.assertRaises(exception.HostError):
            qemu_img.create(self.image, "raw", MIB)

    def test_packing_keeps_the_content(self):
        qemu_img.pack(factories.raw_image(self.base), self.image)
        self.assertEqual("qcow2", self.describe(self.image)["format"])
        factories.qemu_img("compare", "-f", "qcow2", "-F", "raw", self.image,
                           self.base)


class ConvertTest(factories.DirectoryTestCase):
    """storage C9."""

    def setUp(self):
        super().setUp()
        self.source = factories.image(self.path / "source", "qcow2")
        self.raw = self.path / "raw"

    def convert(self, format_name="qcow2", limits=LIMITS, direct_io=False):
        qemu_img.convert_to_raw(
            self.source, format_name, self.raw, factories.IMAGE,
            limits=limits, direct_io=direct_io)

    def test_the_result_is_the_guests_view(self):
        for direct_io in (True, False):
            with self.subTest(direct_io=direct_io):
                self.convert(direct_io=direct_io)
                content = self.raw.read_bytes()
                self.assertEqual(8 * MIB, len(content))
                self.assertEqual(factories.CONTENT, content[:512])

    def test_the_format_is_not_guessed(self):
        self.convert("raw")
        self.assertEqual(b"QFI\xfb", self.raw.read_bytes()[:4])

    def test_what_is_no_such_image_is_refused_and_leaves_nothing(self):
        self.source.write_bytes(b"QFI\xfb" + bytes(4096))
        with self.assertRaisesRegex(nova_exception.ImageUnacceptable,
                                    factories.IMAGE):
            self.convert()
        self.assertFalse(self.raw.exists())

    def test_nothing_is_left_of_half_a_conversion(self):
        with failing_half_way(self.raw), self.assertRaisesRegex(
                nova_exception.ImageUnacceptable, "half way"):
            self.convert()
        self.assertFalse(self.raw.exists())

    def test_an_image_that_takes_too_much_memory_is_refused(self):
        limits = qemu_img.Limits(cpu_seconds=30, address_space_bytes=1 << 20)
        with self.assertRaises(nova_exception.ImageUnacceptable):
            self.convert(limits=limits)
        self.assertFalse(self.raw.exists())

    def test_a_full_host_is_no_fault_of_the_image(self):
        """Nova then tries another host."""
        self.source.write_bytes(b"no image")
        full = mock.Mock(f_bavail=0, f_frsize=4096)
        with mock.patch.object(os, "statvfs", return_value=full), \
                self.assertRaises(exception.HostError):
            self.convert()
        self.assertFalse(self.raw.exists())

    def test_processor_time_grows_with_the_file(self):
        self.assertIn("--cpu=30", LIMITS.prefix())
        self.assertIn("--cpu=42", LIMITS.prefix(12))
        with mock.patch.object(command, "run") as execute:
            os.truncate(self.source, 12 * qemu_img.BYTES_PER_SECOND)
            self.convert()
        self.assertIn("--cpu=42", execute.call_args.args)
