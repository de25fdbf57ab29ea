"""Tell Nova and placement what this host has."""

from typing import Any

from nova.compute import provider_tree as nova_provider_tree
from nova.virt import node

from nova_custom_driver.imagebackend import space
from nova_custom_driver.planner import machine
from nova_custom_driver.spec import host as host_spec
from nova_custom_driver.spec import settings as settings_spec
from nova_custom_driver.virt.ops import hands as hands_module
from nova_custom_driver.virt.ops import inventory
from nova_custom_driver.virt.ops import resources as resource_ops
from nova_custom_driver.virt.ops import traits

# The machine types whose devices are reported, by architecture; what others
# have beside these is not promised.
MACHINES = {"x86_64": ("pc", "q35"), "i686": ("pc", "q35")}


def resources(hands: hands_module.Hands,
              settings: settings_spec.ResourceSettings) -> dict[str, Any]:
    """Return what the resource tracker records."""
    directories = [hands.directory(row.uuid)
                   for row in hands.hypervisor.domains()]
    return resource_ops.available(
        hands.hypervisor, space.usage(hands.disk.instances_path),
        space.over_committed_bytes(directories),
        node.get_local_node_uuid(), settings)


def update(tree: nova_provider_tree.ProviderTree, nodename: str,
           hands: hands_module.Hands,
           settings: settings_spec.ResourceSettings,
           ratios: dict[str, float]) -> None:
    """Bring the node's inventory and our traits up to date."""
    inventory.update(
        tree, nodename,
        inventory.resources(
            hands.hypervisor.usage(),
            space.usage(hands.disk.instances_path), settings, ratios),
        _traits(hands))


def _traits(hands: hands_module.Hands) -> dict[str, bool]:
    host = hands.hypervisor.facts()
    domains = _domains(host, hands)
    flags = {
        model: hands.hypervisor.model_flags(
            host.cpu.arch, hands.guest.virt_type, model)
        for model in hands.guest.cpu_models}
    default = traits.DEFAULT_MODELS.get(host.cpu.arch)
    if hands.guest.cpu_mode == "none" and default is not None:
        flags[default] = hands.hypervisor.model_flags(
            host.cpu.arch, hands.guest.virt_type, default)
    return traits.traits(
        host, domains, hands.guest,
        traits.guest_cpu_flags(host, domains[0], hands.guest, flags))


def _domains(host: host_spec.HostFacts, hands: hands_module.Hands
             ) -> list[host_spec.DomainFacts]:
    arch = host.cpu.arch
    known = {name for guest in host.guests if guest.arch == arch
             for name in guest.machines}
    wanted = dict.fromkeys((
        *MACHINES.get(arch, ()), machine.DEFAULT_MACHINES.get(arch, ""),
        hands.guest.machine_types.get(arch, "")))
    return [hands.hypervisor.domain_facts(arch, name, hands.guest.virt_type)
            for name in wanted if name in known]
