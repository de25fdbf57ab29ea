"""Names of disks, chosen before the guest is planned as a whole."""

from collections.abc import Iterable
import dataclasses
import itertools
from typing import Any, TypeAlias

from nova import block_device
from nova import objects
from nova.virt import driver as nova_driver
from oslo_log import log as logging

from nova_custom_driver.planner import block_devices
from nova_custom_driver.planner import disk_names
from nova_custom_driver.planner import disks
from nova_custom_driver.spec import disk as disk_spec
from nova_custom_driver.virt.ops import hands as hands_module
from nova_custom_driver.virt.ops import plan as plan_ops

LOG = logging.getLogger(__name__)
Bdm: TypeAlias = objects.BlockDeviceMapping


def root(instance: objects.Instance, image_meta: objects.ImageMeta,
         root_bdm: Bdm, hands: hands_module.Hands) -> str:
    """Return the root disk's name, "/dev/vda"."""
    facts, _arch, machine = plan_ops.facts(image_meta, hands)
    given = block_devices.device(root_bdm)
    kind = disk_names.kind(given.device_type)
    if disks.is_iso(image_meta):
        kind, given = disk_spec.Device.CDROM, dataclasses.replace(
            given, bus=None)
    bus = disk_names.bus(given, kind, image_meta, machine, facts)
    name = given.name or disk_names.Names(hands.guest).free(bus)
    return block_device.prepend_dev(name)


def fill(instance: objects.Instance, bdms: Iterable[Iterable[Bdm]],
         hands: hands_module.Hands) -> None:
    """Give every mapping its name, and save it.

    Names that users gave are not used: the guest's kernel would not follow
    them.
    """
    found = list(itertools.chain(*bdms))
    for bdm in found:
        if bdm.device_name is not None and not _is_root(instance, bdm):
            LOG.info("The device name %s that was asked for is not used",
                     bdm.device_name, instance=instance)
            bdm.device_name = None
    info = nova_driver.get_block_device_info(instance, found)
    plans = plan_ops.disks(
        plan_ops.Subject(instance=instance, image_meta=instance.image_meta,
                         block_device_info=info), hands)
    for driver_bdm, plan in _paired(info, plans):
        driver_bdm.update(
            device_name=block_device.prepend_dev(plan.target),
            disk_bus=plan.bus.value, device_type=plan.device.value)
        driver_bdm.save()


def free(instance: objects.Instance, bdms: Iterable[Bdm], wanted: Bdm,
         hands: hands_module.Hands) -> str:
    """Return a free name for one more disk."""
    info = nova_driver.get_block_device_info(instance, bdms)
    subject = plan_ops.Subject(instance=instance,
                               image_meta=instance.image_meta,
                               block_device_info=info)
    facts, _arch, machine = plan_ops.facts(instance.image_meta, hands)
    given = block_devices.device(wanted)
    bus = disk_names.bus(given, disk_names.kind(given.device_type),
                         instance.image_meta, machine, facts)
    taken = [plan.target for plan in plan_ops.disks(subject, hands)]
    return block_device.prepend_dev(
        disk_names.Names(hands.guest, taken).free(bus))


def _is_root(instance: objects.Instance, bdm: Bdm) -> bool:
    return bool(bdm.boot_index == 0
                and bdm.device_name == instance.root_device_name)


def _paired(info: dict[str, object],
            plans: tuple[disk_spec.DiskPlan, ...],
            ) -> Iterable[tuple[Any, disk_spec.DiskPlan]]:
    """Yield every mapping with the disk planned for it."""
    by_name = {plan.name: plan for plan in plans}
    volumes = (plan for plan in plans
               if isinstance(plan.content, disk_spec.VolumeContent))
    ephemerals = nova_driver.block_device_info_get_ephemerals(info)
    swap = nova_driver.block_device_info_get_swap(info)
    yield from ((bdm, by_name["disk"])
                for bdm in nova_driver.block_device_info_get_image(info)
                or ())
    yield from ((bdm, by_name[f"disk.eph{index}"])
                for index, bdm in enumerate(ephemerals))
    if swap and swap.get("swap_size"):
        # Not ``swap_is_usable``: that wants the name we are about to give.
        yield swap, by_name["disk.swap"]
    yield from zip(nova_driver.block_device_info_get_mapping(info), volumes,
                   strict=True)
