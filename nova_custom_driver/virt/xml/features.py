"""``<features>``; see "Hypervisor features"."""

from lxml import etree

from nova_custom_driver.spec import device
from nova_custom_driver.spec import guest as spec
from nova_custom_driver.virt.xml.element import Child, el, on_off

# What Windows may use of a hypervisor, as libvirt names it.
ENLIGHTENMENTS = ("relaxed", "vapic", "vpindex", "runtime", "synic", "reset",
                  "frequencies", "tlbflush", "ipi")
SPINLOCK_RETRIES = 8191


def features_xml(plan: spec.GuestPlan) -> etree._Element:
    features = plan.features
    record = plan.boot.firmware.record
    smm = record.smm if record is not None else None
    return el(
        "features",
        el("acpi") if features.acpi else None,
        el("apic") if features.apic else None,
        # Interrupts that an IOMMU remaps are QEMU's, not the kernel's.
        el("ioapic", driver="qemu")
        if plan.devices.iommu is device.IommuModel.INTEL else None,
        el("vmcoreinfo", state="on") if features.vmcoreinfo else None,
        el("kvm", el("hidden", state="on")) if features.hidden else None,
        _hyperv(features),
        el("pmu", state=on_off(features.pmu))
        if features.pmu is not None else None,
        el("smm", state=on_off(smm)) if smm is not None else None,
        el("tcg", el("tb-cache", text=str(features.tb_cache_mib),
                     unit="MiB"))
        if features.tb_cache_mib is not None else None)


def _hyperv(features: spec.Features) -> Child:
    if not features.hyperv:
        return None
    vendor = features.hyperv_vendor_id
    return el(
        "hyperv",
        *(el(name, state="on") for name in ENLIGHTENMENTS),
        el("spinlocks", state="on", retries=SPINLOCK_RETRIES),
        el("vendor_id", state="on", value=vendor) if vendor else None)
