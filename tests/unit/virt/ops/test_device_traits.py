"""placement-reporting T5, T9 to T12, Q3, Q5."""

import unittest
from unittest import mock

import os_traits

from nova_custom_driver.planner import refusals
from nova_custom_driver.virt.ops import device_traits
from tests.unit.virt.ops import factories


class TraitsTest(unittest.TestCase):

    def setUp(self):
        self.refuse()

    def refuse(self, *extra_specs):
        self.enterContext(mock.patch.object(
            refusals, "REFUSED", tuple(
                (name, None, ()) for name in extra_specs)))

    def having(self, prefix, *, settings=None, domains=None, **host):
        found = device_traits.traits(
            factories.host_facts(**host),
            domains or (factories.domain_facts(),),
            factories.guest_settings(**settings or {}))
        return {name.removeprefix(prefix) for name, has in found.items()
                if has and name.startswith(prefix)}

    def tpm(self, model=("tpm-tis",), version=("2.0",), **settings):
        enums = {"tpm/model": frozenset(model)}
        if version is not None:
            enums["tpm/backendVersion"] = frozenset(version)
        return self.having(
            "COMPUTE_SECURITY_TPM_",
            domains=(factories.domain_facts(),
                     factories.domain_facts(enums=enums)),
            settings={"tpm": True, **settings})

    def test_packed_rings(self):
        """placement-reporting T5, Q3."""
        self.assertEqual({"PACKED"}, self.having("COMPUTE_NET_VIRTIO_"))

    def test_iommus(self):
        """placement-reporting T9."""
        prefix = "COMPUTE_VIOMMU_MODEL_"
        self.assertEqual({"AUTO", "INTEL", "VIRTIO"}, self.having(prefix))
        self.assertEqual(
            {"AUTO", "SMMUV3"},
            self.having(prefix, arch="aarch64", libvirt_version=8_002_000))

    def test_tpms(self):
        """placement-reporting T10, Q5."""
        self.assertEqual({"TIS", "2_0"}, self.tpm())
        self.assertEqual({"TIS", "CRB", "1_2", "2_0"}, self.tpm(
            model=("tpm-tis", "tpm-crb", "tpm-spapr"),
            version=("1.2", "2.0")))

    def test_a_libvirt_that_does_not_list_versions(self):
        """placement-reporting T10."""
        self.assertEqual({"TIS", "1_2", "2_0"}, self.tpm(version=None))

    def test_who_holds_the_secret(self):
        """placement-reporting T11, Q5."""
        self.assertEqual(
            {"TIS", "2_0", "SECRET_SECURITY_USER", "SECRET_SECURITY_HOST"},
            self.tpm(tpm_secret_security=frozenset(("user", "host"))))

    def test_no_tpm_where_the_operator_has_none(self):
        """placement-reporting T10, T11: nothing stays of an earlier day."""
        self.assertEqual(set(), self.tpm(
            tpm=False, tpm_secret_security=frozenset(("user", "host"))))

    def test_sound_cards(self):
        """placement-reporting T12, Q3."""
        prefix = "COMPUTE_SOUND_MODEL_"
        old = {"SB16", "ES1370", "PCSPK", "AC97", "ICH6", "ICH9", "USB"}
        for libvirt, qemu, virtio in (
                (10_004_000, 8_002_000, {"VIRTIO"}),
                (10_003_000, 8_002_000, set()),
                (10_004_000, 8_001_000, set())):
            self.assertEqual(old | virtio, self.having(
                prefix, libvirt_version=libvirt, qemu_version=qemu))

    def test_what_is_refused_is_not_promised(self):
        """placement-reporting T5, T9 to T12: said to be missing, so that
        nothing stays that another driver has claimed.
        """
        self.refuse("hw:virtio_packed_ring", "hw:sound_model",
                    "hw:viommu_model", "hw:tpm_version")
        self.assertEqual(set(), self.having(""))

    def test_none_is_left_unsaid(self):
        """A trait that is not spoken of stays as it was."""
        known = {
            trait for prefix in device_traits.ASKED_BY
            for trait in os_traits.get_traits(prefix=prefix)}
        for refused in ((), device_traits.ASKED_BY.values()):
            self.refuse(*refused)
            self.assertEqual(known, set(device_traits.traits(
                factories.host_facts(), (), factories.guest_settings())))
