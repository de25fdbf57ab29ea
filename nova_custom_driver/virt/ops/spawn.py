"""Make a guest and start it."""

from concurrent import futures
import dataclasses
import functools
import pathlib

from nova import context as nova_context
from nova.network import model as network_model
from nova.virt import virtapi as nova_virtapi

from nova_custom_driver import journal
from nova_custom_driver import privsep
from nova_custom_driver.spec import disk as disk_spec
from nova_custom_driver.spec import guest as guest_spec
from nova_custom_driver.virt.host import base as host_base
from nova_custom_driver.virt.ops import config_drive
from nova_custom_driver.virt.ops import destroy
from nova_custom_driver.virt.ops import device_metadata
from nova_custom_driver.virt.ops import disks
from nova_custom_driver.virt.ops import hands as hands_module
from nova_custom_driver.virt.ops import mdev_allocation
from nova_custom_driver.virt.ops import network
from nova_custom_driver.virt.ops import operation
from nova_custom_driver.virt.ops import plan as plan_ops
from nova_custom_driver.virt.ops import serial_ports
from nova_custom_driver.virt.ops import volumes
from nova_custom_driver.virt.vif import events as vif_events


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Order:
    """What Nova's compute manager asks ``spawn`` for."""

    context: nova_context.RequestContext
    subject: plan_ops.Subject
    allocations: mdev_allocation.Allocations | None
    network_info: network_model.NetworkInfo
    injected_files: list[tuple[str, str]]
    admin_password: str | None
    power_on: bool


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Work:
    """A planned guest whose parts are being made."""

    plan: guest_spec.GuestPlan
    disks: list[futures.Future[disk_spec.Disk]]
    files: list[futures.Future[None]]
    network: network.Connection
    tags: futures.Future[device_metadata.Tags]


def begin(order: Order, virtapi: nova_virtapi.VirtAPI,
          hands: hands_module.Hands, op: operation.Operation) -> Work:
    """Plan the guest and start making its disks and interfaces.

    The plan is made twice.  Nova allocates the network in the background and
    the first look at ``network_info`` waits for that, so all that can be
    refused or made without it comes before.

    :raises nova.exception.NovaException: the guest cannot be built; what is
        known from the request is refused before the host is changed.
    """
    instance = order.subject.instance
    with op.step("plan"):
        ports = serial_ports.acquire(order.subject, hands, op)
        plan = plan_ops.make(order.subject, network_model.NetworkInfo(),
                             hands, serial_ports=ports)
        volumes.check(order.subject.block_device_info)
    mdevs = mdev_allocation.give(
        order.subject, order.allocations, hands, op)
    directory = hands.directory(instance.uuid)
    _make_directory(directory, plan, hands, op)
    making = disks.begin(order.context, instance, plan.disks, hands, op)
    making += volumes.begin(
        order.subject.block_device_info, plan.disks, hands, op)
    files = disks.begin_kernel(
        order.context, instance, plan.boot.kernel,
        (instance.kernel_id, instance.ramdisk_id), hands, op)
    with op.step("allocation"):
        network_info = order.network_info
        len(network_info)
    with op.step("plan network"):
        plan = plan_ops.make(order.subject, network_info, hands,
                             serial_ports=ports, mdevs=mdevs)
        network.nics(plan.nics, network_info, hands)
    connection = network.begin(
        instance, network_info, _awaited(order, hands), virtapi, hands, op)
    tags = op.beside("tags", device_metadata.find, order.context, instance,
                     network_info)
    return Work(plan=plan, disks=making, files=files, network=connection,
                tags=tags)


def finish_disks(order: Order, work: Work, hands: hands_module.Hands,
                 op: operation.Operation) -> guest_spec.Guest:
    """Return the guest once its disks are there.

    The config drive is made here too, unless it has to name the addresses
    that libvirt will give to tagged devices.
    """
    instance = order.subject.instance
    drive = config_drive.plan_of(work.plan.disks)
    instance.device_metadata = None
    if drive is not None and not work.tags.result():
        work.files.append(op.beside("config drive", _write_drive, order,
                                    drive, hands, op))
    made = operation.first_failure(work.disks)
    operation.first_failure(work.files)
    if drive is not None:
        made.append(disk_spec.Disk(
            plan=drive, source=hands.disks.source(instance.uuid, drive)))
    return guest_spec.Guest(
        plan=work.plan, disks=disks.in_order(made, work.plan.disks),
        nics=network.nics(work.plan.nics, order.network_info, hands))


def start_domain(order: Order, work: Work, xml: str,
                 hands: hands_module.Hands, op: operation.Operation) -> None:
    """Define the guest, start it and have its network wired.

    QEMU starts, paused, while Neutron is still at work.
    """
    domain = _define(order.subject.instance.uuid, xml, hands, op)
    if work.tags.result():
        with op.step("device metadata"):
            _describe_devices(order, domain, work, hands, op)
    work.network.join()
    if not order.power_on:
        return
    paused = work.network.awaits_events
    # A start that fails may leave QEMU behind, so its undo comes first.
    op.undo.push("stop the guest", domain.destroy)
    with op.step("start"):
        domain.start(paused=paused)
    work.network.wait()
    if paused:
        with op.step("resume"):
            domain.resume()


def _define(instance_uuid: str, xml: str, hands: hands_module.Hands,
            op: operation.Operation) -> host_base.Domain:
    # A call that has run into its deadline may still be carried out, so the
    # undo comes first.
    op.undo.push("undefine the domain", functools.partial(
        destroy.forget, hands, instance_uuid))
    with op.step("define"):
        return hands.hypervisor.define(xml)


def _make_directory(directory: pathlib.Path, plan: guest_spec.GuestPlan,
                    hands: hands_module.Hands, op: operation.Operation
                    ) -> None:
    """Make the instance's directory, and write down all that follows."""
    domain = journal.Resource(kind=journal.Kind.DOMAIN, name=plan.name)
    if directory.exists():
        op.note(*(journal.Resource(kind=journal.Kind.FILE, name=str(path))
                  for path in _missing(directory, plan, hands)), domain)
        return
    op.note(journal.Resource(kind=journal.Kind.DIRECTORY,
                             name=str(directory)), domain)
    op.undo.push("delete the instance's directory",
                 functools.partial(privsep.remove_tree, directory))
    directory.mkdir(parents=True)


def _missing(directory: pathlib.Path, plan: guest_spec.GuestPlan,
             hands: hands_module.Hands) -> list[pathlib.Path]:
    """Return the files that will be made; those that are there stay."""
    missing = [directory / disk.name for disk in plan.disks
               if not isinstance(disk.content, disk_spec.VolumeContent)
               and not hands.disks.exists(plan.uuid, disk)]
    kernel = plan.boot.kernel
    if kernel is not None:
        files = (pathlib.Path(path) for path
                 in (kernel.kernel, kernel.ramdisk) if path is not None)
        missing += [path for path in files if not path.exists()]
    return missing


def _awaited(order: Order, hands: hands_module.Hands
             ) -> list[network.Event]:
    if not (order.power_on and hands.network.plug_timeout_seconds):
        return []
    return vif_events.awaited(order.network_info)


def _describe_devices(order: Order, domain: host_base.Domain, work: Work,
                      hands: hands_module.Hands, op: operation.Operation
                      ) -> None:
    instance = order.subject.instance
    instance.device_metadata = device_metadata.build(
        domain.xml(), work.tags.result())
    drive = config_drive.plan_of(work.plan.disks)
    if drive is not None:
        _write_drive(order, drive, hands, op)


def _write_drive(order: Order, drive: disk_spec.DiskPlan,
                 hands: hands_module.Hands, op: operation.Operation) -> None:
    instance = order.subject.instance
    source = hands.disks.source(instance.uuid, drive)
    extra = ({"admin_pass": order.admin_password}
             if order.admin_password else {})
    config_drive.write(instance, order.injected_files, extra,
                       order.network_info, disk_spec.path_of(source), hands,
                       op)
