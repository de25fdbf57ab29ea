"""``<disk>``; see "Hard drives, floppy disks, CDROMs"."""

from lxml import etree

from nova_custom_driver.spec import disk as spec
from nova_custom_driver.virt.xml.element import Child, el, optional


def disk_xml(disk: spec.Disk) -> etree._Element:
    plan = disk.plan
    readonly = plan.readonly or plan.device is spec.Device.CDROM
    kind, source = _source(disk.source)
    return el(
        "disk",
        el("driver", name="qemu", type=disk.source.format, cache=plan.cache,
           io=plan.io, discard=plan.discard),
        source,
        el("target", dev=plan.target, bus=plan.bus),
        _iotune(plan.iotune),
        _blockio(plan.block_sizes),
        el("boot", order=1) if plan.boot_first else None,
        el("readonly") if readonly else None,
        el("shareable") if plan.shareable else None,
        optional("serial", plan.serial),
        el("alias", name=plan.alias) if plan.alias else None,
        _address(plan),
        type=kind, device=plan.device)


def _source(source: spec.Source) -> tuple[str, etree._Element]:
    """Return (type of the disk, ``<source>``)."""
    match source:
        case spec.FileSource():
            return "file", el("source", file=str(source.path))
        case spec.BlockSource():
            return "block", el("source", dev=str(source.path))
        case spec.RbdSource():
            return "network", _rbd(source)


def _rbd(source: spec.RbdSource) -> etree._Element:
    secret = (el("secret", type="ceph", uuid=source.secret_uuid)
              if source.secret_uuid else None)
    return el(
        "source",
        *(el("host", name=host, port=port)
          for host, port in source.monitors),
        el("auth", secret, username=source.user) if source.user else None,
        protocol="rbd", name=f"{source.pool}/{source.image}")


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
