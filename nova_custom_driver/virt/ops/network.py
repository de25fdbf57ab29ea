"""Plug a guest's interfaces and wait for Neutron to wire them."""

from collections.abc import Sequence
from concurrent import futures
import contextlib
import functools

from nova import exception as nova_exception
from nova.i18n import _
from nova.network import model as network_model
from nova.objects import instance as instance_object
from nova.virt import virtapi as nova_virtapi
from oslo_log import log as logging

from nova_custom_driver import journal
from nova_custom_driver.spec import nic
from nova_custom_driver.virt.ops import hands as hands_module
from nova_custom_driver.virt.ops import operation

LOG = logging.getLogger(__name__)

Event = tuple[str, str]


class Connection:
    """The interfaces of one guest while they are being plugged.

    Made by :func:`begin`; :meth:`sources` joins the plugging, :meth:`wait`
    the network's own work.
    """

    def __init__(self, instance: instance_object.Instance,
                 hands: hands_module.Hands, op: operation.Operation) -> None:
        self._instance = instance
        self._hands = hands
        self._op = op
        self._waiter = contextlib.ExitStack()
        self._plugging: list[futures.Future[None]] = []
        self.awaits_events = False

    def begin(self, network_info: network_model.NetworkInfo,
              events: Sequence[Event],
              virtapi: nova_virtapi.VirtAPI) -> None:
        """Listen for ``events``, then plug beside whatever comes next."""
        self.awaits_events = bool(events)
        if events:
            # Before plugging: Neutron may answer faster than we can listen.
            self._waiter.enter_context(virtapi.wait_for_instance_event(
                self._instance, list(events),
                timeout=self._hands.network.plug_timeout_seconds,
                error_callback=self._refused))
        self._op.note(*(
            journal.Resource(
                kind=journal.Kind.VIF, name=vif["id"],
                detail=self._hands.vifs.describe(self._instance, vif))
            for vif in network_info))
        self._plugging = [self._op.beside("plug", self._plug, vif)
                          for vif in network_info]

    def join(self) -> None:
        """Return when every interface is plugged.

        :raises Exception: what the first failing one raised.
        """
        operation.first_failure(self._plugging)

    def wait(self) -> None:
        """Return when Neutron has wired every awaited interface.

        :raises VirtualInterfaceCreateException: it has not in
            ``vif_plugging_timeout``, and ``vif_plugging_is_fatal``.
        """
        try:
            with self._op.step("network"):
                self._waiter.close()
        except nova_exception.InstanceEventTimeout as error:
            if self._hands.network.plug_is_fatal:
                raise nova_exception.VirtualInterfaceCreateException(_(
                    "Neutron did not report the ports of instance "
                    "%(instance)s as plugged in %(seconds)d s") % {
                        "instance": self._instance.uuid,
                        "seconds": self._hands.network.plug_timeout_seconds,
                    }) from error
            LOG.warning("Going on without Neutron's word that the ports are "
                        "plugged, as vif_plugging_is_fatal is off",
                        instance=self._instance)

    def _plug(self, vif: network_model.VIF) -> None:
        # Half of a plug may be left when it raises, so its undo comes first;
        # unplugging what is not there is no error.
        self._op.undo.push(
            f"unplug port {vif['id']}",
            functools.partial(self._hands.vifs.unplug, self._instance, vif))
        self._hands.vifs.plug(self._instance, vif)

    def _refused(self, event: str, instance: instance_object.Instance
                 ) -> None:
        LOG.error("Neutron failed to wire a port: %s", event,
                  instance=instance)
        if self._hands.network.plug_is_fatal:
            raise nova_exception.VirtualInterfaceCreateException(
                _("Neutron reported that %(event)s failed for instance "
                  "%(instance)s") % {"event": event,
                                     "instance": instance.uuid})


def begin(instance: instance_object.Instance,
          network_info: network_model.NetworkInfo, events: Sequence[Event],
          virtapi: nova_virtapi.VirtAPI, hands: hands_module.Hands,
          op: operation.Operation) -> Connection:
    """Return the connection of ``instance``, with plugging under way."""
    connection = Connection(instance, hands, op)
    connection.begin(network_info, events, virtapi)
    return connection


def nics(plans: Sequence[nic.NicPlan],
         network_info: network_model.NetworkInfo,
         hands: hands_module.Hands) -> tuple[nic.Nic, ...]:
    """Return the planned interfaces with the host's side of each.

    :raises nova.exception.NovaException: a port cannot be plugged here.
    """
    sources = {vif["id"]: hands.vifs.source(vif) for vif in network_info}
    return tuple(nic.Nic(plan=plan, source=sources[plan.vif_id])
                 for plan in plans)


def plug(instance: instance_object.Instance,
         network_info: network_model.NetworkInfo,
         hands: hands_module.Hands) -> None:
    """Plug every interface, one after the other; plugged ones stay so."""
    for vif in network_info:
        hands.vifs.plug(instance, vif)


def unplug(instance: instance_object.Instance,
           network_info: network_model.NetworkInfo,
           hands: hands_module.Hands, *, ignore_errors: bool) -> None:
    """Unplug every interface, also past one that fails.

    :param ignore_errors: only log failures.
    :raises nova.exception.NovaException: the first failure.
    """
    first: nova_exception.NovaException | None = None
    for vif in network_info:
        try:
            hands.vifs.unplug(instance, vif)
        except nova_exception.NovaException as error:
            LOG.warning("Could not unplug port %s: %s", vif["id"], error,
                        instance=instance)
            first = first or error
    if first is not None and not ignore_errors:
        raise first
