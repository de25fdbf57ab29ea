"""Which mediated devices guests can have."""

import collections
from collections.abc import Collection, Iterable, Mapping

from nova import exception as nova_exception
from nova.i18n import _
from oslo_utils import uuidutils

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


def choose(wanted: Mapping[str, int], existing: Iterable[node_device.Mdev],
           taken: Collection[str],
           parents: Iterable[node_device.MdevParent],
           settings: settings_spec.MdevSettings) -> list[node_device.Mdev]:
    """Return mediated devices for a guest: free ones, then ones to be made.

    :param wanted: {device: how many of it}.
    :param taken: uuids of those that are somebody's.
    :raises nova.exception.ComputeResourcesUnavailable: a device has no room.
    """
    room = {(parent.name, kind.name): kind.available
            for parent in parents for kind in parent.types}
    chosen = []
    for device, count in wanted.items():
        kind = settings.type_of(device) or ""
        free = [mdev for mdev in existing
                if (mdev.parent, mdev.type) == (device, kind)
                and mdev.uuid not in taken][:count]
        missing = count - len(free)
        if missing > room.get((device, kind), 0):
            raise nova_exception.ComputeResourcesUnavailable(reason=_(
                "%(device)s has no room for %(count)d of type %(kind)s") % {
                    "device": device, "count": missing,
                    "kind": kind or _("none")})
        chosen += free
        chosen += [node_device.Mdev(uuid=uuidutils.generate_uuid(),
                                    parent=device, type=kind)
                   for _number in range(missing)]
    return chosen


def _child(name: str, total: int,
           settings: settings_spec.MdevSettings) -> providers.Child:
    return providers.Child(
        name=name, resource_class=settings.class_of(name), total=total,
        max_unit=total)
