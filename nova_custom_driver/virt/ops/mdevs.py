"""Which mediated devices guests can have."""

import collections
from collections.abc import Iterable

from nova_custom_driver.spec import node_device
from nova_custom_driver.spec import settings as settings_spec
from nova_custom_driver.virt.ops import providers


def children(parents: Iterable[node_device.MdevParent],
             existing: Iterable[node_device.Mdev],
             settings: settings_spec.MdevSettings
             ) -> tuple[providers.Child, ...]:
    """Return a provider for each device that has the type chosen for it.

    It offers those that exist and those that can still be made, as long as
    all devices together stay below the type's limit.
    """
    if not settings.types:
        return ()
    made = collections.Counter(
        mdev.parent for mdev in existing
        if mdev.type == settings.type_of(mdev.parent))
    can = {parent.name: kind.available for parent in parents
           for kind in parent.types
           if kind.name == settings.type_of(parent.name)}
    room = {name: kind.max_instances for name, kind in settings.types.items()
            if kind.max_instances}
    for name, count in made.items():
        if (kind := settings.type_of(name)) in room:
            room[kind] = max(0, room[kind] - count)
    found = []
    for name in sorted({*made, *can}):
        kind, more = settings.type_of(name), can.get(name, 0)
        if kind in room:
            more = min(more, room[kind])
            room[kind] -= more
        found.append(_child(name, made[name] + more, settings))
    return tuple(found)


def _child(name: str, total: int,
           settings: settings_spec.MdevSettings) -> providers.Child:
    return providers.Child(
        name=name, resource_class=settings.class_of(name), total=total,
        max_unit=total)
