"""Which persistent memory guests can have."""

import collections
from collections.abc import Iterable, Mapping

from nova import exception as nova_exception
from nova import objects
from nova.i18n import _
import os_resource_classes as classes

from nova_custom_driver.spec import node_device as spec
from nova_custom_driver.virt.ops import inventory

Devices = Iterable[objects.LibvirtVPMEMDevice]


def devices(namespaces: Iterable[spec.PmemNamespace],
            labels: Mapping[str, Iterable[str]]
            ) -> tuple[objects.LibvirtVPMEMDevice, ...]:
    """Return the namespaces that were given a label.

    :param labels: {label: names of namespaces}.
    :raises nova.exception.PMEMNamespaceConfigInvalid: one is not there.
    """
    known = {each.name: each for each in namespaces}
    found = []
    for label, names in labels.items():
        for name in names:
            if name not in known:
                raise nova_exception.PMEMNamespaceConfigInvalid(reason=_(
                    "this host has no namespace %(name)s; it has: "
                    "%(known)s") % {"name": name,
                                    "known": ", ".join(sorted(known))})
            each = known[name]
            found.append(objects.LibvirtVPMEMDevice(
                label=label, name=name, size=each.size_bytes,
                devpath=each.path, align=each.align_bytes))
    return tuple(found)


def resources(found: Devices, node_uuid: str
              ) -> dict[str, set[objects.Resource]]:
    """Return {resource class: what a claim can take of it}."""
    by_class: dict[str, set[objects.Resource]] = collections.defaultdict(set)
    for device in found:
        name = classes.normalize_name(f"PMEM_NAMESPACE_{device.label}")
        by_class[name].add(objects.Resource(
            provider_uuid=node_uuid, resource_class=name,
            identifier=device.name, metadata=device))
    return dict(by_class)


def inventories(found: Mapping[str, set[objects.Resource]]
                ) -> inventory.Inventory:
    """Return the inventory of each class."""
    return {name: {"total": len(each), "reserved": 0, "min_unit": 1,
                   "max_unit": len(each), "step_size": 1,
                   "allocation_ratio": 1.0}
            for name, each in found.items()}
