"""How a guest is doing, from one reading of its counters."""

from collections.abc import Iterator
from typing import Any

from nova.compute import power_state
from nova.objects import diagnostics as diagnostics_object
from nova.objects import instance as instance_object
from nova.virt import configdrive
from oslo_utils import timeutils

from nova_custom_driver import units
from nova_custom_driver.virt.host import base
from nova_custom_driver.virt.ops import power
from nova_custom_driver.virt.xml import read

# As virDomainBlockStats says it; of errors QEMU keeps no count.
UNKNOWN = -1
BLOCK = (("read_req", "rd.reqs"), ("read", "rd.bytes"),
         ("write_req", "wr.reqs"), ("write", "wr.bytes"),
         ("errors", "errors"))
NET = tuple(
    (f"{way}{ours}", f"{way}.{theirs}") for way in ("rx", "tx")
    for ours, theirs in (("", "bytes"), ("_packets", "pkts"),
                         ("_errors", "errs"), ("_drop", "drop")))
# libvirt's bulk names and those of virDomainMemoryStats, which Nova shows.
MEMORY = (
    ("actual", "current"), ("swap_in", "swap_in"), ("swap_out", "swap_out"),
    ("major_fault", "major_fault"), ("minor_fault", "minor_fault"),
    ("unused", "unused"), ("available", "available"), ("usable", "usable"),
    ("last_update", "last-update"), ("disk_caches", "disk_caches"),
    ("hugetlb_pgalloc", "hugetlb_pgalloc"),
    ("hugetlb_pgfail", "hugetlb_pgfail"), ("rss", "rss"))


def flat(hypervisor: base.Hypervisor, instance_uuid: str) -> dict[str, Any]:
    """Return the counters under the names of the old API.

    Times are in ns, memory in KiB, the rest counts bytes and requests.
    """
    values = hypervisor.find(instance_uuid).stats().values
    found: dict[str, Any] = {}
    for index in _indexes(values, "vcpu", "time"):
        found[f"cpu{index}_time"] = values[f"vcpu.{index}.time"]
    for group, names in (("block", BLOCK), ("net", NET)):
        for index in _indexes(values, group, "name"):
            device = values[f"{group}.{index}.name"]
            for ours, theirs in names:
                found[f"{device}_{ours}"] = values.get(
                    f"{group}.{index}.{theirs}", UNKNOWN)
    if "balloon.maximum" in values:
        found["memory"] = values["balloon.maximum"]
    for ours, theirs in MEMORY:
        if f"balloon.{theirs}" in values:
            found[f"memory-{ours}"] = values[f"balloon.{theirs}"]
    return found


def structured(hypervisor: base.Hypervisor, instance: instance_object.Instance,
               virt_type: str) -> diagnostics_object.Diagnostics:
    """Return the counters as the API shows them since 2.48."""
    domain = hypervisor.find(instance.uuid)
    stats = domain.stats()
    values = stats.values
    found = diagnostics_object.Diagnostics(
        state=power_state.STATE_MAP[power.POWER_STATES[stats.state]],
        # The API's schema knows no other name for a driver of our kind.
        driver="libvirt", hypervisor=virt_type, hypervisor_os="linux",
        config_drive=bool(configdrive.required_by(instance)),
        uptime=_uptime_seconds(instance))
    found.memory_details = diagnostics_object.MemoryDiagnostics(
        maximum=_mib(values, "balloon.maximum"),
        used=_mib(values, "balloon.current"))
    for index in _indexes(values, "vcpu", "time"):
        found.add_cpu(id=index, time=values[f"vcpu.{index}.time"])
    for index in _indexes(values, "block", "name"):
        found.add_disk(
            read_bytes=values.get(f"block.{index}.rd.bytes", UNKNOWN),
            read_requests=values.get(f"block.{index}.rd.reqs", UNKNOWN),
            write_bytes=values.get(f"block.{index}.wr.bytes", UNKNOWN),
            write_requests=values.get(f"block.{index}.wr.reqs", UNKNOWN),
            errors_count=values.get(f"block.{index}.errors", UNKNOWN))
    _add_nics(found, domain.xml(), values)
    return found


def _add_nics(found: diagnostics_object.Diagnostics, xml: str,
              values: Any) -> None:
    indexes = {values[f"net.{index}.name"]: index
               for index in _indexes(values, "net", "name")}
    for nic in read.interfaces(xml):
        index = indexes.get(nic.target)
        if index is None:
            found.add_nic(mac_address=nic.mac)
            continue
        found.add_nic(mac_address=nic.mac, **{
            f"{way}_{ours}": values.get(f"net.{index}.{way}.{theirs}", UNKNOWN)
            for way in ("rx", "tx")
            for ours, theirs in (("octets", "bytes"), ("packets", "pkts"),
                                 ("errors", "errs"), ("drop", "drop"))})


def _indexes(values: Any, group: str, name: str) -> Iterator[int]:
    """Yield the members of a group that have a value called ``name``."""
    # Of processors any may be off, so all that can be are looked at.
    for index in range(int(values.get(f"{group}.count",
                                      values.get(f"{group}.maximum", 0)))):
        if f"{group}.{index}.{name}" in values:
            yield index


def _mib(values: Any, name: str) -> int:
    return int(values.get(name, 0)) // units.KIB_PER_MIB


def _uptime_seconds(instance: instance_object.Instance) -> int:
    if instance.launched_at is None:
        return 0
    launched = timeutils.normalize_time(instance.launched_at)
    return int(timeutils.delta_seconds(launched, timeutils.utcnow()))
