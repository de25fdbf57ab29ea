"""Move what placement holds of the node to where it belongs now.

Older releases kept vGPUs and encryption contexts on the node itself, and
counted the processors of pinned guests as shared ones.  Allocations are
edited in place, in the form of ``GET /allocations/{consumer_uuid}``.
"""

import collections
from collections.abc import Callable, Iterator, Mapping
import dataclasses
from typing import Any, TypeAlias

from nova import exception as nova_exception
from nova.compute import provider_tree as nova_provider_tree
from nova.i18n import _
import os_resource_classes as classes
import os_traits
from oslo_log import log as logging

from nova_custom_driver.virt.ops import pinned
from nova_custom_driver.virt.ops import providers

LOG = logging.getLogger(__name__)
Tree: TypeAlias = nova_provider_tree.ProviderTree
# {consumer: {"allocations": {provider: {"resources": {class: amount}}}}}
Allocations = dict[str, dict[str, Any]]
SEV = "amd_sev"


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Move:
    """What the node offers now, against what placement holds of it.

    :ivar dedicated: whether the host has dedicated processors.
    """

    tree: Tree
    nodename: str
    mdevs: tuple[providers.Child, ...]
    encryption: tuple[providers.Child, ...]
    dedicated: bool

    def is_needed(self) -> bool:
        """Return whether allocations have to move."""
        return (self._of_mdevs() or self._of_encryption()
                or self._of_processors())

    def allocations(self, allocations: Allocations,
                    devices_of: Callable[[str], collections.Counter[str]]
                    ) -> None:
        """Move them; the providers below the node are there already.

        :raises nova.exception.ReshapeFailed: they are not as we know them.
        """
        if self._of_mdevs():
            vgpus(self.tree, self.nodename,
                  providers.uuids(self.tree, self.nodename, self.mdevs),
                  allocations, devices_of)
        if self._of_encryption():
            encryption_contexts(
                self.tree, self.nodename,
                providers.uuids(self.tree, self.nodename, self.encryption),
                allocations)
        if self._of_processors():
            pcpus(self.nodename, allocations)

    def _of_mdevs(self) -> bool:
        return bool(self.mdevs) and self._has(classes.VGPU)

    def _of_encryption(self) -> bool:
        return self._has(classes.MEM_ENCRYPTION_CONTEXT)

    def _of_processors(self) -> bool:
        """Return whether pinned guests still count as sharing processors."""
        return (self.dedicated and not self._has(classes.PCPU)
                and pinned.has_guests(self.nodename))

    def _has(self, resource_class: str) -> bool:
        return resource_class in self.tree.data(self.nodename).inventory


def pcpus(nodename: str, allocations: Allocations) -> None:
    """Have the processors of pinned guests count as dedicated ones."""
    for consumer in pinned.consumers(nodename):
        held = allocations.get(consumer, {}).get("allocations", {})
        for provider in held.values():
            resources = provider["resources"]
            if classes.VCPU in resources and classes.PCPU not in resources:
                resources[classes.PCPU] = resources.pop(classes.VCPU)


def vgpus(tree: Tree, nodename: str, uuids: Mapping[str, str],
          allocations: Allocations,
          devices_of: Callable[[str], collections.Counter[str]]) -> None:
    """Move each guest's vGPUs to the devices that they were made of.

    :param uuids: {device: its provider}.
    :param devices_of: gives {device: vGPUs} that an instance has.
    :raises nova.exception.ReshapeFailed: an instance has none, or they are
        allocated elsewhere than from the node.
    """
    for consumer, held, resources in _on_node(
            tree, nodename, str(classes.VGPU), allocations):
        devices = devices_of(consumer)
        if not devices:
            raise nova_exception.ReshapeFailed(error=_(
                "%(consumer)s holds VGPU of this node, but is no guest here "
                "that has any: %(held)s") % {
                    "consumer": consumer, "held": held})
        expected = resources.pop(classes.VGPU)
        if devices.total() != expected:
            LOG.warning("%s holds %d VGPU and has %d; placement is told the "
                        "latter", consumer, expected, devices.total())
        for device, count in devices.items():
            if device in uuids:
                held[uuids[device]] = {"resources": {classes.VGPU: count}}


def encryption_contexts(tree: Tree, nodename: str, uuids: Mapping[str, str],
                        allocations: Allocations) -> None:
    """Move each guest's encryption context to the provider of AMD SEV.

    :param uuids: {kind of encryption: its provider}.
    :raises nova.exception.ReshapeFailed: there is no such provider, or they
        are allocated elsewhere than from the node.
    """
    for consumer, held, resources in _on_node(
            tree, nodename, str(classes.MEM_ENCRYPTION_CONTEXT),
            allocations):
        if SEV not in uuids:
            raise nova_exception.ReshapeFailed(error=_(
                "%s holds MEM_ENCRYPTION_CONTEXT of this node, which does "
                "not offer AMD SEV any more") % consumer)
        resources.pop(classes.MEM_ENCRYPTION_CONTEXT)
        held[uuids[SEV]] = {
            "resources": {classes.MEM_ENCRYPTION_CONTEXT: 1}}
    tree.remove_traits(nodename, os_traits.HW_CPU_X86_AMD_SEV)


def _on_node(tree: Tree, nodename: str, resource_class: str,
             allocations: Allocations
             ) -> Iterator[tuple[str, dict[str, Any], dict[str, int]]]:
    """Yield (consumer, what it holds of all providers, of the node)."""
    node = tree.data(nodename).uuid
    for consumer, allocation in allocations.items():
        held = allocation["allocations"]
        for provider in list(held):
            resources = held[provider]["resources"]
            if resource_class not in resources:
                continue
            if provider != node:
                raise nova_exception.ReshapeFailed(error=_(
                    "%(consumer)s holds %(resource)s of provider "
                    "%(provider)s, not of the node %(node)s") % {
                        "consumer": consumer, "resource": resource_class,
                        "provider": provider, "node": node})
            yield consumer, held, resources
