"""Tell Nova what happens to guests."""

from collections.abc import Callable

from nova.virt import event as nova_event
from oslo_log import log as logging

from nova_custom_driver.virt.host import base
from nova_custom_driver.virt.host.base import Transition
from nova_custom_driver.virt.ops import operation

LOG = logging.getLogger(__name__)

TRANSITIONS = {
    Transition.STARTED: nova_event.EVENT_LIFECYCLE_STARTED,
    Transition.STOPPED: nova_event.EVENT_LIFECYCLE_STOPPED,
    Transition.PAUSED: nova_event.EVENT_LIFECYCLE_PAUSED,
    Transition.RESUMED: nova_event.EVENT_LIFECYCLE_RESUMED,
    Transition.SUSPENDED: nova_event.EVENT_LIFECYCLE_SUSPENDED,
    Transition.POSTCOPY_STARTED: nova_event.EVENT_LIFECYCLE_POSTCOPY_STARTED,
    Transition.MIGRATION_COMPLETED:
        nova_event.EVENT_LIFECYCLE_MIGRATION_COMPLETED,
}


class Relay:
    """Passes the hypervisor's events on to Nova, in their order.

    A stop that an operation of ours causes (a reboot, say) is not passed on:
    Nova would take it for the guest's own wish, and the in-tree driver holds
    every stop back for 15 s to tell the two apart.

    :param emit: takes a ``nova.virt.event.LifecycleEvent``.
    :param connection_changed: takes (is up, why not).
    """

    def __init__(self, emit: Callable[[nova_event.LifecycleEvent], None],
                 connection_changed: Callable[[bool, str | None], None],
                 running: operation.Running) -> None:
        self._emit = emit
        self._connection_changed = connection_changed
        self._running = running

    def __call__(self, event: base.Event) -> None:
        match event:
            case base.ConnectionEvent():
                self._connection_changed(event.up, event.reason)
            case base.DomainEvent():
                self._pass_on(event)

    def _pass_on(self, event: base.DomainEvent) -> None:
        if event.transition is Transition.STOPPED \
                and event.uuid in self._running:
            LOG.debug("The stop of instance %s is our own doing", event.uuid)
            return
        self._emit(nova_event.LifecycleEvent(
            event.uuid, TRANSITIONS[event.transition]))
