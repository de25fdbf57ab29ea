"""``<disk>``; see "Hard drives, floppy disks, CDROMs"."""

from lxml import etree

from nova_custom_driver.spec import disk as spec
from nova_custom_driver.virt.xml.element import Child, el, optional


def disk_xml(disk: spec.Disk) -> etree._Element:
    plan = disk.plan
    readonly = plan.device is spec.Device.CDROM
    return el(
        "disk",
        el("driver", name="qemu", type=disk.source.format, cache=plan.cache,
           io=plan.io, discard=plan.discard),
        el("source", file=str(disk.source.path)),
        el("target", dev=plan.target, bus=plan.bus),
        _iotune(plan.iotune),
        _blockio(plan.block_sizes),
        el("boot", order=1) if plan.boot_first else None,
        el("readonly") if readonly else None,
        optional("serial", plan.serial),
        el("alias", name=plan.alias) if plan.alias else None,
        _address(plan),
        type="file", device=plan.device)


def _iotune(limits: spec.IoTune | None) -> Child:
    if limits is None:
        return None
    return el("iotune", *(
        optional(name, getattr(limits, name)) for name in limits.__slots__))


def _blockio(sizes: spec.BlockSizes | None) -> Child:
    if sizes is None:
        return None
    return el("blockio", logical_block_size=sizes.logical,
              physical_block_size=sizes.physical)


def _address(plan: spec.DiskPlan) -> Child:
    if plan.unit is None:
        return None
    return el("address", type="drive", controller=0, unit=plan.unit)
