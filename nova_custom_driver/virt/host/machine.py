"""The host's memory, processors and control groups, read from the kernel."""

import pathlib

from nova_custom_driver import units
from nova_custom_driver.spec import host as spec

MEMINFO = pathlib.Path("/proc/meminfo")
ONLINE = pathlib.Path("/sys/devices/system/cpu/online")
PRESENT = pathlib.Path("/sys/devices/system/cpu/present")
RELEASE = pathlib.Path("/proc/sys/kernel/osrelease")
CGROUP = pathlib.Path("/sys/fs/cgroup")


def usage() -> spec.Usage:
    """Return what there is and what is used of it now."""
    memory = memory_kib(MEMINFO.read_text())
    # Both numbers from one reading: libvirt counts the memory of the NUMA
    # nodes, which on a ballooned machine is another total.
    total = memory["MemTotal"]
    free = memory["MemFree"] + memory["Buffers"] + memory["Cached"]
    return spec.Usage(
        memory_total_mib=total // units.KIB_PER_MIB,
        memory_used_mib=(total - free) // units.KIB_PER_MIB,
        online_cpus=numbers(ONLINE.read_text()),
        present_cpus=numbers(PRESENT.read_text()))


def memory_kib(text: str) -> dict[str, int]:
    """Return {field: KiB} of ``/proc/meminfo``; see proc(5)."""
    fields = {}
    for line in text.splitlines():
        name, _, rest = line.partition(":")
        if rest.split():
            fields[name] = int(rest.split()[0])
    return fields


def numbers(text: str) -> frozenset[int]:
    """Return the members of a kernel's list like "0-3,8"."""
    found: set[int] = set()
    for part in filter(None, text.strip().split(",")):
        low, _, high = part.partition("-")
        found.update(range(int(low), int(high or low) + 1))
    return frozenset(found)


def major_version() -> int:
    """Return the kernel's major version."""
    return int(RELEASE.read_text().split(".")[0])


def has_cpu_cgroup(root: pathlib.Path = CGROUP) -> bool:
    """Return whether the cpu controller is there, so that shares work."""
    controllers = root / "cgroup.controllers"
    if controllers.exists():
        return "cpu" in controllers.read_text().split()
    return (root / "cpu").is_dir() or (root / "cpu,cpuacct").is_dir()
