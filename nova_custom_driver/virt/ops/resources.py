"""What Nova's resource tracker learns of this host."""

from collections.abc import Iterable
import json
import pathlib
import time
from typing import Any

from nova import exception as nova_exception
from nova.objects import fields

from nova_custom_driver import units
from nova_custom_driver.spec import host as host_spec
from nova_custom_driver.spec import settings as settings_spec
from nova_custom_driver.virt.host import base
from nova_custom_driver.virt.ops import inventory
from nova_custom_driver.virt.ops import numa_report
from nova_custom_driver.virt.ops import pci_report

LOAD = pathlib.Path("/proc/loadavg")
UPTIME = pathlib.Path("/proc/uptime")
STAT = pathlib.Path("/proc/stat")
FREQUENCY = pathlib.Path(
    "/sys/devices/system/cpu/cpu0/cpufreq/scaling_cur_freq")
CPUINFO = pathlib.Path("/proc/cpuinfo")
NS_PER_TICK = 10 ** 7


def available(hypervisor: base.Hypervisor, disk: host_spec.DiskUsage,
              over_committed_bytes: int, node_uuid: str,
              settings: settings_spec.ResourceSettings) -> dict[str, Any]:
    """Return the host's resources under the resource tracker's names.

    :param over_committed_bytes: what guests' disks may still grow by.
    """
    facts, usage = hypervisor.facts(), hypervisor.usage()
    gib = units.BYTES_PER_GIB
    return {
        "supported_instances": supported(facts.guests),
        "vcpus": len(inventory.shared_cpus(usage, settings)),
        "vcpus_used": _vcpus_used(hypervisor),
        "memory_mb": inventory.memory_mib(usage, settings),
        "memory_mb_used": _memory_used_mib(hypervisor, usage, settings),
        "local_gb": disk.total_bytes / gib,
        "local_gb_used": disk.used_bytes / gib,
        "disk_available_least":
            max(0, disk.free_bytes - over_committed_bytes) / gib,
        "hypervisor_type": facts.hypervisor_type,
        "hypervisor_version": facts.qemu_version,
        "hypervisor_hostname": facts.hostname, "uuid": node_uuid,
        "cpu_info": json.dumps(_cpu_info(facts.cpu)),
        "pci_passthrough_devices":
            pci_report.document(hypervisor.pci_devices()),
        "numa_topology": numa_report.document(facts, usage, settings),
        "stats": {"uptime": uptime()},
    }


def uptime() -> str:
    """Return what the command ``uptime`` would say, users left out."""
    return uptime_line(UPTIME.read_text(), LOAD.read_text(),
                       time.strftime("%H:%M:%S"))


def uptime_line(uptime_text: str, load: str, now: str) -> str:
    """Return the line of ``uptime``; see ``/proc/uptime`` in proc(5)."""
    days, rest = divmod(int(float(uptime_text.split()[0])), 86400)
    hours, minutes = divmod(rest // 60, 60)
    return (f" {now} up {days} days, {hours:2}:{minutes:02},  "
            f"load average: {', '.join(load.split()[:3])}\n")


def cpu_stats() -> dict[str, int]:
    """Return the whole host's processor times in ns, the clock in MHz."""
    return cpu_times(STAT.read_text()) | {"frequency": _frequency_mhz()}


def cpu_times(stat: str) -> dict[str, int]:
    """Return {kind: ns}, counted as libvirt does.

    See ``/proc/stat`` in proc(5).
    """
    user, nice, system, idle, iowait, irq, softirq = map(
        int, stat.split("\n")[0].split()[1:8])
    ticks = {"kernel": system + irq + softirq, "user": user + nice,
             "idle": idle, "iowait": iowait}
    return {kind: count * NS_PER_TICK for kind, count in ticks.items()}


def mhz(cpuinfo: str) -> int:
    """Return the first processor's clock; 0: not said on this machine."""
    for line in cpuinfo.splitlines():
        if line.startswith("cpu MHz"):
            return int(float(line.split(":")[1]))
    return 0


def _frequency_mhz() -> int:
    if FREQUENCY.exists():
        return int(FREQUENCY.read_text()) // 1000
    return mhz(CPUINFO.read_text())


def supported(guests: Iterable[host_spec.GuestArch]
              ) -> list[tuple[str, str, str]]:
    """Return (architecture, hypervisor, mode) in Nova's words.

    What Nova has no name for is left out: it would refuse the whole record.
    """
    return [(arch, virt_type, guest.os_type) for guest in guests
            if (arch := _architecture(guest.arch)) is not None
            for virt_type in sorted(guest.virt_types)
            if fields.HVType.is_valid(virt_type)
            and fields.VMMode.is_valid(guest.os_type)]


def _architecture(name: str) -> str | None:
    try:
        return str(fields.Architecture.canonicalize(name))
    except nova_exception.InvalidArchitectureName:
        return None


def _vcpus_used(hypervisor: base.Hypervisor) -> int:
    return sum(int(stats.values.get("vcpu.current", 1))
               for stats in hypervisor.all_stats())


def _memory_used_mib(hypervisor: base.Hypervisor, usage: host_spec.Usage,
                     settings: settings_spec.ResourceSettings) -> int:
    if settings.file_backed_memory_mib:
        # The host's own memory is only a cache of it.
        return hypervisor.guests_memory_kib() // units.KIB_PER_MIB
    return usage.memory_used_mib


def _cpu_info(cpu: host_spec.HostCpu) -> dict[str, Any]:
    topology = cpu.topology
    return {
        "arch": cpu.arch, "model": cpu.model, "vendor": cpu.vendor,
        "topology": {"cells": topology.cells, "sockets": topology.sockets,
                     "cores": topology.cores, "threads": topology.threads},
        "features": sorted(cpu.features)} | (
            {"maxphysaddr": {"mode": cpu.address_mode,
                             "bits": cpu.address_bits}}
            if cpu.address_mode else {})
