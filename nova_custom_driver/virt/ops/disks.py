"""Make a guest's disks, side by side."""

from collections.abc import Iterable
from concurrent import futures
import functools
import pathlib

from nova import context as nova_context
from nova import exception as nova_exception
from nova.objects import instance as instance_object

from nova_custom_driver.spec import disk as disk_spec
from nova_custom_driver.spec import firmware
from nova_custom_driver.virt.ops import hands as hands_module
from nova_custom_driver.virt.ops import operation

# What has makers of its own.
ELSEWHERE = (disk_spec.ConfigDriveContent, disk_spec.VolumeContent)


def in_order(made: Iterable[disk_spec.Disk],
             plans: tuple[disk_spec.DiskPlan, ...]
             ) -> tuple[disk_spec.Disk, ...]:
    """Return the disks in the order they were planned in."""
    by_target = {disk.plan.target: disk for disk in made}
    return tuple(by_target[plan.target] for plan in plans)


def begin(context: nova_context.RequestContext,
          instance: instance_object.Instance,
          plans: tuple[disk_spec.DiskPlan, ...],
          hands: hands_module.Hands, op: operation.Operation,
          ) -> list[futures.Future[disk_spec.Disk]]:
    """Start making every planned disk but the config drive and volumes.

    Disks that exist (an evacuated guest's on shared storage, say) are used
    as they are.

    :returns: the disks to come, in the order of ``plans``.
    """
    return [op.beside(f"disk {plan.name}", _disk, context, instance, plan,
                      hands, op)
            for plan in plans if not isinstance(plan.content, ELSEWHERE)]


def begin_kernel(context: nova_context.RequestContext,
                 instance: instance_object.Instance,
                 kernel: firmware.Kernel | None,
                 images: tuple[str | None, str | None],
                 hands: hands_module.Hands,
                 op: operation.Operation) -> list[futures.Future[None]]:
    """Start fetching the kernel and ramdisk a plan names, if any.

    :param images: the Glance images they are.
    """
    if kernel is None:
        return []
    wanted = zip((kernel.kernel, kernel.ramdisk), images, strict=True)
    return [
        op.beside(path.name, _kernel, context, instance, image_id,
                  pathlib.Path(path), hands, op)
        for path, image_id in wanted if path is not None and image_id]


def existing(instance_uuid: str, plans: tuple[disk_spec.DiskPlan, ...],
             hands: hands_module.Hands) -> tuple[disk_spec.Disk, ...]:
    """Return the planned disks but volumes, with the storage they have.

    :raises nova.exception.DiskNotFound: one is gone; none is made up for it.
    """
    stored = [plan for plan in plans
              if not isinstance(plan.content, disk_spec.VolumeContent)]
    for plan in stored:
        if not hands.disks.exists(instance_uuid, plan):
            raise nova_exception.DiskNotFound(
                location=hands.directory(instance_uuid) / plan.name)
    return tuple(
        disk_spec.Disk(plan=plan,
                       source=hands.disks.source(instance_uuid, plan))
        for plan in stored)


def restore_bases(context: nova_context.RequestContext,
                  instance: instance_object.Instance,
                  plans: tuple[disk_spec.DiskPlan, ...],
                  hands: hands_module.Hands) -> None:
    """Fetch the bases that existing disks read from, where they are gone.

    :raises nova.exception.NovaException: Glance does not have it any more.
    """
    if not hands.disks.keeps_base:
        return
    for plan in plans:
        if isinstance(plan.content, disk_spec.ImageContent):
            with hands.bases.image(context, plan.content.image_id,
                                   instance.trusted_certs):
                pass


def _disk(context: nova_context.RequestContext,
          instance: instance_object.Instance, plan: disk_spec.DiskPlan,
          hands: hands_module.Hands, op: operation.Operation,
          ) -> disk_spec.Disk:
    if hands.disks.exists(instance.uuid, plan):
        return disk_spec.Disk(
            plan=plan, source=hands.disks.source(instance.uuid, plan))
    if isinstance(plan.content, disk_spec.ImageContent):
        with hands.bases.image(context, plan.content.image_id,
                               instance.trusted_certs) as base:
            source = hands.disks.create(instance.uuid, plan, base)
    else:
        source = hands.disks.create(instance.uuid, plan, None)
    op.undo.push(
        f"delete disk {plan.name}",
        functools.partial(hands.disks.delete, instance.uuid, source))
    return disk_spec.Disk(plan=plan, source=source)


def _kernel(context: nova_context.RequestContext,
            instance: instance_object.Instance, image_id: str,
            path: pathlib.Path, hands: hands_module.Hands,
            op: operation.Operation) -> None:
    if path.exists():
        return
    op.undo.push(f"delete {path.name}",
                 functools.partial(path.unlink, missing_ok=True))
    hands.bases.kernel(context, image_id, path,
                       instance.trusted_certs)
