"""One guest's domain."""

from collections.abc import Callable, Collection
import time
from typing import TypeVar

import libvirt
from nova import exception as nova_exception
from nova.i18n import _
from oslo_log import log as logging

from nova_custom_driver import exception
from nova_custom_driver.virt.host import base
from nova_custom_driver.virt.host import connection as connection_module
from nova_custom_driver.virt.host.base import State

LOG = logging.getLogger(__name__)
T = TypeVar("T")

STATES = {
    libvirt.VIR_DOMAIN_NOSTATE: State.NOSTATE,
    libvirt.VIR_DOMAIN_RUNNING: State.RUNNING,
    libvirt.VIR_DOMAIN_BLOCKED: State.RUNNING,
    libvirt.VIR_DOMAIN_PAUSED: State.PAUSED,
    libvirt.VIR_DOMAIN_SHUTDOWN: State.SHUTOFF,
    libvirt.VIR_DOMAIN_SHUTOFF: State.SHUTOFF,
    libvirt.VIR_DOMAIN_CRASHED: State.CRASHED,
    libvirt.VIR_DOMAIN_PMSUSPENDED: State.SUSPENDED,
}
OFF = frozenset((State.SHUTOFF, State.CRASHED))
STATS = (libvirt.VIR_DOMAIN_STATS_STATE | libvirt.VIR_DOMAIN_STATS_VCPU
         | libvirt.VIR_DOMAIN_STATS_BALLOON | libvirt.VIR_DOMAIN_STATS_BLOCK
         | libvirt.VIR_DOMAIN_STATS_INTERFACE)
UNDEFINE = (libvirt.VIR_DOMAIN_UNDEFINE_MANAGED_SAVE
            | libvirt.VIR_DOMAIN_UNDEFINE_NVRAM
            | libvirt.VIR_DOMAIN_UNDEFINE_SNAPSHOTS_METADATA
            | libvirt.VIR_DOMAIN_UNDEFINE_CHECKPOINTS_METADATA)
# QEMU stuck in I/O does not die of SIGKILL; libvirt then reports one of
# these, and another attempt may find it gone.
STUBBORN = frozenset((libvirt.VIR_ERR_SYSTEM_ERROR,
                      libvirt.VIR_ERR_OPERATION_TIMEOUT))
KILL_ATTEMPTS = 3


class LibvirtDomain:
    """A :class:`nova_custom_driver.virt.host.base.Domain` of libvirt."""

    def __init__(self, connection: connection_module.Connection,
                 domain: libvirt.virDomain) -> None:
        self._connection = connection
        self._domain = domain
        self.uuid: str = domain.UUIDString()
        self.name: str = domain.name()

    def state(self) -> State:
        state, _reason = self._call("look at", self._domain.state)
        return STATES.get(state, State.NOSTATE)

    def id(self) -> int | None:
        number = self._call("look at", self._domain.ID)
        return number if number >= 0 else None

    def xml(self, *, inactive: bool = False) -> str:
        flags = libvirt.VIR_DOMAIN_XML_INACTIVE if inactive else 0
        return self._call("describe", lambda: self._domain.XMLDesc(flags))

    def start(self, *, paused: bool = False) -> None:
        flags = libvirt.VIR_DOMAIN_START_PAUSED if paused else 0
        self._call("start", lambda: self._domain.createWithFlags(flags),
                   patient=True)

    def suspend(self) -> None:
        self._call("pause", self._domain.suspend)

    def resume(self) -> None:
        self._call("resume", self._domain.resume)

    def shutdown(self) -> None:
        self._call("shut down", self._domain.shutdown)

    def destroy(self) -> None:
        for attempt in range(1, KILL_ATTEMPTS + 1):
            try:
                self._call("switch off", self._domain.destroy, patient=True)
                return
            except nova_exception.InstanceNotFound:
                return
            except exception.HostError as error:
                if self._is_off():
                    return
                if error.code not in STUBBORN:
                    raise
                LOG.warning("QEMU of %s is still there (attempt %d of %d): "
                            "%s", self.name, attempt, KILL_ATTEMPTS, error)
                last = error
        raise nova_exception.InstancePowerOffFailure(reason=_(
            "QEMU of %(name)s did not end in %(attempts)d attempts; it may "
            "hang in I/O on its storage: %(error)s") % {
                "name": self.name, "attempts": KILL_ATTEMPTS,
                "error": last}) from last

    def undefine(self) -> None:
        try:
            self._call("undefine",
                       lambda: self._domain.undefineFlags(UNDEFINE))
        except nova_exception.InstanceNotFound:
            LOG.debug("%s was not defined any more", self.name)

    def save(self) -> None:
        self._call("save", lambda: self._domain.managedSave(0), patient=True)

    def has_saved_memory(self) -> bool:
        return bool(self._call(
            "look at", lambda: self._domain.hasManagedSaveImage(0)))

    def forget_saved_memory(self) -> None:
        if self.has_saved_memory():
            self._call("forget the memory of",
                       lambda: self._domain.managedSaveRemove(0))

    def inject_nmi(self) -> None:
        try:
            self._call("crash", lambda: self._domain.injectNMI(0))
        except exception.HostError as error:
            if error.code == libvirt.VIR_ERR_NO_SUPPORT:
                raise nova_exception.TriggerCrashDumpNotSupported from error
            if error.code == libvirt.VIR_ERR_OPERATION_INVALID:
                raise nova_exception.InstanceNotRunning(
                    instance_id=self.uuid) from error
            raise

    def synchronise_time(self) -> None:
        now = time.time()
        when = {"seconds": int(now), "nseconds": int(now % 1 * 10**9)}
        try:
            self._call("set the clock of",
                       lambda: self._domain.setTime(time=when))
        except (exception.HostError,
                nova_exception.InstanceNotFound) as error:
            # Most guests have no agent.
            LOG.debug("The clock of %s is not set: %s", self.name, error)

    def stats(self) -> base.DomainStats:
        found = self._connection.call(
            "measure", self.name,
            lambda libvirt_connection: libvirt_connection.domainListGetStats(
                [self._domain], STATS))
        if not found:
            raise nova_exception.InstanceNotFound(instance_id=self.uuid)
        return domain_stats(*found[0])

    def wait_for(self, states: Collection[State],
                 timeout_seconds: float) -> bool:
        deadline = time.monotonic() + timeout_seconds
        waiters = self._connection.waiters
        while True:
            seen = waiters.seen(self.uuid)
            if self.state() in states:
                return True
            left = deadline - time.monotonic()
            if left <= 0 or not waiters.wait(self.uuid, seen, left):
                return self.state() in states

    def _is_off(self) -> bool:
        try:
            return self.state() in OFF
        except nova_exception.InstanceNotFound:
            return True

    def _call(self, action: str, work: Callable[[], T], *,
              patient: bool = False) -> T:
        timeout = self._connection.patience_seconds if patient else None
        try:
            return self._connection.call(
                action, f"domain {self.name}", lambda _: work(),
                timeout_seconds=timeout)
        except nova_exception.InstanceNotFound as error:
            raise nova_exception.InstanceNotFound(
                instance_id=self.uuid) from error


def domain_stats(domain: libvirt.virDomain,
                 values: dict[str, int | str | bool]) -> base.DomainStats:
    """Return one row of libvirt's bulk statistics."""
    state = int(values.get("state.state", libvirt.VIR_DOMAIN_NOSTATE))
    return base.DomainStats(
        uuid=domain.UUIDString(), state=STATES.get(state, State.NOSTATE),
        values=values)
