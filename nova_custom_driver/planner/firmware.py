"""What a guest's machine starts by: BIOS, or UEFI of some kind."""

import dataclasses

from nova import exception as nova_exception
from nova.i18n import _
from nova.objects import fields
from nova.virt import hardware

from nova_custom_driver.planner import machine
from nova_custom_driver.planner import request as request_module
from nova_custom_driver.spec import firmware as spec
from nova_custom_driver.spec import host as host_spec

STATELESS_LIBVIRT = 8_006_000


def firmware(request: request_module.GuestRequest, machine_name: str,
             host: host_spec.HostFacts,
             domain: host_spec.DomainFacts) -> spec.Firmware:
    """Return the firmware, with the files it was given before.

    :raises nova.exception.UEFINotSupported: the host has no UEFI.
    :raises nova.exception.SecureBootNotSupported: that is required, and not
        to be had by this firmware, on this machine or on this host.
    :raises nova.exception.ComputeResourcesUnavailable: libvirt is too old
        for firmware without variables.
    """
    secure = secure_boot(request, machine_name, domain)
    if _kind(request, domain) is spec.Kind.BIOS:
        return spec.Firmware()
    if spec.Kind.UEFI not in domain.firmwares:
        raise nova_exception.UEFINotSupported
    wanted = spec.Firmware(
        kind=spec.Kind.UEFI, secure_boot=secure,
        stateless=_stateless(request, host))
    return dataclasses.replace(
        wanted, record=_record(request.firmware_record, wanted))


def secure_boot(request: request_module.GuestRequest, machine_name: str,
                domain: host_spec.DomainFacts) -> bool:
    """Return whether only signed systems start (``os_secure_boot``).

    :raises nova.exception.SecureBootNotSupported: it cannot be, and must.
    :raises nova.exception.FlavorImageConflict: flavor and image differ.
    """
    policy = hardware.get_secure_boot_constraint(
        request.flavor, request.image_meta)
    able = (domain.secure_boot and _kind(request, domain) is spec.Kind.UEFI
            and (domain.arch != "x86_64" or machine.is_q35(machine_name)))
    if policy == fields.SecureBoot.REQUIRED and not able:
        raise nova_exception.SecureBootNotSupported
    return able and policy in (fields.SecureBoot.REQUIRED,
                               fields.SecureBoot.OPTIONAL)


def _kind(request: request_module.GuestRequest,
          domain: host_spec.DomainFacts) -> spec.Kind:
    wanted = request.image_property("hw_firmware_type") or (
        "uefi" if domain.arch == "aarch64" else "bios")
    return spec.Kind.BIOS if wanted == "bios" else spec.Kind.UEFI


def _stateless(request: request_module.GuestRequest,
               host: host_spec.HostFacts) -> bool:
    wanted = bool(hardware.get_stateless_firmware_constraint(
        request.image_meta))
    if wanted and host.libvirt_version < STATELESS_LIBVIRT:
        raise nova_exception.ComputeResourcesUnavailable(reason=_(
            "firmware without variables (hw_firmware_stateless) needs "
            "libvirt 8.6.0"))
    return wanted


def _record(known: spec.Record | None,
            wanted: spec.Firmware) -> spec.Record | None:
    # Files of another kind are not what the guest asks for any more; libvirt
    # then chooses again.
    if known is None or bool(known.loader_secure) != wanted.secure_boot:
        return None
    if wanted.stateless and (known.nvram or known.nvram_template):
        return None
    return known
