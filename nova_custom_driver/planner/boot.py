"""How the guest's machine starts, and what it says of itself."""

import uuid

from nova import exception as nova_exception
from nova.i18n import _
from nova.objects import fields
from oslo_utils import strutils

from nova_custom_driver.planner import firmware as firmware_planner
from nova_custom_driver.planner import machine
from nova_custom_driver.planner import request as request_module
from nova_custom_driver.spec import disk
from nova_custom_driver.spec import firmware
from nova_custom_driver.spec import guest as spec
from nova_custom_driver.spec import host as host_spec
from nova_custom_driver.spec import settings as settings_spec

BOOT_DEVICES = {
    disk.Device.DISK: "hd", disk.Device.LUN: "hd",
    disk.Device.CDROM: "cdrom", disk.Device.FLOPPY: "fd",
}
CONSOLES = "console=tty0 console=ttyS0 console=hvc0"


def boot(request: request_module.GuestRequest, arch: str, machine_name: str,
         disks: tuple[disk.DiskPlan, ...], host: host_spec.HostFacts,
         domain: host_spec.DomainFacts,
         settings: settings_spec.GuestSettings) -> spec.Boot:
    """Return how the machine starts.

    :raises nova.exception.UEFINotSupported: and its like, where the host
        has no such firmware.
    """
    return spec.Boot(
        arch=arch, machine=machine_name, os_type=_os_type(request),
        firmware=firmware_planner.firmware(
            request, machine_name, host, domain),
        devices=_devices(request, disks),
        kernel=_kernel(request, disks, domain.virt_type),
        menu=_menu(request),
        smbios=(_smbios(request, host, settings)
                if arch in machine.X86 else None))


def _os_type(request: request_module.GuestRequest) -> spec.OsType:
    mode = (request.image_property("hw_vm_mode")
            or fields.VMMode.canonicalize(request.instance.vm_mode))
    try:
        return spec.OsType(mode or spec.OsType.HVM)
    except ValueError:
        raise nova_exception.InvalidInput(reason=_(
            "hw_vm_mode=%s is not known to QEMU and KVM") % mode) from None


def _devices(request: request_module.GuestRequest,
             disks: tuple[disk.DiskPlan, ...]) -> tuple[str, ...]:
    # libvirt takes either the kinds of devices or single ones.
    if request.files.kernel is not None \
            or any(plan.boot_first for plan in disks):
        return ()
    ranked = sorted((plan for plan in disks if plan.boot_index is not None),
                    key=lambda plan: plan.boot_index or 0)
    return tuple(dict.fromkeys(
        BOOT_DEVICES[plan.device] for plan in ranked))


def _kernel(request: request_module.GuestRequest,
            disks: tuple[disk.DiskPlan, ...],
            virt_type: str) -> firmware.Kernel | None:
    if request.files.kernel is None:
        return None
    return firmware.Kernel(
        kernel=request.files.kernel, ramdisk=request.files.ramdisk,
        command_line=(request.image_property("os_command_line")
                      or _command_line(disks, virt_type)))


def _command_line(disks: tuple[disk.DiskPlan, ...], virt_type: str) -> str:
    root = next((plan.target for plan in disks
                 if plan.name == "disk" or plan.boot_index == 0), None)
    parts = [f"root=/dev/{root}"] if root else []
    parts.append(CONSOLES)
    if virt_type == "qemu":
        # An emulated timer may drift so far that Linux gives up on it.
        parts.append("no_timer_check")
    return " ".join(parts)


def _menu(request: request_module.GuestRequest) -> bool:
    image = request.image_property("hw_boot_menu")
    if image is not None:
        return bool(image)
    return strutils.bool_from_string(
        request.extra_specs.get("hw:boot_menu", "no"))


def _smbios(request: request_module.GuestRequest, host: host_spec.HostFacts,
            settings: settings_spec.GuestSettings) -> spec.Smbios:
    manufacturer, product, version = settings.release
    instance_uuid = request.instance.uuid
    return spec.Smbios(
        manufacturer=manufacturer, product=product, version=version,
        serial=serial(settings.sysinfo_serial, instance_uuid,
                      settings.machine_id, host.uuid), uuid=instance_uuid)


def serial(rule: str, instance_uuid: str, machine_id: str | None,
           host_uuid: str) -> str | None:
    """Return the serial number by ``[libvirt]sysinfo_serial``.

    :raises nova.exception.InternalError: the host's /etc/machine-id is
        empty, not there, or no UUID.
    """
    match rule:
        case "unique":
            return instance_uuid
        case "hardware":
            return host_uuid
        case "auto":
            return _dashed(machine_id) if machine_id else host_uuid
        case "os" if machine_id:
            return _dashed(machine_id)
        case "os":
            raise nova_exception.InternalError(
                _("sysinfo_serial=os: /etc/machine-id is empty or not there"))
    return None


def _dashed(machine_id: str) -> str:
    """Return a machine id, which has no dashes, as UUIDs are written."""
    try:
        return str(uuid.UUID(machine_id))
    except ValueError:
        raise nova_exception.InternalError(
            _("/etc/machine-id holds no UUID: %s") % machine_id) from None
