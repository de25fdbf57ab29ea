"""Ask the planner, with the facts it needs."""

from collections.abc import Mapping, Sequence
import dataclasses
import pathlib
from typing import Any

from nova import exception as nova_exception
from nova.network import model as network_model
from nova.objects import image_meta as image_meta_object
from nova.objects import instance as instance_object
from nova.virt import configdrive

from nova_custom_driver.planner import block_devices
from nova_custom_driver.planner import cpu
from nova_custom_driver.planner import disks as disk_planner
from nova_custom_driver.planner import guest as planner
from nova_custom_driver.planner import machine
from nova_custom_driver.planner import nics
from nova_custom_driver.planner import request as planner_request
from nova_custom_driver.spec import disk as disk_spec
from nova_custom_driver.spec import firmware
from nova_custom_driver.spec import guest as guest_spec
from nova_custom_driver.spec import host as host_spec
from nova_custom_driver.spec import settings as settings_spec
from nova_custom_driver.virt.host import base as host_base
from nova_custom_driver.virt.ops import hands as hands_module


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Subject:
    """What is planned for: Nova's objects as the driver was given them.

    :ivar accelerators: ``accel_info``.
    """

    instance: instance_object.Instance
    image_meta: image_meta_object.ImageMeta
    block_device_info: dict[str, Any] | None
    accelerators: Sequence[Mapping[str, Any]] = ()


def facts(image_meta: image_meta_object.ImageMeta,
          hands: hands_module.Hands
          ) -> tuple[host_spec.DomainFacts, str, str]:
    """Return (what the host can build, architecture, machine type)."""
    host = hands.hypervisor.facts()
    arch, machine_name = machine.wanted(image_meta, host, hands.guest)
    virt_type = hands.guest.virt_type if arch == host.cpu.arch else "qemu"
    domain = hands.hypervisor.domain_facts(arch, machine_name, virt_type)
    return domain, arch, machine_name


def has_queues(instance: instance_object.Instance, *,
               hypervisor: host_base.Hypervisor,
               settings: settings_spec.GuestSettings) -> bool:
    """Return whether an instance's taps are to be made for many queues."""
    return nics.has_queues(instance, hypervisor.facts(), settings)


def disks(subject: Subject, hands: hands_module.Hands
          ) -> tuple[disk_spec.DiskPlan, ...]:
    """Return the disks alone, of an instance not ready to be planned."""
    domain, _arch, machine_name = facts(subject.image_meta, hands)
    return disk_planner.plan_disks(
        _request(subject, network_model.NetworkInfo(), hands), machine_name,
        domain, hands.guest)


def attached(subject: Subject, device: block_devices.Device, unit: int,
             hands: hands_module.Hands) -> disk_spec.DiskPlan:
    """Return the disk of a volume attached to a guest that exists.

    :param unit: the place it gets if it is on SCSI.
    :raises nova.exception.NovaException: it cannot be one of this guest's.
    """
    domain, _arch, machine_name = facts(subject.image_meta, hands)
    return disk_planner.plan_attached(
        _request(subject, network_model.NetworkInfo(), hands), machine_name,
        domain, hands.guest, device, unit)


def make(subject: Subject, network_info: network_model.NetworkInfo,
         hands: hands_module.Hands, *, serial_ports: tuple[int, ...] = (),
         firmware_record: firmware.Record | None = None,
         rescue: planner_request.Rescue | None = None,
         mdevs: tuple[str, ...] = ()) -> guest_spec.GuestPlan:
    """Return the plan of the guest; nothing on the host is changed.

    :param serial_ports: TCP ports of this host taken for the guest.
    :param firmware_record: of the domain that exists already.
    :param mdevs: uuids of mediated devices that are kept for the guest.
    :raises nova.exception.InvalidInput: no host can build it.
    :raises nova.exception.NovaException: this one cannot.
    """
    domain, _arch, _machine = facts(subject.image_meta, hands)
    request = _request(
        subject, network_info, hands, serial_ports=serial_ports,
        firmware_record=_if_there(firmware_record), rescue=rescue,
        mdevs=mdevs,
        model_flags={
            model: hands.hypervisor.model_flags(
                domain.arch, domain.virt_type,
                cpu.known_model(model, domain))
            for model in hands.guest.cpu_models})
    plan = planner.plan_guest(
        request, hands.hypervisor.facts(), domain, hands.guest)
    rng = plan.devices.rng
    if rng is not None and not pathlib.Path(rng.path).exists():
        raise nova_exception.RngDeviceNotExist(path=rng.path)
    return plan


def _if_there(record: firmware.Record | None) -> firmware.Record | None:
    """Return the record unless the host has lost a file of it since; its
    variables may come later.
    """
    if record is None:
        return None
    files = (record.loader, record.nvram_template)
    there = all(pathlib.Path(path).exists() for path in files if path)
    return record if there else None


def _request(subject: Subject, network_info: network_model.NetworkInfo,
             hands: hands_module.Hands, **fields: Any
             ) -> planner_request.GuestRequest:
    return planner_request.GuestRequest(
        instance=subject.instance, image_meta=subject.image_meta,
        network_info=network_info,
        block_device_info=subject.block_device_info,
        accelerators=subject.accelerators,
        config_drive=bool(configdrive.required_by(subject.instance)),
        files=_files(subject.instance, hands, fields.get("rescue")),
        **fields)


def _files(instance: instance_object.Instance, hands: hands_module.Hands,
           rescue: planner_request.Rescue | None
           ) -> planner_request.GuestFiles:
    directory = pathlib.PurePosixPath(hands.directory(instance.uuid))
    source, suffix = (instance, "") if rescue is None else (rescue, ".rescue")
    return planner_request.GuestFiles(
        kernel=(directory / f"kernel{suffix}" if source.kernel_id else None),
        ramdisk=(directory / f"ramdisk{suffix}" if source.ramdisk_id
                 else None),
        console_log=directory / "console.log")
