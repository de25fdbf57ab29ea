import contextlib
import functools
import logging
import struct

from hypothesis import given
from hypothesis import settings
from hypothesis import strategies as st
from nova import exception as nova_exception

from nova_custom_driver.imagebackend import image_format
from tests.unit.imagebackend import factories

MIB = factories.MIB


class ImageFormatTestCase(factories.DirectoryTestCase):

    def setUp(self):
        super().setUp()
        self.image = self.path / "image"

    def assert_refused(self, claimed, reason):
        with self.assertRaisesRegex(nova_exception.ImageUnacceptable, reason):
            image_format.check(self.image, factories.IMAGE, claimed)


class CheckTest(ImageFormatTestCase):
    """storage C8."""

    def check(self, claimed):
        return image_format.check(self.image, factories.IMAGE, claimed)

    def test_an_image_of_the_claimed_format_is_taken(self):
        for glance, qemu in (("qcow2", "qcow2"), ("vhdx", "vhdx"),
                             ("vdi", "vdi"), ("vmdk", "vmdk"),
                             ("raw", "raw")):
            with self.subTest(glance):
                factories.image(self.image, qemu)
                header = self.check(glance)
                self.assertEqual((qemu, 8 * MIB), (
                    header.format, header.virtual_size_bytes))

    def test_qemu_calls_vhd_by_another_name(self):
        factories.image(self.image, "vpc", 8 * MIB, "-o", "force_size=on")
        header = self.check("vhd")
        self.assertEqual(("vpc", 8 * MIB), (
            header.format, header.virtual_size_bytes))

    def test_a_qcow2_image_tells_its_cluster_size(self):
        factories.image(self.image, "qcow2", 8 * MIB,
                        "-o", "cluster_size=2M")
        self.assertEqual(2 * MIB, self.check("qcow2").cluster_size_bytes)

    def test_a_raw_image_has_no_cluster_size(self):
        factories.raw_image(self.image)
        self.assertIsNone(self.check("raw").cluster_size_bytes)

    def test_a_raw_image_may_be_partitioned(self):
        factories.gpt_image(self.image)
        self.assertEqual("raw", self.check("raw").format)

    def test_a_file_shorter_than_any_header_is_raw(self):
        self.image.write_bytes(b"x")
        self.assertEqual(1, self.check("raw").virtual_size_bytes)

    def test_other_content_than_claimed_is_refused(self):
        factories.image(self.image, "qcow2")
        for claimed in ("raw", "vmdk", "iso"):
            with self.subTest(claimed):
                self.assert_refused(claimed, f"{claimed}.*qcow2")

    def test_a_format_nobody_knows_is_refused(self):
        factories.raw_image(self.image)
        self.assert_refused("ploop", "ploop is not supported")

    def test_a_backing_file_is_refused(self):
        factories.qemu_img("create", "-f", "qcow2", "-b", "/etc/passwd",
                           "-F", "raw", self.image, "1M")
        self.assert_refused("qcow2", "backing_file")

    def test_a_data_file_is_refused(self):
        factories.qemu_img("create", "-f", "qcow2", "-o",
                           f"data_file={self.path}/data", self.image, "1M")
        self.assert_refused("qcow2", "data_file")

    def test_two_formats_in_one_are_refused(self):
        factories.gpt_image(self.image)
        with self.image.open("r+b") as file:
            file.write(b"QFI\xfb" + struct.pack(">I", 3))
        self.assert_refused("qcow2", "no proper format")

    def test_machine_images_are_raw_whatever_is_in_them(self):
        factories.gpt_image(self.image)
        for claimed in ("ami", "aki", "ari"):
            with self.subTest(claimed):
                self.assertEqual("raw", self.check(claimed).format)

    def test_machine_images_must_be_safe_too(self):
        factories.qemu_img("create", "-f", "qcow2", "-b", "/etc/passwd",
                           "-F", "raw", self.image, "1M")
        self.assert_refused("ami", "backing_file")


class HostileTest(ImageFormatTestCase):
    """storage C8: whatever a header says, it is taken or refused."""

    def setUp(self):
        super().setUp()
        # oslo.utils tells of every flaw.
        logging.disable(logging.CRITICAL)
        self.addCleanup(logging.disable, logging.NOTSET)

    @settings(deadline=None, max_examples=300)
    @given(st.sampled_from(["qcow2", "vmdk", "vhdx", "vdi", "vhd", "gpt"]),
           st.lists(st.tuples(st.integers(0, 1024), st.binary(max_size=8)),
                    min_size=1, max_size=4),
           st.none() | st.integers(0, 70000))
    def test_any_header(self, claimed, changes, length):
        content = bytearray(self.header(claimed))
        for position, replacement in changes:
            content[position:position + len(replacement)] = replacement
        self.image.write_bytes(content[:length])
        with contextlib.suppress(nova_exception.ImageUnacceptable):
            header = image_format.check(self.image, factories.IMAGE, claimed)
            self.assertGreaterEqual(header.virtual_size_bytes, 0)
        with contextlib.suppress(nova_exception.InvalidDiskInfo):
            image_format.read(self.image)

    @functools.cache  # noqa: B019
    def header(self, claimed):
        path = self.path / claimed
        if claimed == "gpt":
            factories.gpt_image(path)
        else:
            factories.image(path, {"vhd": "vpc"}.get(claimed, claimed))
        with path.open("rb") as file:
            return file.read(1 << 18)

    def test_clusters_larger_than_memory_are_refused(self):
        factories.image(self.image, "qcow2")
        with self.image.open("r+b") as file:
            file.seek(20)
            file.write(b"\xff" * 4)
        self.assert_refused("qcow2", "clusters of 2")


class IsoTest(ImageFormatTestCase):
    """storage C8: CDs are raw disks to QEMU."""

    def setUp(self):
        super().setUp()
        # A volume descriptor, where ECMA-119 has the first one.
        factories.raw_image(self.image, MIB, content=bytes(0x8000)
                            + b"\x01CD001\x01" + bytes(2041))

    def test_a_cd_is_raw(self):
        header = image_format.check(self.image, factories.IMAGE, "iso")
        self.assertEqual(("raw", MIB), (
            header.format, header.virtual_size_bytes))

    def test_a_cd_may_have_a_partition_table(self):
        with self.image.open("r+b") as file:
            file.write(factories.gpt_image(self.path / "gpt", MIB)
                       .read_bytes()[:1024])
        header = image_format.check(self.image, factories.IMAGE, "iso")
        self.assertEqual("raw", header.format)

    def test_a_cd_is_not_a_disk_image(self):
        self.assert_refused("raw", "its content is iso")


class ReadTest(ImageFormatTestCase):
    """storage B2: a base is looked at again before it is used."""

    def test_a_base_is_what_its_header_says(self):
        factories.image(self.image, "qcow2", 8 * MIB)
        self.assertEqual(
            image_format.Header(format="qcow2", virtual_size_bytes=8 * MIB,
                                cluster_size_bytes=65536),
            image_format.read(self.image))

    def test_a_base_that_is_not_safe_is_refused(self):
        factories.qemu_img("create", "-f", "qcow2", "-b", "/etc/passwd",
                           "-F", "raw", self.image, "1M")
        with self.assertRaises(nova_exception.InvalidDiskInfo):
            image_format.read(self.image)

    def test_the_size_of_a_guests_disk_is_read_from_its_header(self):
        factories.qemu_img("create", "-f", "qcow2", self.image, "3G")
        self.assertEqual(3 << 30, image_format.virtual_size(self.image))
