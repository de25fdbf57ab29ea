"""Attach volumes to guests that exist, and detach them."""

import dataclasses
import functools
import itertools
from typing import Any

from lxml import etree
from nova import block_device
from nova import context as nova_context
from nova.objects import instance as instance_object
from oslo_log import log as logging

from nova_custom_driver.planner import block_devices
from nova_custom_driver.virt.host import base as host_base
from nova_custom_driver.virt.ops import destroy
from nova_custom_driver.virt.ops import device_metadata
from nova_custom_driver.virt.ops import hands as hands_module
from nova_custom_driver.virt.ops import operation
from nova_custom_driver.virt.ops import plan as plan_ops
from nova_custom_driver.virt.ops import unplug
from nova_custom_driver.virt.ops import volumes
from nova_custom_driver.virt.xml import disk as disk_xml
from nova_custom_driver.virt.xml import read

LOG = logging.getLogger(__name__)


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Order:
    """What Nova's compute manager asks ``attach_volume`` for."""

    context: nova_context.RequestContext
    instance: instance_object.Instance
    connection_info: dict[str, Any]
    mountpoint: str
    disk_bus: str | None = None
    device_type: str | None = None


def attach(order: Order, hands: hands_module.Hands,
           op: operation.Operation) -> None:
    """Connect a volume and give it to the guest, running or not.

    :raises nova.exception.NovaException: nothing is attached or connected.
    """
    instance, connection_info = order.instance, order.connection_info
    domain = hands.hypervisor.find(instance.uuid)
    with op.step("plan"):
        volumes.check_one(connection_info)
        plan = plan_ops.attached(
            _subject(order), _device(order), _free_unit(domain.xml()), hands)
    op.note(volumes.note(connection_info))
    op.undo.push("disconnect the volume", functools.partial(
        hands.volumes.disconnect, connection_info))
    with op.step("connect"):
        disk = volumes.connect(plan, connection_info, hands)
    xml = etree.tostring(disk_xml.disk_xml(disk), encoding="unicode")
    with op.step("attach"):
        domain.plug_in(xml, live=domain.state() in unplug.LIVE)
    op.undo.push("detach the volume", functools.partial(
        _take, domain, connection_info, order.mountpoint, hands))
    _describe(order.context, instance, domain, hands)


def detach(context: nova_context.RequestContext,
           instance: instance_object.Instance,
           connection_info: dict[str, Any], mountpoint: str,
           hands: hands_module.Hands, op: operation.Operation) -> None:
    """Take a volume from the guest, then disconnect it.

    What is gone already is no error: the guest, or its disk.

    :raises nova.exception.DeviceDetachFailed: the guest keeps it, so it stays
        attached and connected.
    """
    domain = destroy.find(hands, instance.uuid)
    with op.step("detach"):
        if domain is None:
            LOG.warning("The guest is gone; its volume is disconnected",
                        instance=instance)
        elif not _take(domain, connection_info, mountpoint, hands):
            LOG.info("The guest has no %s any more", mountpoint,
                     instance=instance)
    with op.step("disconnect"):
        hands.volumes.disconnect(connection_info)


def _take(domain: host_base.Domain, connection_info: dict[str, Any],
          mountpoint: str, hands: hands_module.Hands) -> bool:
    serial = block_devices.volume_id(connection_info)
    target = block_device.strip_dev(mountpoint)

    def find(xml: str) -> unplug.Part | None:
        found = read.disk_element(xml, serial, target)
        return found and unplug.Part(xml=found[0], alias=found[1])

    return unplug.unplug(domain, find, hands.detach_timeout_seconds)


def _subject(order: Order) -> plan_ops.Subject:
    return plan_ops.Subject(
        instance=order.instance, image_meta=order.instance.image_meta,
        block_device_info=None)


def _device(order: Order) -> block_devices.Device:
    return block_devices.device({
        "mount_device": order.mountpoint, "disk_bus": order.disk_bus,
        "device_type": order.device_type,
        "connection_info": order.connection_info})


def _free_unit(xml: str) -> int:
    taken = read.scsi_units(xml)
    return next(unit for unit in itertools.count() if unit not in taken)


def _describe(context: nova_context.RequestContext,
              instance: instance_object.Instance, domain: host_base.Domain,
              hands: hands_module.Hands) -> None:
    """Keep the metadata of tagged devices true."""
    tags = device_metadata.find(
        context, instance, instance.get_network_info())
    instance.device_metadata = device_metadata.build(domain.xml(), tags)
    instance.save()
