"""Make an image of a guest's root disk."""

from collections.abc import Callable, Iterator
import contextlib
import dataclasses
import os
import pathlib
from typing import Any

from nova import context as nova_context
from nova import exception as nova_exception
from nova.compute import task_states
from nova.compute import utils as compute_utils
from nova.i18n import _
from nova.objects import image_meta as image_meta_object
from nova.objects import instance as instance_object
from oslo_log import log as logging
from oslo_utils import uuidutils

from nova_custom_driver import journal
from nova_custom_driver import privsep
from nova_custom_driver.spec import disk as disk_spec
from nova_custom_driver.spec import domain as domain_spec
from nova_custom_driver.virt.host import base as host_base
from nova_custom_driver.virt.host.base import State
from nova_custom_driver.virt.ops import destroy
from nova_custom_driver.virt.ops import hands as hands_module
from nova_custom_driver.virt.ops import operation
from nova_custom_driver.virt.ops import passthrough
from nova_custom_driver.virt.ops import power
from nova_custom_driver.virt.xml import read

LOG = logging.getLogger(__name__)

# What QEMU can write while it copies; of others it would be slow, or wrong.
COPIED_AS = frozenset(("raw", "qcow2"))


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Order:
    """What Nova's compute manager asks ``snapshot`` for."""

    context: nova_context.RequestContext
    instance: instance_object.Instance
    image_id: str
    update_task_state: Callable[..., None]


def take(order: Order, hands: hands_module.Hands,
         op: operation.Operation) -> None:
    """Copy the root disk and upload it; the guest stays as it was.

    :raises nova.exception.InstanceNotRunning: it has no domain.
    :raises nova.exception.ImageNotFound: the image was deleted meanwhile.
    """
    instance = order.instance
    domain = destroy.find(hands, instance.uuid)
    if domain is None:
        raise nova_exception.InstanceNotRunning(instance_id=instance.uuid)
    disk = _root(domain, hands.directory(instance.uuid) / "disk")
    format_name = hands.disk.snapshot_format or disk.source.format
    record = _record(instance, format_name,
                     hands.images.name(order.context, order.image_id))
    order.update_task_state(task_state=task_states.IMAGE_PENDING_UPLOAD)
    with _directory(hands, op) as directory:
        path = directory / order.image_id
        with compute_utils.disk_ops_semaphore:
            _copy(order, domain, disk, path, format_name, hands, op)
        order.update_task_state(
            task_state=task_states.IMAGE_UPLOADING,
            expected_state=task_states.IMAGE_PENDING_UPLOAD)
        with op.step("upload"):
            hands.images.upload(
                order.context, order.image_id, record, path)


def quiesce(hands: hands_module.Hands, instance: instance_object.Instance,
            image_meta: image_meta_object.ImageMeta) -> None:
    """Have the guest write out and hold its file systems.

    :raises nova.exception.QemuGuestAgentNotEnabled: its image has no agent.
    :raises nova.exception.InstanceQuiesceFailed: the agent does not answer.
    """
    _check_agent(image_meta)
    hands.hypervisor.find(instance.uuid).freeze()


def unquiesce(hands: hands_module.Hands, instance: instance_object.Instance,
              image_meta: image_meta_object.ImageMeta) -> None:
    """Let the file systems go again.

    :raises: as :func:`quiesce`.
    """
    _check_agent(image_meta)
    hands.hypervisor.find(instance.uuid).thaw()


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class _Root:
    """:ivar target: the disk's name in the guest."""

    target: str
    source: disk_spec.Source
    writable: bool


def _root(domain: host_base.Domain, path: pathlib.Path) -> _Root:
    """Return the root disk; its format as the domain was given it.

    :raises nova.exception.DiskNotFound: the domain has no such disk.
    """
    for disk in read.disks(domain.xml()):
        if disk.path is not None and pathlib.Path(disk.path) == path:
            return _Root(
                target=disk.target, writable=disk.device == "disk",
                source=disk_spec.FileSource(
                    path=disk.path, format=_format(disk)))
    raise nova_exception.DiskNotFound(location=path)


def _format(disk: domain_spec.Disk) -> str:
    if disk.format is None:
        raise nova_exception.InvalidDiskInfo(reason=_(
            "the domain does not say of which format %s is") % disk.path)
    return disk.format


def _copy(order: Order, domain: host_base.Domain, disk: _Root,
          path: pathlib.Path, format_name: str, hands: hands_module.Hands,
          op: operation.Operation) -> None:
    """Write what the disk holds now to ``path``."""
    compressed = hands.disk.snapshot_compression
    state = domain.state()
    if state in power.OFF or not disk.writable:
        with op.step("extract"):
            hands.disks.extract(disk.source, path, format_name,
                                compressed=compressed)
    elif not hands.disk.live_snapshots:
        with _stopped(domain, state, hands, op), op.step("extract"):
            hands.disks.extract(disk.source, path, format_name,
                                compressed=compressed)
    elif format_name in COPIED_AS and not compressed:
        _mirror(order, domain, disk, path, format_name, op)
    else:
        between = path.with_name(f"{path.name}.copy")
        _mirror(order, domain, disk, between, "qcow2", op)
        with op.step("convert"):
            hands.disks.extract(
                disk_spec.FileSource(path=pathlib.PurePosixPath(between),
                                     format="qcow2"),
                path, format_name, compressed=compressed)


def _mirror(order: Order, domain: host_base.Domain, disk: _Root,
            path: pathlib.Path, format_name: str, op: operation.Operation
            ) -> None:
    """Copy the disk while the guest runs."""
    properties = order.instance.image_meta.properties
    required = properties.get("os_require_quiesce", False)
    if required:
        _check_agent(order.instance.image_meta)
    op.note(journal.Resource(kind=journal.Kind.MIRROR, name=disk.target))
    with op.step("copy"), contextlib.ExitStack() as frozen, \
            domain.mirror(disk.target, path, format_name):
        # Held only until the copy is cut off, not while it is made.
        if properties.get("hw_qemu_guest_agent", False):
            _freeze(domain, required, frozen)
    privsep.chown(path, os.getuid())


def _freeze(domain: host_base.Domain, required: bool,
            frozen: contextlib.ExitStack) -> None:
    try:
        domain.freeze()
    except nova_exception.InstanceQuiesceFailed as error:
        if required:
            raise
        LOG.info("The snapshot of %s is as after a power cut: %s",
                 domain.name, error)
        return
    frozen.callback(_thaw, domain)


def _thaw(domain: host_base.Domain) -> None:
    try:
        domain.thaw()
    except nova_exception.InstanceQuiesceFailed as error:
        # The agent thaws by itself only when the guest is restarted.
        LOG.error("The file systems of %s may still be frozen: %s",
                  domain.name, error)


@contextlib.contextmanager
def _stopped(domain: host_base.Domain, state: State,
             hands: hands_module.Hands, op: operation.Operation
             ) -> Iterator[None]:
    """Hold the guest, off with its memory saved, for the block."""
    op.note(journal.Resource(kind=journal.Kind.SAVED_MEMORY,
                             name=domain.name))
    with op.step("save"):
        passthrough.save(domain, hands.detach_timeout_seconds)
    try:
        yield
    finally:
        with op.step("start"):
            domain.start(paused=state is State.PAUSED)
            passthrough.give_back(domain)


@contextlib.contextmanager
def _directory(hands: hands_module.Hands, op: operation.Operation
               ) -> Iterator[pathlib.Path]:
    """Return a directory for the block, which QEMU can enter, not list."""
    path = hands.disk.snapshots_directory / uuidutils.generate_uuid(
        dashed=False)
    op.note(journal.Resource(kind=journal.Kind.DIRECTORY, name=str(path)))
    path.mkdir(parents=True)
    try:
        path.chmod(0o701)
        yield path
    finally:
        privsep.remove_tree(path)


def _record(instance: instance_object.Instance, format_name: str,
            name: str) -> dict[str, Any]:
    """Return what Glance shall know of the image."""
    properties = {"owner_id": instance.project_id,
                  "image_location": "snapshot", "image_state": "available"}
    for key in ("kernel_id", "ramdisk_id", "os_type"):
        if value := getattr(instance, key):
            properties[key] = value
    meta = instance.image_meta
    container = (meta.container_format
                 if meta.obj_attr_is_set("container_format") else None)
    return {"status": "active", "name": name, "disk_format": format_name,
            "container_format": container or "bare",
            "properties": properties}


def _check_agent(image_meta: image_meta_object.ImageMeta) -> None:
    if not image_meta.properties.get("hw_qemu_guest_agent", False):
        raise nova_exception.QemuGuestAgentNotEnabled
