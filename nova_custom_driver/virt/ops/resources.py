"""What Nova's resource tracker learns of this host."""

import json
import pathlib
import time
from typing import Any

from nova_custom_driver import units
from nova_custom_driver.spec import host as host_spec
from nova_custom_driver.spec import settings as settings_spec
from nova_custom_driver.virt.host import base
from nova_custom_driver.virt.ops import inventory

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
        "supported_instances": _supported(facts),
        "vcpus": len(inventory.shared_cpus(usage, settings)),
        "vcpus_used": _vcpus_used(hypervisor),
        "memory_mb": usage.memory_total_mib,
        "memory_mb_used": usage.memory_used_mib,
        "local_gb": disk.total_bytes / gib,
        "local_gb_used": disk.used_bytes / gib,
        "disk_available_least":
            (disk.free_bytes - over_committed_bytes) / gib,
        "hypervisor_type": facts.hypervisor_type,
        "hypervisor_version": facts.qemu_version,
        "hypervisor_hostname": facts.hostname, "uuid": node_uuid,
        "cpu_info": json.dumps(_cpu_info(facts.cpu)),
        "pci_passthrough_devices": "[]", "numa_topology": None,
        "stats": {"uptime": uptime()},
    }


def uptime() -> str:
    """Return what the command ``uptime`` would say, users left out."""
    seconds = int(float(UPTIME.read_text().split()[0]))
    days, rest = divmod(seconds, 86400)
    hours, minutes = divmod(rest // 60, 60)
    load = ", ".join(LOAD.read_text().split()[:3])
    return (f" {time.strftime('%H:%M:%S')} up {days} days, "
            f"{hours:2}:{minutes:02},  load average: {load}\n")


def cpu_stats() -> dict[str, int]:
    """Return the whole host's processor times in ns, the clock in MHz.

    See ``/proc/stat`` in proc(5).
    """
    user, nice, system, idle, iowait = map(
        int, STAT.read_text().split("\n")[0].split()[1:6])
    return {"kernel": system * NS_PER_TICK,
            "user": (user + nice) * NS_PER_TICK, "idle": idle * NS_PER_TICK,
            "iowait": iowait * NS_PER_TICK, "frequency": _frequency_mhz()}


def _frequency_mhz() -> int:
    if FREQUENCY.exists():
        return int(FREQUENCY.read_text()) // 1000
    for line in CPUINFO.read_text().splitlines():
        if line.startswith("cpu MHz"):
            return int(float(line.split(":")[1]))
    return 0


def _supported(facts: host_spec.HostFacts) -> list[tuple[str, str, str]]:
    return [(guest.arch, virt_type, guest.os_type)
            for guest in facts.guests
            for virt_type in sorted(guest.virt_types)]


def _vcpus_used(hypervisor: base.Hypervisor) -> int:
    return sum(int(stats.values.get("vcpu.current", 1))
               for stats in hypervisor.all_stats())


def _cpu_info(cpu: host_spec.HostCpu) -> dict[str, Any]:
    topology = cpu.topology
    return {
        "arch": cpu.arch, "model": cpu.model, "vendor": cpu.vendor,
        "topology": {"cells": topology.cells, "sockets": topology.sockets,
                     "cores": topology.cores, "threads": topology.threads},
        "features": sorted(cpu.features)}
