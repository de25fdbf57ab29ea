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
        classes.MEMORY_MB: (usage.memory_total_mib,
                            settings.reserved_memory_mib),
        classes.VCPU: (len(shared_cpus(usage, settings)),
                       settings.reserved_cpus),
        classes.DISK_GB: (
            disk.total_bytes // units.BYTES_PER_GIB,
            math.ceil(settings.reserved_disk_mib / units.MIB_PER_GIB)
            + math.ceil(cached_bytes / units.BYTES_PER_GIB)),
    }
    return {
        name: {"total": total, "reserved": reserved, "min_unit": 1,
               "max_unit": total, "step_size": 1,
               "allocation_ratio": ratios[name]}
        for name, (total, reserved) in totals.items() if total > 0}


def shared_cpus(usage: host_spec.Usage,
                settings: settings_spec.ResourceSettings) -> frozenset[int]:
    """Return the host's processors that unpinned guests share.

    :raises nova.exception.Invalid: one is not online.
    """
    if settings.cpu_shared_set is None:
        return usage.online_cpus
    missing = settings.cpu_shared_set - usage.online_cpus
    if missing:
        raise nova_exception.Invalid(_(
            "[compute]cpu_shared_set (or vcpu_pin_set) names the processors "
            "%(missing)s, which are not online; this host has %(online)s") % {
                "missing": sorted(missing),
                "online": sorted(usage.online_cpus)})
    return settings.cpu_shared_set
