"""Start a guest from another image, to mend its own disks, and back."""

import dataclasses
import functools
import pathlib
from typing import Any

from nova import context as nova_context
from nova.network import model as network_model
from nova.objects import image_meta as image_meta_object
from nova.objects import instance as instance_object
from nova.virt import hardware

from nova_custom_driver import exception
from nova_custom_driver import journal
from nova_custom_driver.imagebackend import disk_info
from nova_custom_driver.imagebackend import files
from nova_custom_driver.planner import request as planner_request
from nova_custom_driver.spec import disk as disk_spec
from nova_custom_driver.spec import guest as guest_spec
from nova_custom_driver.virt.host import base as host_base
from nova_custom_driver.virt.ops import config_drive
from nova_custom_driver.virt.ops import disks
from nova_custom_driver.virt.ops import hands as hands_module
from nova_custom_driver.virt.ops import network
from nova_custom_driver.virt.ops import operation
from nova_custom_driver.virt.ops import plan as plan_ops
from nova_custom_driver.virt.ops import serial_ports
from nova_custom_driver.virt.ops import volumes
from nova_custom_driver.virt.xml import domain as domain_xml
from nova_custom_driver.virt.xml import read

SUFFIX = ".rescue"
# The name is the in-tree driver's, which may have to bring the guest back.
OWN_XML = "unrescue.xml"


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Order:
    """What Nova's compute manager asks ``rescue`` for.

    :ivar image_meta: of the rescue image; empty: none was asked for.
    """

    context: nova_context.RequestContext
    instance: instance_object.Instance
    image_meta: image_meta_object.ImageMeta
    network_info: network_model.NetworkInfo
    block_device_info: dict[str, Any] | None
    admin_password: str | None


def begin(order: Order, hands: hands_module.Hands,
          op: operation.Operation) -> None:
    """Have the guest boot from the rescue image.

    Its own definition is kept, and comes back if this fails.

    :raises nova.exception.NovaException: the guest stays off, as it was.
    """
    instance = order.instance
    domain = hands.hypervisor.find(instance.uuid)
    own_xml = domain.xml(inactive=True)
    with op.step("plan"):
        plan = _plan(order, own_xml, hands)
    directory = hands.directory(instance.uuid)
    _note(directory, plan, op)
    _keep(directory / OWN_XML, own_xml, op)
    guest = _make(order, plan, hands, op)
    with op.step("stop"):
        domain.destroy()
    _start(domain_xml.domain_xml(guest), own_xml, hands, op)


def end(instance: instance_object.Instance, hands: hands_module.Hands,
        op: operation.Operation) -> None:
    """Have the guest boot from its own disks again, and forget the rescue.

    :raises HostError: its own definition is gone; a hard reboot makes it
        anew.
    """
    directory = hands.directory(instance.uuid)
    try:
        own_xml = (directory / OWN_XML).read_text()
    except FileNotFoundError as error:
        raise exception.HostError(
            action="unrescue", subject=f"instance {instance.uuid}",
            reason=f"{directory / OWN_XML} is gone; reset the state and "
                   "reboot the instance hard") from error
    with op.step("stop"):
        hands.hypervisor.find(instance.uuid).destroy()
    domain = hands.hypervisor.define(own_xml)
    with op.step("start"):
        domain.start()
    _remove(directory)


def _remove(directory: pathlib.Path) -> None:
    info = disk_info.DiskInfo(directory)
    for path in directory.glob(f"*{SUFFIX}"):
        path.unlink()
        info.forget(path)
    (directory / OWN_XML).unlink()


def _plan(order: Order, own_xml: str,
          hands: hands_module.Hands) -> guest_spec.GuestPlan:
    instance, settings = order.instance, hands.disk
    stable = hardware.check_hw_rescue_props(order.image_meta)
    image_id = (order.image_meta.id
                if order.image_meta.obj_attr_is_set("id") else None)
    rescue = planner_request.Rescue(
        image_id=image_id or settings.rescue_image_id or instance.image_ref,
        image_meta=order.image_meta, stable=stable,
        kernel_id=settings.rescue_kernel_id or instance.kernel_id,
        ramdisk_id=settings.rescue_ramdisk_id or instance.ramdisk_id)
    subject = plan_ops.Subject(
        instance=instance,
        image_meta=instance.image_meta if stable else order.image_meta,
        block_device_info=order.block_device_info if stable else None)
    return plan_ops.make(
        subject, order.network_info, hands, rescue=rescue,
        mdevs=read.mdevs(own_xml),
        serial_ports=serial_ports.of_domain(own_xml),
        firmware_record=read.firmware_record(own_xml))


def _note(directory: pathlib.Path, plan: guest_spec.GuestPlan,
          op: operation.Operation) -> None:
    """Write down what will be made."""
    kernel = plan.boot.kernel
    names = [disk.name for disk in plan.disks]
    names += [path.name for path in (kernel.kernel, kernel.ramdisk)
              if path is not None] if kernel else []
    op.note(*(journal.Resource(kind=journal.Kind.FILE,
                               name=str(directory / name))
              for name in names if name.endswith(SUFFIX)))


def _keep(path: pathlib.Path, xml: str, op: operation.Operation) -> None:
    op.undo.push(f"delete {path.name}",
                 functools.partial(path.unlink, missing_ok=True))
    with files.whole(path) as part:
        part.touch(0o600)
        part.write_text(xml)


def _make(order: Order, plan: guest_spec.GuestPlan,
          hands: hands_module.Hands, op: operation.Operation
          ) -> guest_spec.Guest:
    instance, settings = order.instance, hands.disk
    making = disks.begin(order.context, instance, plan.disks, hands, op)
    kernel = disks.begin_kernel(
        order.context, instance, plan.boot.kernel,
        (settings.rescue_kernel_id or instance.kernel_id,
         settings.rescue_ramdisk_id or instance.ramdisk_id), hands, op)
    # Still connected: Nova only switched the guest off.
    making += volumes.begin(
        order.block_device_info, plan.disks, hands, op, undone=False)
    made = operation.first_failure(making)
    operation.first_failure(kernel)
    drive = config_drive.plan_of(plan.disks)
    if drive is not None:
        made.append(_drive(order, drive, hands, op))
    return guest_spec.Guest(
        plan=plan, disks=disks.in_order(made, plan.disks),
        nics=network.nics(plan.nics, order.network_info, hands))


def _drive(order: Order, drive: disk_spec.DiskPlan,
           hands: hands_module.Hands, op: operation.Operation
           ) -> disk_spec.Disk:
    source = hands.disks.source(order.instance.uuid, drive)
    extra = ({"admin_pass": order.admin_password}
             if order.admin_password else {})
    with op.step("config drive"):
        config_drive.write(order.instance, [], extra, order.network_info,
                           disk_spec.path_of(source), hands, op)
    return disk_spec.Disk(plan=drive, source=source)


def _start(xml: str, own_xml: str, hands: hands_module.Hands,
           op: operation.Operation) -> None:
    op.undo.push("define the guest as it was", functools.partial(
        hands.hypervisor.define, own_xml))
    with op.step("define"):
        domain: host_base.Domain = hands.hypervisor.define(xml)
    op.undo.push("stop the guest", domain.destroy)
    with op.step("start"):
        domain.start()
