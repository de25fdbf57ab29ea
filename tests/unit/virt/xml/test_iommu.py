from lxml import etree
from nova.virt.libvirt import config as in_tree

from nova_custom_driver.spec import device as spec
from nova_custom_driver.virt.xml import features
from nova_custom_driver.virt.xml import iommu
from tests import factories
from tests.unit.virt.xml import case

INTEL, SMMUV3, VIRTIO = (
    spec.IommuModel.INTEL, spec.IommuModel.SMMUV3, spec.IommuModel.VIRTIO)


class IommuXmlTest(case.XmlTestCase):
    """guest-config P6."""

    def test_none(self):
        self.assertIsNone(iommu.iommu_xml(None))

    def test_intels_is_as_in_tree(self):
        made = in_tree.LibvirtConfigGuestIOMMU()
        made.model, made.aw_bits = "intel", 48
        made.interrupt_remapping = made.caching_mode = True
        made.eim = made.iotlb = True
        self.assert_spelled(
            etree.tostring(made.format_dom(), encoding="unicode"),
            iommu.iommu_xml(INTEL))

    def test_others_have_no_driver(self):
        """The in-tree driver writes one, which libvirt refuses."""
        for model in (SMMUV3, VIRTIO):
            self.assert_spelled(f'<iommu model="{model}"/>',
                                iommu.iommu_xml(model))

    def test_interrupts_are_qemus(self):
        for model, expected in ((INTEL, ["qemu"]), (VIRTIO, []),
                                (SMMUV3, []), (None, [])):
            made = features.features_xml(factories.a_guest_plan(
                devices=spec.Devices(iommu=model)))
            self.assertEqual(expected, [
                node.get("driver") for node in made.iterfind("ioapic")])
            case.rng.assert_valid(self, made)
