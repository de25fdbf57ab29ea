"""Ask the planner, with the facts it needs."""

import dataclasses
import pathlib
from typing import Any

from nova.network import model as network_model
from nova.objects import image_meta as image_meta_object
from nova.objects import instance as instance_object
from nova.virt import configdrive

from nova_custom_driver.planner import guest as planner
from nova_custom_driver.planner import machine
from nova_custom_driver.planner import request as planner_request
from nova_custom_driver.spec import firmware
from nova_custom_driver.spec import guest as guest_spec
from nova_custom_driver.virt.ops import hands as hands_module


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Subject:
    """What is planned for: Nova's objects as the driver was given them."""

    instance: instance_object.Instance
    image_meta: image_meta_object.ImageMeta
    block_device_info: dict[str, Any] | None


def make(subject: Subject, network_info: network_model.NetworkInfo,
         hands: hands_module.Hands, *, serial_ports: tuple[int, ...] = (),
         firmware_record: firmware.Record | None = None,
         ) -> guest_spec.GuestPlan:
    """Return the plan of the guest; nothing on the host is changed.

    :param serial_ports: TCP ports of this host taken for the guest.
    :param firmware_record: of the domain that exists already.
    :raises nova.exception.InvalidInput: no host can build it.
    :raises nova.exception.NovaException: this one cannot.
    """
    host = hands.hypervisor.facts()
    arch, machine_name = machine.wanted(
        subject.image_meta, host, hands.guest)
    virt_type = hands.guest.virt_type if arch == host.cpu.arch else "qemu"
    domain = hands.hypervisor.domain_facts(arch, machine_name, virt_type)
    return planner.plan_guest(
        planner_request.GuestRequest(
            instance=subject.instance, image_meta=subject.image_meta,
            network_info=network_info,
            block_device_info=subject.block_device_info,
            config_drive=bool(configdrive.required_by(subject.instance)),
            serial_ports=serial_ports,
            files=_files(subject.instance, hands),
            firmware_record=firmware_record),
        host, domain, hands.guest)


def _files(instance: instance_object.Instance,
           hands: hands_module.Hands) -> planner_request.GuestFiles:
    directory = pathlib.PurePosixPath(hands.directory(instance.uuid))
    return planner_request.GuestFiles(
        kernel=directory / "kernel" if instance.kernel_id else None,
        ramdisk=directory / "ramdisk" if instance.ramdisk_id else None,
        console_log=directory / "console.log")
