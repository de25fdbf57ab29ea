from nova import exception as nova_exception

from nova_custom_driver.imagebackend import acceptance
from tests.unit.imagebackend import factories

# The text QEMU, but not our own look, takes for a VMDK.
DESCRIPTOR = b"""# Disk DescriptorFile
version=1
CID=fffffffe
parentCID=ffffffff
createType="monolithicFlat"

RW 16 FLAT "/etc/passwd" 0
"""


class AcceptanceTest(factories.DirectoryTestCase):
    """storage C8."""

    def setUp(self):
        super().setUp()
        self.image = self.path / "image"

    def accept(self, disk_format, **changes):
        return acceptance.accept(
            self.image, factories.IMAGE, {"disk_format": disk_format},
            factories.settings(self.path, **changes))

    def assert_refused(self, disk_format, reason, **changes):
        with self.assertRaisesRegex(nova_exception.ImageUnacceptable, reason):
            self.accept(disk_format, **changes)

    def test_a_sound_image_is_accepted_with_either_inspection(self):
        for format_name in ("raw", "qcow2"):
            factories.image(self.image, format_name)
            for deep in (True, False):
                with self.subTest(format_name, deep_inspection=deep):
                    header = self.accept(format_name, deep_inspection=deep)
                    self.assertEqual((format_name, 8 * factories.MIB), (
                        header.format, header.virtual_size_bytes))

    def test_qemu_has_to_agree(self):
        factories.raw_image(self.image, content=DESCRIPTOR)
        self.assert_refused("raw", "is raw, but QEMU would take it for vmdk",
                            vmdk_allowed_types=("monolithicFlat",))

    def test_a_vmdk_has_to_be_of_an_allowed_type(self):
        factories.image(self.image, "vmdk", 8 * factories.MIB,
                        "-o", "subformat=streamOptimized")
        self.assert_refused("vmdk", "streamOptimized.*monolithicSparse")
        header = self.accept("vmdk", vmdk_allowed_types=("streamOptimized",))
        self.assertEqual("vmdk", header.format)

    def test_no_vmdk_is_accepted_if_no_type_is_allowed(self):
        factories.image(self.image, "vmdk")
        self.assert_refused("vmdk", "monolithicSparse", vmdk_allowed_types=())

    def test_files_of_the_host_are_refused_without_deep_inspection(self):
        host_file = factories.raw_image(self.path / "host-file")
        factories.qemu_img("create", "-f", "qcow2", "-b", host_file, "-F",
                           "raw", self.image, "8M")
        self.assert_refused("qcow2", f"backing file {host_file}",
                            deep_inspection=False)
        factories.qemu_img("create", "-f", "qcow2", "-o",
                           f"data_file={self.path}/data", self.image, "1M")
        self.assert_refused("qcow2", f"data file {self.path}/data",
                            deep_inspection=False)

    def test_what_qemu_cannot_read_in_its_limits_is_refused(self):
        """storage C9."""
        factories.image(self.image, "qcow2")
        self.assert_refused("qcow2", "qemu-img cannot read it",
                            address_space_limit_bytes=1 << 20)

    def test_a_raw_image_must_not_be_another_format(self):
        settings = factories.settings(self.path)
        factories.raw_image(self.image)
        acceptance.accept_raw(self.image, factories.IMAGE, settings)
        factories.image(self.image, "qcow2")
        with self.assertRaisesRegex(nova_exception.ImageUnacceptable,
                                    "itself a qcow2 image"):
            acceptance.accept_raw(self.image, factories.IMAGE, settings)
