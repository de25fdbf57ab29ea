"""``<iommu>``; see "IOMMU devices"."""

from nova_custom_driver.spec import device as spec
from nova_custom_driver.virt.xml.element import Child, el, on_off

# Of the two that QEMU knows; 39 is too narrow for large guests.
ADDRESS_BITS = 48


def iommu_xml(model: spec.IommuModel | None) -> Child:
    """Return the element; libvirt takes a ``<driver>`` of Intel's alone."""
    if model is None:
        return None
    if model is not spec.IommuModel.INTEL:
        return el("iommu", model=model)
    return el("iommu", el(
        "driver", intremap=on_off(True), caching_mode=on_off(True),
        aw_bits=ADDRESS_BITS, eim=on_off(True), iotlb=on_off(True)),
        model=model)
