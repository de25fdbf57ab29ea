import unittest

from nova import exception as nova_exception

from nova_custom_driver import exception
from nova_custom_driver.planner import iommu
from nova_custom_driver.spec import device as spec
from tests.unit.planner import factories

INTEL, SMMUV3, VIRTIO = (
    spec.IommuModel.INTEL, spec.IommuModel.SMMUV3, spec.IommuModel.VIRTIO)


def planned(flavor=None, image=None, *, arch="x86_64", machine="pc-q35-8.2",
            libvirt=9_000_000):
    return iommu.iommu(
        factories.a_request(
            extra_specs={"hw:viommu_model": flavor} if flavor else {},
            image={"hw_viommu_model": image} if image else {}),
        arch, machine, factories.a_host(libvirt_version=libvirt))


class IommuTest(unittest.TestCase):
    """guest-config P6."""

    def test_none(self):
        self.assertIsNone(planned(machine="pc"))
        self.assertIsNone(planned(arch="ppc64le", machine="pseries"))

    def test_of_the_flavor_first(self):
        self.assertEqual(INTEL, planned(image="intel"))
        self.assertEqual(VIRTIO, planned("virtio", "intel"))

    def test_of_arm(self):
        for asked, model in (("smmuv3", SMMUV3), ("virtio", VIRTIO)):
            self.assertEqual(
                model, planned(asked, arch="aarch64", machine="virt-7.2"))

    def test_what_is_best(self):
        self.assertEqual(VIRTIO, planned("auto", libvirt=8_003_000))
        self.assertEqual(INTEL, planned("auto", libvirt=8_002_000))
        self.assertEqual(SMMUV3, planned(
            "auto", arch="aarch64", machine="virt", libvirt=8_002_000))

    def test_a_machine_without_a_place(self):
        for arch, machine, asked in (
                ("x86_64", "pc-i440fx-7.2", "auto"),
                ("aarch64", "raspi3b", "virtio"),
                ("x86_64", "q35", "smmuv3"), ("aarch64", "virt", "intel")):
            with self.assertRaises(nova_exception.InvalidVIOMMUMachineType):
                planned(asked, arch=arch, machine=machine)

    def test_another_architecture(self):
        with self.assertRaises(nova_exception.InvalidVIOMMUArchitecture):
            planned("auto", arch="ppc64le", machine="pseries")

    def test_no_such_model(self):
        with self.assertRaises(exception.InvalidGuestRequest):
            planned("amd")

    def test_part_of_the_plan(self):
        self.assertEqual(VIRTIO, factories.a_plan(
            image={"hw_machine_type": "q35", "hw_viommu_model": "auto"},
            domain=factories.q35_facts()).devices.iommu)
