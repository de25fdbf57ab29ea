"""Give guests the mediated devices that placement has promised them."""

import collections
from collections.abc import Iterable, Mapping
import contextlib
import functools
import re
from typing import Any

from nova import context as nova_context
from nova import exception as nova_exception
from nova.objects import instance as instance_object
from nova.virt import virtapi as nova_virtapi
from oslo_log import log as logging

from nova_custom_driver import journal
from nova_custom_driver.planner import host_devices
from nova_custom_driver.spec import node_device
from nova_custom_driver.spec import settings as settings_spec
from nova_custom_driver.virt.ops import hands as hands_module
from nova_custom_driver.virt.ops import mdevs
from nova_custom_driver.virt.ops import operation
from nova_custom_driver.virt.ops import plan as plan_ops
from nova_custom_driver.virt.xml import read

LOG = logging.getLogger(__name__)
RESOURCE = re.compile(r"resources[a-zA-Z0-9_-]*:(\w+)")
# {provider: {"resources": {class: amount}}}, as placement has it.
Allocations = Mapping[str, Mapping[str, Any]]


def promised(context: nova_context.RequestContext,
             instance: instance_object.Instance,
             virtapi: nova_virtapi.VirtAPI, hands: hands_module.Hands
             ) -> Allocations | None:
    """Return what placement has given the instance; None: no such devices.
    """
    if not _classes(hands.resources.mdev).intersection(_asked(instance)):
        return None
    found: Allocations = virtapi.reportclient.get_allocations_for_consumer(
        context, instance.uuid)
    return found


def give(subject: plan_ops.Subject, allocations: Allocations | None,
         hands: hands_module.Hands, op: operation.Operation, *,
         has: tuple[str, ...] = ()) -> tuple[str, ...]:
    """Return the uuids of the guest's mediated devices: those it ``has``,
    free ones, and new ones.

    Until the operation ends no other guest gets them; if it fails, new ones
    are removed again.

    :raises nova.exception.ComputeResourcesUnavailable: there is no room for
        them; nothing was made.
    """
    wanted = _wanted(allocations, hands)
    cyborgs = [_of_cyborg(each, hands.resources.mdev)
               for each in subject.accelerators
               if each["attach_handle_type"] == host_devices.MDEV]
    if not wanted and not cyborgs:
        return has
    owner = subject.instance.uuid
    op.at_end(functools.partial(hands.mdevs.release, owner))
    with op.step("mediated devices"), hands.mdevs.lock:
        existing = hands.hypervisor.mdevs()
        chosen = mdevs.choose(
            wanted, existing,
            hands.mdevs.of_others(owner) | _of_guests(hands, owner),
            hands.hypervisor.mdev_parents(), hands.resources.mdev)
        chosen += [each for each in cyborgs if each.uuid not in has]
        hands.mdevs.claim([mdev.uuid for mdev in chosen], owner)
        _make(chosen, existing, hands, op)
    return (*has, *(mdev.uuid for mdev in chosen))


def give_again(context: nova_context.RequestContext,
               subject: plan_ops.Subject, old_xml: str | None,
               virtapi: nova_virtapi.VirtAPI, hands: hands_module.Hands,
               op: operation.Operation) -> tuple[str, ...]:
    """Return the uuids of the mediated devices of a guest that is made anew.

    It keeps those it had.  Where the host has lost them all it is given
    others.

    :raises: as :func:`give`.
    """
    had = read.mdevs(old_xml) if old_xml else ()
    if had:
        there = {mdev.uuid for mdev in hands.hypervisor.mdevs()}
        had = tuple(uuid for uuid in had if uuid in there)
    allocations = None if had else promised(
        context, subject.instance, virtapi, hands)
    return give(subject, allocations, hands, op, has=had)


def _asked(instance: instance_object.Instance) -> set[str]:
    """Return the resource classes that the flavor names."""
    specs = instance.flavor.extra_specs or {}
    return {match[1] for key, value in specs.items()
            if (match := RESOURCE.fullmatch(key)) and value != "0"}


def _classes(settings: settings_spec.MdevSettings) -> set[str]:
    return {kind.resource_class for kind in settings.types.values()}


def _wanted(allocations: Allocations | None, hands: hands_module.Hands
            ) -> collections.Counter[str]:
    """Return {device: how many of it}."""
    classes = _classes(hands.resources.mdev)
    wanted: collections.Counter[str] = collections.Counter()
    for provider, allocation in (allocations or {}).items():
        resources = allocation["resources"]
        if count := sum(resources.get(name, 0) for name in classes):
            wanted[hands.mdevs.device(provider)] += count
    return wanted


def _of_cyborg(accelerator: host_devices.Accelerator,
               settings: settings_spec.MdevSettings) -> node_device.Mdev:
    address = host_devices.accelerator_address(accelerator)
    parent = node_device.pci_name(address)
    if settings.type_of(parent) is not None:
        LOG.warning("%s is given away by Cyborg and by Nova's [mdev_*]; they "
                    "will contend for it", address)
    return node_device.Mdev(
        uuid=accelerator["attach_handle_uuid"], parent=parent,
        type=accelerator["attach_handle_info"]["asked_type"])


def _of_guests(hands: hands_module.Hands, owner: str) -> set[str]:
    """Return the uuids of those that other guests than ``owner`` have."""
    found: set[str] = set()
    for row in hands.hypervisor.domains():
        if row.uuid != owner:
            with contextlib.suppress(nova_exception.InstanceNotFound):
                # A guest that is saved has them in its definition alone.
                found.update(read.mdevs(hands.hypervisor.find(
                    row.uuid).xml(inactive=True)))
    return found


def _make(chosen: Iterable[node_device.Mdev],
          existing: Iterable[node_device.Mdev], hands: hands_module.Hands,
          op: operation.Operation) -> None:
    there = {mdev.uuid for mdev in existing}
    new = [mdev for mdev in chosen if mdev.uuid not in there]
    op.note(*(journal.Resource(kind=journal.Kind.MDEV, name=mdev.uuid)
              for mdev in new))
    for mdev in new:
        # libvirt may have made half of it when it raises.
        op.undo.push(f"remove the mediated device {mdev.uuid}",
                     functools.partial(hands.hypervisor.remove_mdev,
                                       mdev.uuid))
        hands.hypervisor.create_mdev(mdev)
