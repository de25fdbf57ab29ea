"""What the guest's machine can do, and its clocks."""

from oslo_log import log as logging

from nova_custom_driver.planner import cpu
from nova_custom_driver.planner import machine
from nova_custom_driver.planner import request as request_module
from nova_custom_driver.spec import guest as spec
from nova_custom_driver.spec import settings as settings_spec

LOG = logging.getLogger(__name__)

# Says nothing of a hypervisor, so drivers that refuse one by its name work.
VENDOR_ID = "1234567890ab"
VMCOREINFO = machine.X86 | {"aarch64"}
# Those of libvirt's "Performance monitoring events" less the three of Intel's
# cache monitoring, which Linux 4.14 took out.
PERF_EVENTS = frozenset((
    "alignment_faults", "branch_instructions", "branch_misses", "bus_cycles",
    "cache_misses", "cache_references", "context_switches", "cpu_clock",
    "cpu_cycles", "cpu_migrations", "emulation_faults", "instructions",
    "page_faults", "page_faults_maj", "page_faults_min", "ref_cpu_cycles",
    "stalled_cycles_backend", "stalled_cycles_frontend", "task_clock"))


def features(request: request_module.GuestRequest, arch: str, virt_type: str,
             settings: settings_spec.GuestSettings) -> spec.Features:
    """Return the guest's features."""
    windows = request.instance.os_type == "windows"
    hidden = cpu.hidden(request)
    return spec.Features(
        apic=not settings.disable_apic, vmcoreinfo=arch in VMCOREINFO,
        hidden=hidden, hyperv=windows,
        hyperv_vendor_id=VENDOR_ID if windows and hidden else None,
        pmu=cpu.pmu(request),
        tb_cache_mib=(settings.tb_cache_mib or None
                      if virt_type == "qemu" else None))


def clock(request: request_module.GuestRequest, arch: str,
          virt_type: str) -> spec.Clock:
    """Return the guest's clock; timers are told to KVM only."""
    windows = request.instance.os_type == "windows"
    return spec.Clock(
        offset="localtime" if windows else "utc",
        timers=(_kvm_timers(request, arch, windows=windows)
                if virt_type == "kvm" else ()))


def perf_events(settings: settings_spec.GuestSettings) -> tuple[str, ...]:
    """Return the events to count; one that cannot be is left out."""
    wanted = tuple(dict.fromkeys(settings.perf_events))
    for event in wanted:
        if event not in PERF_EVENTS:
            LOG.warning("Ignoring '%s' in [libvirt]enabled_perf_events: "
                        "there is no such event", event)
    return tuple(event for event in wanted if event in PERF_EVENTS)


def _kvm_timers(request: request_module.GuestRequest, arch: str, *,
                windows: bool) -> tuple[spec.Timer, ...]:
    timers = [spec.Timer(name="pit", tickpolicy="delay"),
              spec.Timer(name="rtc", tickpolicy="catchup")]
    hpet = bool(request.image_property("hw_time_hpet"))
    if arch in machine.X86:
        timers.append(spec.Timer(name="hpet", present=hpet))
    elif hpet:
        LOG.warning("hw_time_hpet is ignored: %s has no such timer", arch,
                    instance=request.instance)
    if windows:
        timers.append(spec.Timer(name="hypervclock", present=True))
    return tuple(timers)
