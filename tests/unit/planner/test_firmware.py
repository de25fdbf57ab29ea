"""guest-config F2-F5."""

import pathlib
import unittest

from nova import exception as nova_exception

from nova_custom_driver.spec import firmware
from tests.unit.planner import factories

UEFI = {"hw_firmware_type": "uefi", "hw_machine_type": "q35"}
SECURE = UEFI | {"os_secure_boot": "required"}


def a_record(**changes):
    fields = {
        "loader": pathlib.PurePosixPath("/usr/share/OVMF/CODE.fd"),
        "loader_type": "pflash", "loader_readonly": True,
        "loader_secure": None,
        "nvram": pathlib.PurePosixPath("/var/VARS.fd"),
        "nvram_template": None}
    return firmware.Record(**(fields | changes))


def planned(image=None, *, domain=None, able=True, **changes):
    domain = domain or factories.q35_facts(secure_boot=able)
    return factories.a_plan(
        image=UEFI if image is None else image, domain=domain,
        **changes).boot.firmware


class FirmwareTest(unittest.TestCase):

    def test_bios_unless_asked(self):
        self.assertEqual(firmware.Firmware(kind=firmware.Kind.BIOS),
                         planned({}, firmware_record=a_record()))

    def test_uefi_lets_libvirt_choose_at_first(self):
        self.assertEqual(firmware.Firmware(kind=firmware.Kind.UEFI),
                         planned())

    def test_uefi_keeps_what_was_chosen(self):
        self.assertEqual(a_record(),
                         planned(firmware_record=a_record()).record)

    def test_aarch64_starts_by_uefi(self):
        found = planned({}, host=factories.a_host(arch="aarch64"),
                        domain=factories.a_domain_facts(
                            arch="aarch64",
                            cpu_modes=frozenset(["host-passthrough"])))
        self.assertEqual(firmware.Kind.UEFI, found.kind)

    def test_refuses_uefi_where_there_is_none(self):
        with self.assertRaises(nova_exception.UEFINotSupported):
            planned(domain=factories.q35_facts(firmwares=frozenset(["bios"])))


class SecureBootTest(unittest.TestCase):

    def test_policies(self):
        for policy, able, expected in (
                ("required", True, True), ("optional", True, True),
                ("optional", False, False), ("disabled", True, False)):
            for place in ({"image": UEFI | {"os_secure_boot": policy}},
                          {"extra_specs": {"os:secure_boot": policy}}):
                with self.subTest(policy=policy, able=able, place=place):
                    self.assertIs(
                        expected, planned(able=able, **place).secure_boot)

    def test_required_where_it_cannot_be(self):
        pc = SECURE | {"hw_machine_type": "pc"}
        bios = SECURE | {"hw_firmware_type": "bios"}
        for image, able in ((SECURE, False), (pc, True), (bios, True)):
            with self.subTest(image=image), self.assertRaises(
                    nova_exception.SecureBootNotSupported):
                planned(image, able=able)

    def test_flavor_and_image_differ(self):
        with self.assertRaises(nova_exception.FlavorImageConflict):
            planned(SECURE, extra_specs={"os:secure_boot": "disabled"})

    def test_what_is_no_policy(self):
        with self.assertRaises(nova_exception.Invalid):
            planned(extra_specs={"os:secure_boot": "perhaps"})

    def test_files_of_the_other_kind_are_not_kept(self):
        secure, plain = a_record(loader_secure=True), a_record()
        self.assertIsNone(planned(firmware_record=secure).record)
        self.assertIsNone(planned(SECURE, firmware_record=plain).record)
        self.assertEqual(
            secure, planned(SECURE, firmware_record=secure).record)


class StatelessTest(unittest.TestCase):
    IMAGE = UEFI | {"hw_firmware_stateless": "true"}

    def test_no_variables(self):
        self.assertTrue(planned(self.IMAGE).stateless)
        self.assertFalse(planned().stateless)

    def test_firmware_that_keeps_some_is_replaced(self):
        found = planned(self.IMAGE, firmware_record=a_record())
        self.assertIsNone(found.record)
        bare = a_record(nvram=None)
        found = planned(self.IMAGE, firmware_record=bare)
        self.assertEqual(bare, found.record)

    def test_bios_has_none_to_keep(self):
        found = planned({"hw_firmware_stateless": "true"})
        self.assertEqual(firmware.Firmware(), found)

    def test_an_old_libvirt(self):
        with self.assertRaisesRegex(
                nova_exception.ComputeResourcesUnavailable, "8.6.0"):
            planned(self.IMAGE,
                    host=factories.a_host(libvirt_version=8_005_000))
