"""driver-contract C11, C12, C14 to C16, C20, C23, C25; placement A1."""

import unittest
from unittest import mock

from nova.virt import driver as nova_driver

from nova_custom_driver.planner import refusals
from nova_custom_driver.virt.ops import host_capabilities
from tests.unit.virt.ops import factories


class OfTest(unittest.TestCase):

    def setUp(self):
        self.refuse()

    def refuse(self, *extra_specs):
        self.enterContext(mock.patch.object(
            refusals, "REFUSED", tuple(
                (name, None, ()) for name in extra_specs)))

    def of(self, *, secure=(True,), disk=None, resources=None, guest=None,
           **host):
        found = host_capabilities.of(
            factories.host_facts(**host),
            [factories.domain_facts(secure_boot=each) for each in secure],
            factories.guest_settings(**guest or {}),
            factories.disk_settings(**disk or {}),
            factories.resource_settings(**resources or {}))
        return {name.removeprefix("supports_")
                for name, has in found.items() if has}

    def test_a_host_as_usual(self):
        """driver-contract C11, C12, C16, C25."""
        self.assertEqual(
            {"accelerators", "address_space_emulated",
             "address_space_passthrough", "image_type_qcow2", "pcpus",
             "secure_boot", "socket_pci_numa_affinity"}, self.of())

    def test_names_are_nova_s(self):
        known = {*nova_driver.CAPABILITY_TRAITS_MAP,
                 *nova_driver.ComputeDriver.capabilities}
        self.assertEqual(set(), set(host_capabilities.ASKED_BY) - known)

    def test_secure_boot_on_any_machine(self):
        """driver-contract C15; placement-reporting Q6."""
        self.assertIn("secure_boot", self.of(secure=(False, True)))
        self.assertNotIn("secure_boot", self.of(secure=(False,)))

    def test_width_of_addresses(self):
        """driver-contract C20; placement-reporting Q7."""
        found = self.of(libvirt_version=8_006_000)
        self.assertNotIn("address_space_emulated", found)
        self.assertNotIn("address_space_passthrough", found)

    def test_tpm(self):
        """driver-contract C14."""
        self.assertIn("vtpm", self.of(guest={"tpm": True}))

    def test_memory_in_files(self):
        """driver-contract C23."""
        self.assertIn("mem_backing_file",
                      self.of(resources={"file_backed_memory_mib": 1024}))

    def test_qcow2_images_on_raw_storage(self):
        """driver-contract C25; placement-reporting Q2."""
        for kind in ("rbd", "lvm"):
            for force in (True, False):
                found = self.of(disk={"images_type": kind,
                                      "force_raw_images": force})
                self.assertIs(force, "image_type_qcow2" in found)

    def test_what_is_refused_is_not_promised(self):
        """driver-contract C11, C12, C14, C15, C16, C20."""
        self.refuse(*host_capabilities.ASKED_BY.values())
        self.assertEqual(
            {"image_type_qcow2", "accelerators", "socket_pci_numa_affinity"},
            self.of(guest={"tpm": True}))
