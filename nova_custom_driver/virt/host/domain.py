"""One guest's domain."""

from collections.abc import Callable, Collection, Iterator, Mapping
import contextlib
import pathlib
import time
from typing import TypeVar

import libvirt
from nova import exception as nova_exception
from nova.i18n import _
from oslo_log import log as logging

from nova_custom_driver import exception
from nova_custom_driver.virt.host import base
from nova_custom_driver.virt.host import block_copy
from nova_custom_driver.virt.host import connection as connection_module
from nova_custom_driver.virt.host import error as error_module
from nova_custom_driver.virt.host import unplug
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
# QEMU stuck in I/O does not die of SIGKILL before libvirt's patience ends;
# another attempt may find it gone.
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
        state, _reason = self._call("look at", lambda domain: domain.state())
        return STATES.get(state, State.NOSTATE)

    def id(self) -> int | None:
        # A virDomain keeps the number it had when it was looked up.
        number = self._call("look at", lambda domain:
                            domain.connect().lookupByUUIDString(
                                self.uuid).ID())
        return number if number >= 0 else None

    def xml(self, *, inactive: bool = False) -> str:
        flags = libvirt.VIR_DOMAIN_XML_INACTIVE if inactive else 0
        return self._call("describe", lambda domain: domain.XMLDesc(flags))

    def start(self, *, paused: bool = False) -> None:
        flags = libvirt.VIR_DOMAIN_START_PAUSED if paused else 0
        self._call("start", lambda domain: domain.createWithFlags(flags),
                   patient=True)

    def suspend(self) -> None:
        self._call("pause", lambda domain: domain.suspend())

    def resume(self) -> None:
        self._call("resume", lambda domain: domain.resume())

    def shutdown(self) -> None:
        # libvirt may wait for a guest agent first.
        self._call("shut down", lambda domain: domain.shutdown(),
                   patient=True)

    def destroy(self) -> None:
        for attempt in range(1, KILL_ATTEMPTS + 1):
            try:
                self._call("switch off", lambda domain: domain.destroy(),
                           patient=True)
                return
            except nova_exception.InstanceNotFound:
                return
            except exception.HostCallTimeout:
                raise
            except exception.HostError as error:
                if self._is_off():
                    return
                last = error
                if error.code == libvirt.VIR_ERR_OPERATION_TIMEOUT:
                    break
                if not error_module.is_busy(error.__cause__):
                    raise
                LOG.warning("QEMU of %s is still there (attempt %d of %d): "
                            "%s", self.name, attempt, KILL_ATTEMPTS, error)
        raise nova_exception.InstancePowerOffFailure(reason=_(
            "QEMU of %(name)s did not end; it may hang in I/O on its "
            "storage: %(error)s") % {"name": self.name, "error": last}
            ) from last

    def undefine(self) -> None:
        try:
            self._call("undefine",
                       lambda domain: domain.undefineFlags(UNDEFINE))
        except nova_exception.InstanceNotFound:
            LOG.debug("%s was not defined any more", self.name)

    def save(self) -> None:
        self._call("save", lambda domain: domain.managedSave(0),
                   patient=True)

    def has_saved_memory(self) -> bool:
        return bool(self._call(
            "look at", lambda domain: domain.hasManagedSaveImage(0)))

    def forget_saved_memory(self) -> None:
        if self.has_saved_memory():
            self._call("forget the memory of",
                       lambda domain: domain.managedSaveRemove(0))

    def inject_nmi(self) -> None:
        try:
            self._call("crash", lambda domain: domain.injectNMI(0))
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
                       lambda domain: domain.setTime(time=when))
        except (exception.HostError, nova_exception.InstanceNotFound,
                nova_exception.HypervisorUnavailable) as error:
            # Most guests have no agent.
            LOG.debug("The clock of %s is not set: %s", self.name, error)

    def plug_in(self, xml: str, *, live: bool) -> None:
        flags = libvirt.VIR_DOMAIN_AFFECT_CONFIG | (
            libvirt.VIR_DOMAIN_AFFECT_LIVE if live else 0)
        self._call("add a device to",
                   lambda domain: domain.attachDeviceFlags(xml, flags),
                   patient=True)

    def forget_device(self, xml: str) -> None:
        self._call("remove a device from the definition of",
                   lambda domain: domain.detachDeviceFlags(
                       xml, libvirt.VIR_DOMAIN_AFFECT_CONFIG))

    def remember_device(self, xml: str) -> None:
        self._call("add a device to the definition of",
                   lambda domain: domain.attachDeviceFlags(
                       xml, libvirt.VIR_DOMAIN_AFFECT_CONFIG))

    def plug_back(self, xml: str) -> None:
        try:
            self._call("give a device back to",
                       lambda domain: domain.attachDeviceFlags(
                           xml, libvirt.VIR_DOMAIN_AFFECT_LIVE),
                       patient=True)
        except exception.HostError as error:
            if error.code == libvirt.VIR_ERR_DEVICE_MISSING:
                raise nova_exception.DeviceNotFound(device=xml) from error
            raise

    def unplug(self, xml: str, alias: str, timeout_seconds: float) -> None:
        unplugs = self._connection.unplugs
        with self._connection.waiters.waiting(self.uuid) as woken:
            if unplugs.begin(self.uuid, alias):
                self._ask_to_unplug(xml, alias)
            deadline = time.monotonic() + timeout_seconds
            while unplug.has(self.xml(), alias):
                left = deadline - time.monotonic()
                if unplugs.take_refusal(self.uuid, alias):
                    raise nova_exception.DeviceDetachFailed(
                        device=alias, reason=_("the guest refused"))
                if left <= 0:
                    raise nova_exception.DeviceDetachFailed(
                        device=alias, reason=_(
                            "the guest has not let go of it in %d s; once it "
                            "does, detach it again") % timeout_seconds)
                woken.wait(left)
                woken.clear()
        unplugs.end(self.uuid, alias)

    @contextlib.contextmanager
    def mirror(self, target: str, path: pathlib.PurePath, format_name: str
               ) -> Iterator[None]:
        # One that a process began which is no more.
        self.end_mirror(target)
        self._call(f"copy disk {target} of", lambda domain: domain.blockCopy(
            target, block_copy.destination(path, format_name),
            None, block_copy.FLAGS), patient=True)
        try:
            self._wait_for_mirror(target)
            yield
        except BaseException:
            with contextlib.suppress(nova_exception.NovaException):
                self.end_mirror(target)
            raise
        self._abort_job(target)

    def end_mirror(self, target: str) -> None:
        if block_copy.state(self.xml(), target) is not None:
            self._abort_job(target)

    def freeze(self) -> None:
        self._ask_agent("freeze", lambda domain: domain.fsFreeze())

    def thaw(self) -> None:
        self._ask_agent("thaw", lambda domain: domain.fsThaw())

    def stats(self) -> base.DomainStats:
        found = self._call(
            "measure", lambda domain: domain.connect().domainListGetStats(
                [domain], STATS))
        if not found:
            raise nova_exception.InstanceNotFound(instance_id=self.uuid)
        return domain_stats(*found[0])

    def wait_for(self, states: Collection[State],
                 timeout_seconds: float) -> bool:
        deadline = time.monotonic() + timeout_seconds
        with self._connection.waiters.waiting(self.uuid) as woken:
            while self.state() not in states:
                left = deadline - time.monotonic()
                if left <= 0:
                    return False
                woken.wait(left)
                woken.clear()
        return True

    def _ask_to_unplug(self, xml: str, alias: str) -> None:
        try:
            self._call("take a device from",
                       lambda domain: domain.detachDeviceFlags(
                           xml, libvirt.VIR_DOMAIN_AFFECT_LIVE),
                       patient=True)
        except BaseException:
            self._connection.unplugs.end(self.uuid, alias)
            raise

    def _abort_job(self, target: str) -> None:
        self._call(f"end the copy of disk {target} of",
                   lambda domain: domain.blockJobAbort(target),
                   patient=True)

    def _wait_for_mirror(self, target: str) -> None:
        with self._connection.waiters.waiting(self.uuid) as woken:
            while (ready := block_copy.state(self.xml(), target)) is False:
                woken.wait()
                woken.clear()
        if ready is None:
            raise exception.HostError(
                action=f"copy disk {target} of",
                subject=f"domain {self.name}",
                reason=_("QEMU gave up; its log may say why"))

    def _ask_agent(self, action: str,
                   work: Callable[[libvirt.virDomain], object]) -> None:
        try:
            self._call(f"{action} the file systems of", work)
        except exception.HostError as error:
            raise nova_exception.InstanceQuiesceFailed(
                reason=error.format_message()) from error

    def _is_off(self) -> bool:
        try:
            return self.state() in OFF
        except nova_exception.InstanceNotFound:
            return True

    def _call(self, action: str, work: Callable[[libvirt.virDomain], T], *,
              patient: bool = False) -> T:
        try:
            return self._connection.call(
                action, f"domain {self.name}",
                lambda connection: work(self._on(connection)),
                patient=patient)
        except nova_exception.InstanceNotFound as error:
            raise nova_exception.InstanceNotFound(
                instance_id=self.uuid) from error

    def _on(self, connection: libvirt.virConnect) -> libvirt.virDomain:
        """Return the domain as reached over the connection of now."""
        if self._domain.connect() is not connection:
            self._domain = connection.lookupByUUIDString(self.uuid)
        return self._domain


def domain_stats(domain: libvirt.virDomain,
                 values: dict[str, int | str | bool]) -> base.DomainStats:
    """Return one row of libvirt's bulk statistics."""
    return base.DomainStats(
        uuid=domain.UUIDString(), state=state(values), values=values)


def state(values: Mapping[str, int | str | bool]) -> State:
    """Return the state in a row of libvirt's statistics."""
    number = int(values.get("state.state", libvirt.VIR_DOMAIN_NOSTATE))
    return STATES.get(number, State.NOSTATE)
