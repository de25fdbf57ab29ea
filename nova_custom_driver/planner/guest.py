"""A guest, decided."""

from nova_custom_driver import units
from nova_custom_driver.planner import boot
from nova_custom_driver.planner import cpu
from nova_custom_driver.planner import devices
from nova_custom_driver.planner import disks
from nova_custom_driver.planner import features
from nova_custom_driver.planner import machine
from nova_custom_driver.planner import metadata
from nova_custom_driver.planner import nics
from nova_custom_driver.planner import refusals
from nova_custom_driver.planner import request as request_module
from nova_custom_driver.spec import guest as spec
from nova_custom_driver.spec import host as host_spec
from nova_custom_driver.spec import settings as settings_spec


def plan_guest(request: request_module.GuestRequest,
               host: host_spec.HostFacts, domain: host_spec.DomainFacts,
               settings: settings_spec.GuestSettings) -> spec.GuestPlan:
    """Return all that is decided about the guest.

    :param domain: of the machine that ``machine.wanted`` names.
    :raises nova.exception.NovaException: the request cannot be met; the
        class tells Nova whether another host could.
    """
    refusals.check(request)
    arch, machine_name = machine.wanted(request.image_meta, host, settings)
    virt_type = domain.virt_type
    plans = disks.plan_disks(request, machine_name, domain, settings)
    return spec.GuestPlan(
        name=request.instance.name, uuid=request.instance.uuid,
        virt_type=spec.VirtType(virt_type),
        memory_kib=request.flavor.memory_mb * units.KIB_PER_MIB,
        vcpus=request.flavor.vcpus,
        cpu=cpu.cpu(request, host, domain, settings),
        cpu_tuning=cpu.tuning(request, host), cpuset=settings.cpu_shared_set,
        boot=boot.boot(request, arch, machine_name, plans, host, domain,
                       settings),
        features=features.features(request, arch, virt_type, settings),
        clock=features.clock(request, arch, virt_type),
        metadata=metadata.metadata(request, settings), disks=plans,
        nics=nics.plan_nics(request, virt_type, host, settings),
        devices=devices.plan_devices(request, machine_name, plans, host,
                                     domain, settings),
        perf_events=features.perf_events(settings))
