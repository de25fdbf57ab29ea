"""Resize and cold migration: away, arrived, confirmed or reverted."""

from collections.abc import Mapping
from concurrent import futures
import dataclasses
import functools
import json
from typing import Any

from nova import context as nova_context
from nova import exception as nova_exception
from nova.i18n import _
from nova.network import model as network_model
from nova.objects import flavor as flavor_object
from nova.objects import instance as instance_object
from nova.virt import virtapi as nova_virtapi

from nova_custom_driver.imagebackend import disk_records
from nova_custom_driver.imagebackend import instance_directory
from nova_custom_driver.planner import block_devices
from nova_custom_driver.spec import disk as disk_spec
from nova_custom_driver.spec import guest as guest_spec
from nova_custom_driver.virt.ops import config_drive
from nova_custom_driver.virt.ops import destroy
from nova_custom_driver.virt.ops import device_metadata
from nova_custom_driver.virt.ops import disks
from nova_custom_driver.virt.ops import hands as hands_module
from nova_custom_driver.virt.ops import mdev_allocation
from nova_custom_driver.virt.ops import network
from nova_custom_driver.virt.ops import operation
from nova_custom_driver.virt.ops import plan as plan_ops
from nova_custom_driver.virt.ops import power
from nova_custom_driver.virt.ops import reboot
from nova_custom_driver.virt.ops import serial_ports
from nova_custom_driver.virt.ops import volumes
from nova_custom_driver.virt.vif import events as vif_events
from nova_custom_driver.virt.xml import domain as domain_xml
from nova_custom_driver.virt.xml import read

BlockDevices = Mapping[str, Any] | None


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Departure:
    """What Nova's compute manager asks ``migrate_disk_and_power_off`` for.

    :ivar destination: address of the host it goes to.
    :ivar flavor: the one it shall have there.
    """

    instance: instance_object.Instance
    destination: str
    flavor: flavor_object.Flavor
    network_info: network_model.NetworkInfo
    block_device_info: BlockDevices
    timeout_seconds: float
    retry_seconds: float


def check(departure: Departure, own_address: str) -> None:
    """Refuse what cannot be done, before anything is changed.

    :raises nova.exception.InstanceFaultRollback: the instance stays what it
        is.
    """
    if departure.destination != own_address:
        raise _refused(nova_exception.MigrationPreCheckError(reason=_(
            "disks cannot be sent to another host by this version of "
            "nova-custom-driver")))
    devices = block_devices.read(departure.block_device_info)
    new, old = departure.flavor, departure.instance.flavor
    if new.root_gb < old.root_gb and devices.root_volume is None:
        raise _refused(nova_exception.ResizeError(reason=_(
            "the root disk would shrink from %(old)d to %(new)d GiB") % {
                "old": old.root_gb, "new": new.root_gb}))
    ephemeral = sum(device.size for device in devices.ephemerals)
    if new.ephemeral_gb < (ephemeral or old.ephemeral_gb):
        raise _refused(nova_exception.ResizeError(reason=_(
            "the ephemeral disks would shrink to %d GiB in all")
            % new.ephemeral_gb))


def leave(departure: Departure, hands: hands_module.Hands,
          op: operation.Operation) -> str:
    """Switch the guest off and set its files aside, copied for the arrival.

    A failure brings the files back; the guest stays off.

    :returns: its disks as JSON, see :mod:`~nova_custom_driver.imagebackend.
        disk_records`.
    """
    instance = departure.instance
    directory = hands.directory(instance.uuid)
    with op.step("off"):
        power.off(hands, instance, timeout_seconds=departure.timeout_seconds,
                  retry_seconds=departure.retry_seconds)
    with op.step("unplug"):
        network.unplug(instance, departure.network_info, hands,
                       ignore_errors=False)
    with op.step("disconnect"):
        volumes.disconnect_all(departure.block_device_info, hands,
                               ignore_errors=False)
    records = disk_records.of(directory)
    instance_directory.set_aside(directory)
    op.undo.push("bring the instance's files back", functools.partial(
        instance_directory.bring_back, directory))
    directory.mkdir()
    kept = instance_directory.aside(directory)
    operation.first_failure([
        op.beside(f"copy {path.name}", instance_directory.copy, path,
                  directory)
        for path in instance_directory.carried(kept)])
    return json.dumps(records)


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Arrival:
    """A guest that is to be built around the disks it comes with.

    :ivar grows: whether its disks are to be what its flavor says.
    :ivar waits: whether Neutron is waited for.
    """

    context: nova_context.RequestContext
    subject: plan_ops.Subject
    allocations: mdev_allocation.Allocations | None
    network_info: network_model.NetworkInfo
    grows: bool
    power_on: bool
    waits: bool


def arrive(arrival: Arrival, virtapi: nova_virtapi.VirtAPI,
           hands: hands_module.Hands, op: operation.Operation) -> None:
    """Build the guest around the disks that are there, and start it.

    What is missing (swap) is made; a failure removes that, and leaves the
    disks.
    """
    subject, network_info = arrival.subject, arrival.network_info
    instance = subject.instance
    old = destroy.find(hands, instance.uuid)
    old_xml = old.xml(inactive=True) if old is not None else None
    mdevs = mdev_allocation.give(subject, arrival.allocations, hands, op)
    with op.step("plan"):
        plan = plan_ops.make(
            subject, network_info, hands, mdevs=mdevs,
            serial_ports=(
                serial_ports.of_domain(old_xml) if old_xml
                else serial_ports.acquire(subject, hands, op)),
            firmware_record=(
                read.firmware_record(old_xml) if old_xml else None))
        volumes.check(subject.block_device_info)
    making = disks.begin(arrival.context, instance, plan.disks, hands, op)
    connection = network.begin(
        instance, network_info, _awaited(arrival, hands), virtapi, hands, op)
    guest = guest_spec.Guest(
        plan=plan, disks=_disks(arrival, plan, making, hands, op),
        nics=network.nics(plan.nics, network_info, hands))
    domain = hands.hypervisor.define(domain_xml.domain_xml(guest))
    connection.join()
    if arrival.power_on:
        reboot.start(domain, connection, op)
        domain.synchronise_time()
    tags = device_metadata.find(arrival.context, instance, network_info)
    instance.device_metadata = device_metadata.build(domain.xml(), tags)
    instance.save()


def confirm(instance: instance_object.Instance,
            network_info: network_model.NetworkInfo, this_host: str,
            hands: hands_module.Hands) -> None:
    """Forget what the instance would have come back to."""
    instance_directory.forget(hands.directory(instance.uuid))
    if instance.host != this_host:
        destroy.forget(hands, instance.uuid)
        network.unplug(instance, network_info, hands, ignore_errors=True)


def _refused(error: nova_exception.NovaException
             ) -> nova_exception.InstanceFaultRollback:
    return nova_exception.InstanceFaultRollback(error)


def _disks(arrival: Arrival, plan: guest_spec.GuestPlan,
           making: list[futures.Future[disk_spec.Disk]],
           hands: hands_module.Hands, op: operation.Operation
           ) -> tuple[disk_spec.Disk, ...]:
    """Return the planned disks, as large as they shall be."""
    instance = arrival.subject.instance
    making += volumes.begin(arrival.subject.block_device_info, plan.disks,
                            hands, op)
    made = operation.first_failure(making)
    if arrival.grows:
        with op.step("extend"):
            for disk in made:
                if disk.plan.size_bytes is not None and not isinstance(
                        disk.plan.content, disk_spec.VolumeContent):
                    hands.disks.extend(disk.source, disk.plan.size_bytes)
    drive = config_drive.plan_of(plan.disks)
    if drive is not None:
        source = hands.disks.source(instance.uuid, drive)
        # One that came along stays as it is: its files are not known here.
        config_drive.write(instance, [], {}, arrival.network_info,
                           disk_spec.path_of(source), hands, op)
        made.append(disk_spec.Disk(plan=drive, source=source))
    return disks.in_order(made, plan.disks)


def _awaited(arrival: Arrival, hands: hands_module.Hands
             ) -> list[network.Event]:
    if not (arrival.waits and arrival.power_on
            and hands.network.plug_timeout_seconds):
        return []
    return vif_events.awaited(arrival.network_info)
