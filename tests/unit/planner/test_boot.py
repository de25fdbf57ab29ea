"""guest-config B4, B6, B7, B9, B12-B14, D20."""

import pathlib
import unittest

from nova import exception as nova_exception

from nova_custom_driver.planner import boot
from nova_custom_driver.spec import firmware
from nova_custom_driver.spec import guest as spec
from tests.unit.planner import factories

KERNEL = pathlib.PurePosixPath("/srv/kernel")
RAMDISK = pathlib.PurePosixPath("/srv/ramdisk")
CONSOLES = "console=tty0 console=ttyS0 console=hvc0"


def a_boot(**changes):
    return factories.a_plan(**changes).boot


class SmbiosTest(unittest.TestCase):

    def test_tells_the_instance_and_novas_release(self):
        self.assertEqual(
            spec.Smbios(manufacturer="Vendor", product="Product",
                        version="34.0.0", serial=factories.UUID,
                        uuid=factories.UUID, family="Virtual Machine"),
            a_boot().smbios)

    def test_only_x86_has_one(self):
        self.assertIsNone(a_boot(
            image={"hw_emulation_architecture": "ppc64le"},
            domain=factories.a_domain_facts(
                arch="ppc64le", virt_type="qemu")).smbios)

    def test_serial(self):
        machine_id = "0123456789abcdef0123456789abcdef"
        dashed = "01234567-89ab-cdef-0123-456789abcdef"
        for rule, given, expected in (
                ("unique", machine_id, "guest"), ("none", machine_id, None),
                ("hardware", machine_id, "host"), ("os", machine_id, dashed),
                ("auto", machine_id, dashed), ("auto", None, "host")):
            with self.subTest(rule=rule, machine_id=given):
                self.assertEqual(
                    expected, boot.serial(rule, "guest", given, "host"))

    def test_serial_of_an_os_without_a_machine_id(self):
        for machine_id in (None, "uninitialized"):
            with self.assertRaisesRegex(nova_exception.InternalError,
                                        "machine-id"):
                boot.serial("os", "guest", machine_id, "host")

    def test_the_rule_is_the_operators(self):
        self.assertEqual(factories.HOST_UUID, a_boot(
            settings={"sysinfo_serial": "hardware"}).smbios.serial)


class OsTypeTest(unittest.TestCase):

    def test_hvm(self):
        for mode in (None, "hvm", "hv", "HVM"):
            with self.subTest(mode=mode):
                self.assertEqual("hvm", a_boot(
                    instance={"vm_mode": mode}).os_type)

    def test_refuses_modes_of_other_hypervisors(self):
        with self.assertRaisesRegex(nova_exception.InvalidInput, "xen"):
            a_boot(image={"hw_vm_mode": "xen"})
        with self.assertRaises(nova_exception.InvalidInput):
            a_boot(instance={"vm_mode": "exe"})

    def test_refuses_modes_that_nobody_knows(self):
        with self.assertRaisesRegex(
                nova_exception.InvalidVirtualMachineMode, "dream"):
            a_boot(instance={"vm_mode": "dream"})


class KernelTest(unittest.TestCase):

    def test_none(self):
        self.assertIsNone(a_boot().kernel)

    def test_kernel_and_ramdisk(self):
        self.assertEqual(
            firmware.Kernel(kernel=KERNEL, ramdisk=RAMDISK,
                            command_line=f"root=/dev/vda {CONSOLES}"),
            a_boot(kernel=KERNEL, ramdisk=RAMDISK).kernel)

    def test_no_boot_devices_beside_a_kernel(self):
        self.assertEqual((), a_boot(kernel=KERNEL).devices)

    def test_an_emulated_timer_is_not_checked(self):
        line = a_boot(kernel=KERNEL, domain=factories.a_domain_facts(
            virt_type="qemu")).kernel.command_line
        self.assertEqual(f"root=/dev/vda {CONSOLES} no_timer_check", line)

    def test_the_images_command_line_replaces_ours(self):
        self.assertEqual("quiet", a_boot(
            kernel=KERNEL, image={"os_command_line": "quiet"},
            ).kernel.command_line)

    def test_the_root_is_the_images_disk_though_never_booted(self):
        info = {"image": [{"device_name": "/dev/vdb", "boot_index": -1}]}
        self.assertIn("root=/dev/vdb ", a_boot(
            kernel=KERNEL, block_device_info=info).kernel.command_line)

    def test_the_root_may_be_a_volume(self):
        info = {"block_device_mapping": [
            {"mount_device": "/dev/sdc", "disk_bus": "scsi", "boot_index": 0,
             "connection_info": {"serial": factories.VOLUME}}]}
        self.assertIn("root=/dev/sdc ", a_boot(
            kernel=KERNEL, block_device_info=info).kernel.command_line)


class DevicesTest(unittest.TestCase):

    def test_each_kind_once_in_order_of_rank(self):
        kinds = (("disk", 2), ("cdrom", 0), ("lun", 1), ("floppy", 10),
                 ("disk", None))
        info = {"block_device_mapping": [
            {"mount_device": None, "device_type": kind, "boot_index": rank,
             "connection_info": {"serial": str(number)}}
            for number, (kind, rank) in enumerate(kinds)]}
        self.assertEqual(("cdrom", "hd", "fd"),
                         a_boot(block_device_info=info).devices)


class MenuTest(unittest.TestCase):

    def test_the_image_wins_when_it_speaks(self):
        for flavor, image, expected in (
                (None, None, False), ("true", None, True),
                ("true", "false", False), ("no", "true", True)):
            with self.subTest(flavor=flavor, image=image):
                self.assertEqual(expected, a_boot(
                    extra_specs={"hw:boot_menu": flavor} if flavor else {},
                    image={"hw_boot_menu": image} if image else {}).menu)
