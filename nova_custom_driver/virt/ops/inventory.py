"""What placement learns of this host."""

from collections.abc import Callable
import math

from nova.compute import provider_tree as nova_provider_tree
import os_resource_classes as classes

from nova_custom_driver import units
from nova_custom_driver.spec import host as host_spec
from nova_custom_driver.spec import settings as settings_spec

Inventory = dict[str, dict[str, int | float]]
Ratios = Callable[[Inventory], dict[str, float]]


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
              ratios: dict[str, float]) -> Inventory:
    """Return the inventory of the node itself.

    :param ratios: {resource class: allocation ratio}.
    """
    totals = {
        classes.MEMORY_MB: (usage.memory_total_mib,
                            settings.reserved_memory_mib),
        classes.VCPU: (len(shared_cpus(usage, settings)),
                       settings.reserved_cpus),
        classes.DISK_GB: (
            disk.total_bytes // units.BYTES_PER_GIB,
            math.ceil(settings.reserved_disk_mib / units.MIB_PER_GIB)),
    }
    return {
        name: {"total": total, "reserved": reserved, "min_unit": 1,
               "max_unit": total, "step_size": 1,
               "allocation_ratio": ratios[name]}
        for name, (total, reserved) in totals.items() if total > 0}


def shared_cpus(usage: host_spec.Usage,
                settings: settings_spec.ResourceSettings) -> frozenset[int]:
    """Return the host's processors that unpinned guests share."""
    if settings.cpu_shared_set is None:
        return usage.online_cpus
    return settings.cpu_shared_set & usage.online_cpus
