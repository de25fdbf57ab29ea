"""Which guests have processors of their own, as Nova's database says."""

from nova import context as nova_context
from nova import objects
from nova.objects import fields


def has_guests(nodename: str) -> bool:
    """Return whether any processor of the node was given to one guest."""
    topology = _node(nodename).numa_topology
    if not topology:
        return False
    cells = objects.NUMATopology.obj_from_db_obj(topology).cells
    return any(cell.pinned_cpus for cell in cells)


def consumers(nodename: str) -> list[str]:
    """Return who holds the processors of pinned guests in placement.

    The guests themselves, and the migrations of those that are leaving.
    """
    context, node = nova_context.get_admin_context(), _node(nodename)
    instances = objects.InstanceList.get_by_host(
        context, node.host, expected_attrs=["numa_topology"])
    found = [instance.uuid for instance in instances if _is_pinned(instance)]
    migrations = objects.MigrationList.get_in_progress_by_host_and_node(
        context, node.host, nodename)
    for migration in migrations:
        if migration.dest_compute in (None, node.host):
            # It has not left, or it has come: its guest is one of those.
            continue
        if _is_pinned(objects.Instance.get_by_uuid(
                context, migration.instance_uuid,
                expected_attrs=["numa_topology"])):
            found.append(migration.uuid)
    return found


def _node(nodename: str) -> objects.ComputeNode:
    return objects.ComputeNode.get_by_nodename(
        nova_context.get_admin_context(), nodename)


def _is_pinned(instance: objects.Instance) -> bool:
    topology = instance.numa_topology
    return topology is not None and (
        topology.cpu_policy == fields.CPUAllocationPolicy.DEDICATED)
