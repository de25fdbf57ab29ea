"""guest-config D1-D5, D7, D8; what M58-M60 of driver-contract stand on."""

import unittest

from hypothesis import given
from hypothesis import strategies as st
from nova import block_device as nova_block_device
from nova import exception as nova_exception

from nova_custom_driver.planner import block_devices
from nova_custom_driver.planner import disk_names
from nova_custom_driver.spec import disk as spec
from tests.unit.planner import factories


def names(taken=(), **settings):
    return disk_names.Names(factories.guest_settings(**settings), taken)


def default(device=spec.Device.DISK, *, machine="pc", domain=None, **image):
    return disk_names.default_bus(
        factories.an_image(**image), device, machine,
        domain or factories.a_domain_facts())


class TargetNameTest(unittest.TestCase):

    def test_as_the_kernel_counts(self):
        self.assertEqual(
            ["vda", "vdz", "vdaa", "vdzz", "vdaaa"],
            [disk_names.target_name("vd", i) for i in (0, 25, 26, 701, 702)])

    @given(st.integers(0, 18277))
    def test_as_nova_counts(self, index):
        self.assertEqual(
            nova_block_device.generate_device_name("vd", index),
            disk_names.target_name("vd", index))


class NamesTest(unittest.TestCase):

    def test_each_bus_its_prefix(self):
        self.assertEqual(
            {"virtio": "vda", "scsi": "sda", "sata": "sda", "usb": "sda",
             "ide": "hda", "fdc": "fda"},
            {bus.value: names().free(bus) for bus in spec.Bus})

    def test_the_operators_prefix(self):
        """guest-config D7."""
        self.assertEqual("xvda", names(disk_prefix="xvd").free(spec.Bus.IDE))

    def test_buses_that_share_a_prefix_share_its_names(self):
        given_out = names()
        self.assertEqual(
            ["sda", "sdb", "sdc"], [given_out.free(bus) for bus in (
                spec.Bus.SCSI, spec.Bus.SATA, spec.Bus.USB)])

    def test_names_of_others_are_not_free(self):
        self.assertEqual("vdb", names(["vda", "vdc"]).free(spec.Bus.VIRTIO))

    def test_a_name_is_reserved_once(self):
        given_out = names(["vda"])
        self.assertEqual(["vda", None], [given_out.reserve("vda"),
                                         given_out.reserve("vda")])

    def test_ide_has_room_for_four(self):
        """guest-config D8."""
        given_out = names(max_disk_devices=10)
        for _disk in range(4):
            given_out.free(spec.Bus.IDE)
        with self.assertRaisesRegex(nova_exception.TooManyDiskDevices, r"4"):
            given_out.free(spec.Bus.IDE)

    @given(st.integers(0, 40))
    def test_other_buses_have_what_the_operator_allows(self, most):
        """guest-config D8."""
        given_out = names(max_disk_devices=most)
        for _disk in range(most):
            given_out.free(spec.Bus.VIRTIO)
        with self.assertRaises(nova_exception.TooManyDiskDevices):
            given_out.free(spec.Bus.VIRTIO)

    @given(st.lists(st.sampled_from(list(spec.Bus)).filter(
        lambda bus: bus is not spec.Bus.IDE), max_size=60))
    def test_no_two_disks_share_a_name(self, buses):
        given_out = names()
        found = [given_out.free(bus) for bus in buses]
        self.assertEqual(len(found), len(set(found)))


class DefaultBusTest(unittest.TestCase):

    def test_each_kind_its_own(self):
        self.assertEqual(
            {"disk": "virtio", "lun": "virtio", "cdrom": "ide",
             "floppy": "fdc"},
            {device.value: default(device).value for device in spec.Device})

    def test_a_cdrom_where_there_is_no_ide(self):
        self.assertIs(spec.Bus.SATA, default(
            spec.Device.CDROM, machine="pc-q35-7.2",
            domain=factories.q35_facts()))
        for arch in ("ppc64le", "s390x", "aarch64"):
            self.assertIs(spec.Bus.SCSI, default(
                spec.Device.CDROM, machine="virt",
                domain=factories.a_domain_facts(arch=arch)))

    def test_the_image_chooses(self):
        for device, name, bus in (
                (spec.Device.DISK, "hw_disk_bus", "scsi"),
                (spec.Device.CDROM, "hw_cdrom_bus", "usb"),
                (spec.Device.FLOPPY, "hw_floppy_bus", "fdc")):
            self.assertEqual(bus, default(device, **{name: bus}))

    def test_refuses_a_bus_this_machine_lacks(self):
        for bus in ("ide", "xen", "lxc", "uml"):
            with self.subTest(bus=bus), self.assertRaisesRegex(
                    nova_exception.UnsupportedHardware, f"{bus}.*kvm"):
                default(domain=factories.q35_facts(), machine="q35",
                        hw_disk_bus=bus)

    def test_refuses_it_for_drives_too(self):
        for device in (spec.Device.CDROM, spec.Device.FLOPPY):
            with self.subTest(device=device), self.assertRaisesRegex(
                    nova_exception.UnsupportedHardware, "xen.*kvm"):
                default(device, **{f"hw_{device}_bus": "xen"})


class BusTest(unittest.TestCase):

    def bus(self, *, domain=None, image=None, **mapping):
        device = block_devices.device(mapping)
        return disk_names.bus(
            device, disk_names.kind(device.device_type),
            factories.an_image(**(image or {})), "pc",
            domain or factories.a_domain_facts())

    def test_the_one_asked_for(self):
        self.assertEqual("sata", self.bus(
            disk_bus="sata", device_name="/dev/vda"))

    def test_one_that_cannot_be_gives_way_to_the_names(self):
        self.assertEqual("scsi", self.bus(
            disk_bus="xen", device_name="/dev/sdb"))

    def test_what_each_name_speaks_of(self):
        for prefix, bus in (("vd", "virtio"), ("sd", "scsi"), ("hd", "ide"),
                            ("fd", "fdc")):
            self.assertEqual(bus, self.bus(
                disk_bus="xen", device_name=f"/dev/{prefix}b",
                image={"hw_disk_bus": "sata"}))

    def test_and_that_to_the_usual(self):
        for name in (None, "/dev/xvda", "/dev/hda"):
            with self.subTest(name=name):
                self.assertEqual("virtio", self.bus(
                    disk_bus="xen", device_name=name,
                    domain=factories.q35_facts()))

    def test_the_images_for_one_that_asks_for_none(self):
        self.assertEqual("usb", self.bus(
            device_name="/dev/vda", image={"hw_disk_bus": "usb"}))

    def test_of_its_kind(self):
        self.assertEqual("ide", self.bus(device_type="cdrom"))
        self.assertEqual("virtio", self.bus(device_type="something"))
