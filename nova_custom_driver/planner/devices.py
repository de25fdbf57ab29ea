"""A guest's remaining devices."""

from nova import exception as nova_exception
from nova.virt import hardware
from oslo_utils import strutils

from nova_custom_driver.planner import consoles
from nova_custom_driver.planner import graphics
from nova_custom_driver.planner import host_devices
from nova_custom_driver.planner import iommu
from nova_custom_driver.planner import machine
from nova_custom_driver.planner import request as request_module
from nova_custom_driver.spec import device as spec
from nova_custom_driver.spec import disk
from nova_custom_driver.spec import host as host_spec
from nova_custom_driver.spec import settings as settings_spec


def plan_devices(request: request_module.GuestRequest, machine_name: str,
                 disks: tuple[disk.DiskPlan, ...],
                 host: host_spec.HostFacts, domain: host_spec.DomainFacts,
                 settings: settings_spec.GuestSettings) -> spec.Devices:
    """Return all devices but disks and network interfaces."""
    consoles_shown = graphics.graphics(settings)
    inputs = (graphics.inputs(request, domain.arch, settings)
              if consoles_shown else ())
    ports = consoles.serials(request, settings)
    s390 = domain.arch in machine.S390
    return spec.Devices(
        serials=() if s390 else ports, consoles=ports if s390 else (),
        channels=consoles.channels(request, settings),
        graphics=consoles_shown,
        video=graphics.video(request, domain) if consoles_shown else None,
        inputs=inputs,
        controllers=_controllers(request, machine_name, disks, inputs,
                                 domain.arch, settings),
        host_devices=host_devices.host_devices(request),
        iommu=iommu.iommu(request, domain.arch, machine_name, host),
        rng=rng(request, settings), watchdog=watchdog(request),
        balloon=_balloon(settings))


def rng(request: request_module.GuestRequest,
        settings: settings_spec.GuestSettings) -> spec.Rng | None:
    """Return the random number generator; a flavor may forbid it."""
    if not strutils.bool_from_string(
            request.extra_specs.get("hw_rng:allowed", "true")):
        return None
    rate = request.integer("hw_rng:rate_bytes")
    period = request.integer("hw_rng:rate_period")
    return spec.Rng(
        path=settings.rng_device, rate_bytes=rate or None,
        rate_period_ms=period or None if rate else None)


def watchdog(request: request_module.GuestRequest
             ) -> spec.WatchdogAction | None:
    """Return what happens to a guest that hangs; None: no watchdog.

    :raises nova.exception.InvalidWatchdogAction: there is no such action.
    """
    action = (request.image_property("hw_watchdog_action")
              or request.extra_specs.get("hw:watchdog_action") or "disabled")
    if action == "disabled":
        return None
    try:
        return spec.WatchdogAction(action)
    except ValueError:
        raise nova_exception.InvalidWatchdogAction(action=action) from None


def _balloon(settings: settings_spec.GuestSettings) -> spec.Balloon:
    period = settings.memory_stats_period_seconds
    return spec.Balloon(stats_period_seconds=period if period > 0 else None)


def _controllers(request: request_module.GuestRequest, machine_name: str,
                 disks: tuple[disk.DiskPlan, ...],
                 inputs: tuple[spec.Input, ...], arch: str,
                 settings: settings_spec.GuestSettings
                 ) -> tuple[spec.Controller, ...]:
    found: list[spec.Controller] = []
    scsi = request.image_property("hw_scsi_model")
    if scsi:
        # Without a disk on it, too: one may be attached later.
        found.append(spec.ScsiController(model=scsi))
    if settings.num_pcie_ports and (
            machine.is_q35(machine_name) if arch in machine.X86
            else arch == "aarch64" and machine_name.startswith("virt")):
        found.append(spec.PcieRootPorts(count=settings.num_pcie_ports))
    found.append(spec.UsbController(
        model=_usb_model(request, disks, inputs, arch)))
    return tuple(found)


def _usb_model(request: request_module.GuestRequest,
               disks: tuple[disk.DiskPlan, ...],
               inputs: tuple[spec.Input, ...], arch: str) -> str | None:
    """Return the wish only where nothing is on USB: what is gets libvirt's
    default (None).  x86 has a controller unasked, so "none" is said.

    :raises nova.exception.FlavorImageConflict: flavor and image disagree.
    """
    wanted = hardware.get_usb_model(request.flavor, request.image_meta)
    needed = any(plan.bus is disk.Bus.USB for plan in disks) \
        or any(item.bus == "usb" for item in inputs)
    if needed or arch in machine.PPC:
        return None
    return str(wanted) if wanted else "none"
