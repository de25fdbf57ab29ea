"""The host's NUMA nodes, as Nova's scheduler takes them.

What guests use of them is the resource tracker's business.
"""

from collections.abc import Iterable

from nova import exception as nova_exception
from nova import objects
from nova.i18n import _

from nova_custom_driver import units
from nova_custom_driver.spec import host as host_spec
from nova_custom_driver.spec import settings as settings_spec
from nova_custom_driver.virt.ops import inventory

# Those libvirt can bind guests' memory on.
ARCHES = frozenset(("i686", "x86_64", "aarch64", "ppc64", "ppc64le"))


def document(host: host_spec.HostFacts, usage: host_spec.Usage,
             settings: settings_spec.ResourceSettings) -> str | None:
    """Return the topology as JSON text; None: the host has none.

    :raises nova.exception.Invalid: a processor or a node that an option
        names is not there.
    """
    found = topology(host, usage, settings)
    return None if found is None else str(found._to_json())


def topology(host: host_spec.HostFacts, usage: host_spec.Usage,
             settings: settings_spec.ResourceSettings
             ) -> objects.NUMATopology | None:
    """Return the topology; see :func:`document`."""
    if host.cpu.arch not in ARCHES or not host.cells:
        return None
    _check_nodes(host.cells, settings)
    shared = inventory.shared_cpus(usage, settings)
    dedicated = _dedicated(shared, usage, settings)
    return objects.NUMATopology(cells=[
        _cell(cell, shared, dedicated, settings) for cell in host.cells])


def _dedicated(shared: frozenset[int], usage: host_spec.Usage,
               settings: settings_spec.ResourceSettings) -> frozenset[int]:
    """Return the processors that pinned guests may have.

    Where no option tells them from the shared ones, as before there was
    one, they may have those.
    """
    dedicated = inventory.dedicated_cpus(usage, settings)
    only_shared = (settings.cpu_shared_set is not None
                   and not settings.cpu_set_is_legacy)
    return dedicated if dedicated or only_shared else shared


def _cell(cell: host_spec.HostCell, shared: frozenset[int],
          dedicated: frozenset[int],
          settings: settings_spec.ResourceSettings) -> objects.NUMACell:
    cpus = {thread.id for thread in cell.threads}
    for_guests = cpus & (shared | dedicated)
    reserved = settings.reserved_pages.get(cell.id, {})
    return objects.NUMACell(
        id=cell.id, socket=_socket(cell.threads),
        cpuset=cpus & shared, pcpuset=cpus & dedicated,
        memory=cell.memory_kib // units.KIB_PER_MIB,
        cpu_usage=0, memory_usage=0, pinned_cpus=set(),
        siblings=_siblings(cell.threads, for_guests),
        mempages=[objects.NUMAPagesTopology(
            size_kb=size_kib, total=total, used=0,
            reserved=reserved.get(size_kib, 0))
            for size_kib, total in cell.pages.items()],
        network_metadata=objects.NetworkMetadata(
            physnets={name for name, nodes in settings.physnet_nodes.items()
                      if cell.id in nodes},
            tunneled=cell.id in settings.tunnel_nodes))


def _socket(threads: Iterable[host_spec.HostThread]) -> int | None:
    """Return the socket of a node; None: it spans several, and guests
    cannot be asked to stay on one.
    """
    sockets = {thread.socket for thread in threads}
    return sockets.pop() if len(sockets) == 1 else None


def _siblings(threads: Iterable[host_spec.HostThread],
              for_guests: set[int]) -> list[set[int]]:
    """Return the threads of each core, as far as guests may have them."""
    cores = {tuple(sorted(thread.siblings)) for thread in threads}
    return [left for core in sorted(cores) if (left := for_guests & {*core})]


def _check_nodes(cells: Iterable[host_spec.HostCell],
                 settings: settings_spec.ResourceSettings) -> None:
    there = frozenset(cell.id for cell in cells)
    wanted = {f"neutron_physnet_{name}": nodes
              for name, nodes in settings.physnet_nodes.items()}
    for group, nodes in {**wanted,
                         "neutron_tunnel": settings.tunnel_nodes}.items():
        if nodes - there:
            raise nova_exception.InvalidNetworkNUMAAffinity(reason=_(
                "[%(group)s]numa_nodes names %(missing)s; this host has the "
                "nodes %(there)s") % {
                    "group": group, "missing": sorted(nodes - there),
                    "there": sorted(there)})
