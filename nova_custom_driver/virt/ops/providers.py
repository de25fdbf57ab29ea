"""What placement knows below the node: devices, and keys that run out."""

from collections.abc import Collection, Iterable
import dataclasses

from nova.compute import provider_tree as nova_provider_tree
import os_traits


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Child:
    """A resource provider of its own, below the node.

    :ivar name: what follows the node's name in the provider's.
    :ivar total: 0: there must be no such provider.
    :ivar max_unit: the most one guest can have.
    """

    name: str
    resource_class: str
    total: int
    max_unit: int
    traits: frozenset[str] = frozenset()


def name(nodename: str, child: str) -> str:
    """Return what placement calls a child of the node."""
    return f"{nodename}_{child}"


def update(tree: nova_provider_tree.ProviderTree, nodename: str,
           children: Iterable[Child]) -> None:
    """Make, bring up to date, or remove the providers of ``children``.

    Traits that others gave them stay.
    """
    for child in children:
        provider = name(nodename, child.name)
        if not child.total:
            if tree.exists(provider):
                tree.remove(provider)
            continue
        if not tree.exists(provider):
            tree.new_child(provider, nodename)
        tree.update_inventory(provider, {child.resource_class: {
            "total": child.total, "reserved": 0, "min_unit": 1,
            "max_unit": child.max_unit, "step_size": 1,
            "allocation_ratio": 1.0}})
        tree.add_traits(provider, os_traits.OWNER_NOVA, *child.traits)


def gone(tree: nova_provider_tree.ProviderTree, nodename: str,
         resource_classes: Collection[str], children: Iterable[Child]
         ) -> tuple[Child, ...]:
    """Return those that were made once and are offered no more.

    :param resource_classes: they offered nothing but these.
    """
    offered = {name(nodename, child.name) for child in children}
    return tuple(
        Child(name=found.name.removeprefix(f"{nodename}_"),
              resource_class="", total=0, max_unit=0)
        for found in map(tree.data, tree.get_provider_uuids(nodename))
        if found.name.startswith(f"{nodename}_")
        and found.name not in offered
        and os_traits.OWNER_NOVA in found.traits
        # Nova's PCI tracker made those.
        and os_traits.COMPUTE_MANAGED_PCI_DEVICE not in found.traits
        and found.inventory
        and {*found.inventory}.issubset(resource_classes))


def uuids(tree: nova_provider_tree.ProviderTree, nodename: str,
          children: Iterable[Child]) -> dict[str, str]:
    """Return {child's name: its provider's uuid}, of those there are."""
    return {child.name: str(tree.data(name(nodename, child.name)).uuid)
            for child in children
            if tree.exists(name(nodename, child.name))}
