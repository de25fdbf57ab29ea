"""Tell Nova and placement what this host has."""

import collections
import functools
from typing import Any

from nova import exception as nova_exception
from nova.compute import provider_tree as nova_provider_tree
from nova.virt import node
from oslo_log import log as logging

from nova_custom_driver.imagebackend import space
from nova_custom_driver.planner import machine
from nova_custom_driver.spec import host as host_spec
from nova_custom_driver.virt.ops import hands as hands_module
from nova_custom_driver.virt.ops import host_capabilities
from nova_custom_driver.virt.ops import inventory
from nova_custom_driver.virt.ops import mdevs
from nova_custom_driver.virt.ops import memory_encryption
from nova_custom_driver.virt.ops import pmem
from nova_custom_driver.virt.ops import providers
from nova_custom_driver.virt.ops import reshape
from nova_custom_driver.virt.ops import resources as resource_ops
from nova_custom_driver.virt.ops import traits
from nova_custom_driver.virt.xml import read

LOG = logging.getLogger(__name__)
# The machine types whose devices are reported, by architecture; what others
# have beside these is not promised.
MACHINES = {"x86_64": ("pc", "q35"), "i686": ("pc", "q35")}


def resources(hands: hands_module.Hands) -> dict[str, Any]:
    """Return what the resource tracker records."""
    directories = [hands.directory(row.uuid)
                   for row in hands.hypervisor.domains()]
    return resource_ops.available(
        hands.hypervisor, space.usage(hands.disk.instances_path),
        space.over_committed_bytes(directories),
        node.get_local_node_uuid(), hands.resources)


def capabilities(hands: hands_module.Hands) -> dict[str, bool]:
    """Return what Nova may ask of the driver on this host."""
    host = hands.hypervisor.facts()
    return host_capabilities.of(
        host, _domains_of(host.cpu.arch, hands), hands.guest, hands.disk,
        hands.resources)


def update(tree: nova_provider_tree.ProviderTree, nodename: str,
           hands: hands_module.Hands, ratios: dict[str, float],
           allocations: reshape.Allocations | None) -> None:
    """Bring the node's inventory, the providers below it, and our traits up
    to date, and the allocations where they stand elsewhere now.

    :raises nova.exception.ReshapeNeeded: allocations have to move, and were
        not given.
    :raises nova.exception.ReshapeFailed: they cannot.
    """
    mediated, encryption = _mdevs(hands), _encryption(hands)
    move = reshape.Move(
        tree=tree, nodename=nodename, mdevs=mediated, encryption=encryption,
        dedicated=bool(hands.resources.cpu_dedicated_set))
    if allocations is None and move.is_needed():
        raise nova_exception.ReshapeNeeded
    gone = providers.gone(tree, nodename, _mdev_classes(hands), mediated)
    providers.update(tree, nodename, (*mediated, *encryption, *gone))
    hands.mdevs.learn(providers.uuids(tree, nodename, mediated))
    if allocations is not None:
        move.allocations(allocations, functools.partial(_mdevs_of, hands))
    persistent = pmem.resources(hands.pmem, tree.data(nodename).uuid)
    inventory.update(
        tree, nodename,
        inventory.resources(
            hands.hypervisor.usage(),
            space.usage(hands.disk.instances_path), hands.resources, ratios,
            _cached_bytes(hands)) | pmem.inventories(persistent),
        _traits(hands))
    # Nova's tracker claims from these.
    tree.update_resources(nodename, persistent)


def _mdevs(hands: hands_module.Hands) -> tuple[providers.Child, ...]:
    settings = hands.resources.mdev
    if not settings.types:
        return ()
    return mdevs.children(hands.hypervisor.mdev_parents(),
                          hands.hypervisor.mdevs(), settings)


def _mdev_classes(hands: hands_module.Hands) -> set[str]:
    """Return the resource classes of mediated devices; none where there are
    no such devices to look after.
    """
    return {kind.resource_class
            for kind in hands.resources.mdev.types.values()}


def _mdevs_of(hands: hands_module.Hands,
              instance_uuid: str) -> collections.Counter[str]:
    """Return {device: how many of its mediated devices a guest has}."""
    try:
        xml = hands.hypervisor.find(instance_uuid).xml()
    except nova_exception.InstanceNotFound:
        return collections.Counter()
    uuids = read.mdevs(xml)
    return collections.Counter(
        mdev.parent for mdev in hands.hypervisor.mdevs()
        if mdev.uuid in uuids)


def _encryption(hands: hands_module.Hands) -> tuple[providers.Child, ...]:
    host = hands.hypervisor.facts()
    return memory_encryption.children(
        host, _domains_of(host.cpu.arch, hands), hands.guest.cpu_mode,
        hands.resources.tdx_guests)


def _cached_bytes(hands: hands_module.Hands) -> int:
    if not hands.resources.reserve_for_base_cache:
        return 0
    return space.cache_bytes(hands.disk.cache_directory,
                             hands.disk.instances_path)


def _traits(hands: hands_module.Hands) -> dict[str, bool]:
    host = hands.hypervisor.facts()
    own = _domains_of(host.cpu.arch, hands)
    return traits.traits(
        host, (*own, *_foreign_domains(hands)), hands.guest,
        traits.guest_cpu_flags(host, own[0], hands.guest,
                               _model_flags(host.cpu.arch, hands)))


def _foreign_domains(hands: hands_module.Hands
                     ) -> list[host_spec.DomainFacts]:
    host, found = hands.hypervisor.facts(), []
    for guest in host.guests:
        if guest.arch == host.cpu.arch:
            continue
        try:
            found += _domains_of(guest.arch, hands)
        except nova_exception.InvalidMachineType as error:
            # Its QEMU may be broken; that is no matter of the others.
            LOG.warning("%s is left out of the report: %s", guest.arch, error)
    return found


def _model_flags(arch: str, hands: hands_module.Hands
                 ) -> dict[str, frozenset[str]]:
    """Return {model: flags} of those that guests of the host's own
    architecture get by name.
    """
    models = {*hands.guest.cpu_models}
    default = traits.DEFAULT_MODELS.get(arch)
    if hands.guest.cpu_mode == "none" and default is not None:
        models.add(default)
    return {model: hands.hypervisor.model_flags(
        arch, hands.guest.virt_type, model) for model in models}


def _domains_of(arch: str, hands: hands_module.Hands
                ) -> list[host_spec.DomainFacts]:
    """Return what guests of an architecture can have, by machine type."""
    host = hands.hypervisor.facts()
    known = {name for guest in host.guests if guest.arch == arch
             for name in guest.machines}
    wanted = dict.fromkeys((
        *MACHINES.get(arch, ()), machine.DEFAULT_MACHINES.get(arch, ""),
        hands.guest.machine_types.get(arch, "")))
    virt_type = hands.guest.virt_type if arch == host.cpu.arch else "qemu"
    return [hands.hypervisor.domain_facts(arch, name, virt_type)
            for name in wanted if name in known]
