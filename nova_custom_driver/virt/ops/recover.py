"""Undo what a crash has cut off."""

from collections.abc import Sequence
import pathlib

from nova import exception as nova_exception
from oslo_log import log as logging

from nova_custom_driver import journal
from nova_custom_driver import privsep
from nova_custom_driver.virt.ops import destroy
from nova_custom_driver.virt.ops import hands as hands_module
from nova_custom_driver.virt.ops import passthrough
from nova_custom_driver.virt.ops import power

LOG = logging.getLogger(__name__)
# What a guest that runs may not be deprived of.
USED = frozenset((journal.Kind.VIF, journal.Kind.VOLUME,
                  journal.Kind.MDEV))


def unfinished(hands: hands_module.Hands) -> None:
    """Undo every operation the journal still holds open.

    Nova itself puts an instance whose build was cut off into ERROR; the
    driver's part is that nothing of it stays on the host.  What cannot be
    undone now keeps its journal, for the next start.
    """
    for instance_uuid, resources in hands.journal.unfinished().items():
        LOG.warning("An operation on instance %s was cut off; undoing the "
                    "%d things it had begun to make", instance_uuid,
                    len(resources))
        if _undo(hands, instance_uuid, resources):
            hands.journal.entry(instance_uuid).close()


def _undo(hands: hands_module.Hands, instance_uuid: str,
          resources: Sequence[journal.Resource]) -> bool:
    """Return whether everything is gone that has to go."""
    complete = True
    for resource in reversed(resources):
        try:
            if resource.kind in USED \
                    and _runs_on(hands, instance_uuid, resources):
                LOG.info("Instance %s runs; its %s %s stays",
                         instance_uuid, resource.kind, resource.name)
                continue
            _remove(hands, instance_uuid, resource)
        except (nova_exception.NovaException, OSError):
            complete = False
            LOG.exception("Could not remove %s %s of instance %s",
                          resource.kind, resource.name, instance_uuid)
    return complete


def _runs_on(hands: hands_module.Hands, instance_uuid: str,
             resources: Sequence[journal.Resource]) -> bool:
    """Return whether the guest was there before, and runs.

    A reboot that was cut off has started it already: without its ports it
    would run on, cut off from its network.
    """
    if any(resource.kind is journal.Kind.DOMAIN for resource in resources):
        return False
    domain = destroy.find(hands, instance_uuid)
    return domain is not None and domain.state() not in power.OFF


def _remove(hands: hands_module.Hands, instance_uuid: str,
            resource: journal.Resource) -> None:
    match resource.kind:
        case journal.Kind.DOMAIN:
            destroy.stop(hands, instance_uuid)
            destroy.forget(hands, instance_uuid)
        case journal.Kind.VIF:
            hands.vifs.unplug_described(dict(resource.detail))
        case journal.Kind.DIRECTORY:
            privsep.remove_tree(pathlib.Path(resource.name))
        case journal.Kind.FILE:
            pathlib.Path(resource.name).unlink(missing_ok=True)
        case journal.Kind.VOLUME:
            hands.volumes.disconnect(dict(resource.detail))
        case journal.Kind.MIRROR:
            domain = destroy.find(hands, instance_uuid)
            if domain is not None:
                domain.end_mirror(resource.name)
        case journal.Kind.SAVED_MEMORY:
            _go_on(hands, instance_uuid)
        case journal.Kind.MDEV:
            hands.hypervisor.remove_mdev(resource.name)


def _go_on(hands: hands_module.Hands, instance_uuid: str) -> None:
    """Start the guest where it was saved, if it was."""
    domain = destroy.find(hands, instance_uuid)
    if domain is not None and domain.has_saved_memory():
        domain.start()
        passthrough.give_back(domain)
