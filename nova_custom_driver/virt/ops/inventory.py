"""What placement learns of this host."""

import math

from nova import exception as nova_exception
from nova.compute import provider_tree as nova_provider_tree
from nova.i18n import _
import os_resource_classes as classes

from nova_custom_driver import units
from nova_custom_driver.spec import host as host_spec
from nova_custom_driver.spec import settings as settings_spec

Inventory = dict[str, dict[str, int | float]]


def update(tree: nova_provider_tree.ProviderTree, nodename: str,
           resources: Inventory, traits: dict[str, bool]) -> None:
    """Bring the node's inventory and traits up to date.

    Traits and providers that are not ours are left as they are.
    """
    tree.update_inventory(nodename, resources)
    tree.add_traits(nodename, *(name for name, has in traits.items() if has))
    tree.remove_traits(
        nodename, *(name for name, has in traits.items() if not has))


def resources(usage: host_spec.Usage, disk: host_spec.DiskUsage,
              settings: settings_spec.ResourceSettings,
              ratios: dict[str, float], cached_bytes: int = 0) -> Inventory:
    """Return the inventory of the node itself; what it has none of is left
    out, as placement takes no total of 0.

    :param ratios: {resource class: allocation ratio}.
    :param cached_bytes: of the disk that bases shall keep for themselves.
    :raises nova.exception.Invalid: a processor for guests is not online.
    """
    totals = {
        classes.MEMORY_MB: (memory_mib(usage, settings),
                            settings.reserved_memory_mib),
        classes.VCPU: (len(shared_cpus(usage, settings)),
                       settings.reserved_cpus),
        classes.PCPU: (len(dedicated_cpus(usage, settings)), 0),
        classes.DISK_GB: (
            disk.total_bytes // units.BYTES_PER_GIB,
            math.ceil(settings.reserved_disk_mib / units.MIB_PER_GIB)
            + math.ceil(cached_bytes / units.BYTES_PER_GIB)),
    }
    return {
        name: {"total": total, "reserved": reserved, "min_unit": 1,
               "max_unit": total, "step_size": 1,
               # Nobody else gets a dedicated processor.
               "allocation_ratio": ratios.get(name, 1.0)}
        for name, (total, reserved) in totals.items() if total > 0}


def memory_mib(usage: host_spec.Usage,
               settings: settings_spec.ResourceSettings) -> int:
    """Return the memory guests can have, the reserved one included."""
    return settings.file_backed_memory_mib or usage.memory_total_mib


def shared_cpus(usage: host_spec.Usage,
                settings: settings_spec.ResourceSettings) -> frozenset[int]:
    """Return the host's processors that unpinned guests share.

    :raises nova.exception.Invalid: one is not online.
    """
    if settings.cpu_shared_set is None:
        return (frozenset() if settings.cpu_dedicated_set
                else usage.online_cpus)
    name = ("vcpu_pin_set" if settings.cpu_set_is_legacy
            else "[compute]cpu_shared_set")
    return _there(name, settings.cpu_shared_set, usage.online_cpus)


def dedicated_cpus(usage: host_spec.Usage,
                   settings: settings_spec.ResourceSettings
                   ) -> frozenset[int]:
    """Return the host's processors that are given to one guest each.

    :raises nova.exception.Invalid: one is not there, or is offline and
        nobody would bring it online.
    """
    return _there("[compute]cpu_dedicated_set", settings.cpu_dedicated_set,
                  usage.present_cpus if settings.dedicated_cpus_sleep
                  else usage.online_cpus)


def check_cpus(usage: host_spec.Usage,
               settings: settings_spec.ResourceSettings) -> None:
    """:raises nova.exception.Invalid: a processor for guests is not there.
    """
    shared_cpus(usage, settings)
    dedicated_cpus(usage, settings)


def _there(option: str, wanted: frozenset[int],
           found: frozenset[int]) -> frozenset[int]:
    if missing := wanted - found:
        raise nova_exception.Invalid(_(
            "%(option)s names the processors %(missing)s, which this host "
            "has not or which are offline; there are %(found)s") % {
                "option": option, "missing": sorted(missing),
                "found": sorted(found)})
    return wanted
