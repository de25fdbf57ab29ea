"""One connection to libvirt, opened again whenever it was lost."""

from collections.abc import Callable
import threading
from typing import Any, TypeVar

import libvirt
from nova import exception as nova_exception
from oslo_log import log as logging

from nova_custom_driver import exception
from nova_custom_driver.spec import settings as settings_spec
from nova_custom_driver.virt.host import base
from nova_custom_driver.virt.host import calls
from nova_custom_driver.virt.host import error
from nova_custom_driver.virt.host import events

LOG = logging.getLogger(__name__)
T = TypeVar("T")

FIRST_BACK_OFF_SECONDS = 0.5
LONGEST_BACK_OFF_SECONDS = 10.0


class Connection:
    """Calls libvirt, hears its events, and comes back when it does.

    While there is no connection every call fails at once.
    """

    def __init__(self, settings: settings_spec.HostSettings) -> None:
        self._settings = settings
        self._calls = calls.Calls(settings.call_timeout_seconds)
        self._lock = threading.Lock()
        self._libvirt: libvirt.virConnect | None = None
        self._stopped = threading.Event()
        self._reconnecting = False
        self.dispatcher = events.Dispatcher()
        self.waiters = events.Waiters()
        self.generation = 0

    def start(self) -> None:
        """Connect.

        :raises nova.exception.HypervisorUnavailable: libvirt is not there.
        """
        events.run_loop()
        self.dispatcher.start()
        self._connect()

    def stop(self) -> None:
        """Close the connection for good; guests are not touched."""
        self._stopped.set()
        with self._lock:
            connection, self._libvirt = self._libvirt, None
        if connection is not None:
            _close(connection)
        self.dispatcher.stop()

    def call(self, action: str, subject: str,
             work: Callable[[libvirt.virConnect], T], *,
             timeout_seconds: float | None = None) -> T:
        """Return what ``work`` makes of the connection.

        :raises nova.exception.HypervisorUnavailable: there is none.
        :raises nova.exception.NovaException: as ``error.translate`` says.
        """
        connection = self._libvirt
        if connection is None:
            raise nova_exception.HypervisorUnavailable(
                host=self._settings.host)
        with error.translated(action, subject, self._settings.host):
            return self._calls.call(
                action, subject, lambda: work(connection), timeout_seconds)

    @property
    def patience_seconds(self) -> float:
        """Deadline of calls that have QEMU work: start, save, destroy."""
        return 10 * self._settings.call_timeout_seconds

    def _connect(self) -> None:
        host, uri = self._settings.host, self._settings.uri
        with error.translated("connect to", uri, host):
            connection = self._calls.call("connect to", uri, self._open)
        with self._lock:
            self._libvirt = connection
            self.generation += 1
        LOG.info("Connected to %s", uri)

    def _open(self) -> libvirt.virConnect:
        settings = self._settings
        try:
            connection = libvirt.open(settings.uri)
        except libvirt.libvirtError as failure:
            LOG.warning("Could not connect to %s: %s", settings.uri,
                        failure.get_error_message())
            raise nova_exception.HypervisorUnavailable(
                host=settings.host) from failure
        connection.domainEventRegisterAny(
            None, libvirt.VIR_DOMAIN_EVENT_ID_LIFECYCLE, self._lifecycle,
            None)
        connection.registerCloseCallback(self._closed, None)
        try:
            connection.setKeepAlive(settings.keepalive_interval_seconds,
                                    settings.keepalive_count)
        except libvirt.libvirtError:
            # Drivers without a daemon ("test:///") have no wire to watch.
            LOG.debug("%s has no keepalive", settings.uri)
        return connection

    def _lifecycle(self, connection: libvirt.virConnect,
                   domain: libvirt.virDomain, event: int, detail: int,
                   opaque: Any) -> None:
        uuid = domain.UUIDString()
        self.waiters.notify(uuid)
        if event == libvirt.VIR_DOMAIN_EVENT_UNDEFINED:
            self.waiters.forget(uuid)
        name = events.transition(
            event, detail, lambda: _migration_completed(domain))
        if name is not None:
            self.dispatcher.put(base.DomainEvent(uuid=uuid, transition=name))

    def _closed(self, connection: libvirt.virConnect, reason: int,
                opaque: Any) -> None:
        with self._lock:
            if self._stopped.is_set() or (connection is not self._libvirt \
                    and self._libvirt is not None):
                return
            self._libvirt = None
            if self._reconnecting:
                return
            self._reconnecting = True
        text = f"libvirt's connection was lost (reason {reason})"
        LOG.error("%s; connecting again", text)
        self.dispatcher.put(base.ConnectionEvent(up=False, reason=text))
        threading.Thread(target=self._reconnect, name="libvirt-reconnect",
                         daemon=True).start()

    def _reconnect(self) -> None:
        back_off = FIRST_BACK_OFF_SECONDS
        while not self._stopped.wait(back_off):
            back_off = min(2 * back_off, LONGEST_BACK_OFF_SECONDS)
            try:
                self._connect()
            except (nova_exception.HypervisorUnavailable,
                    exception.HostError):
                continue
            with self._lock:
                self._reconnecting = False
            self.dispatcher.put(base.ConnectionEvent(up=True))
            return


def _migration_completed(domain: libvirt.virDomain) -> bool:
    """Return whether the guest was paused because it lives elsewhere now."""
    try:
        job = domain.jobStats(libvirt.VIR_DOMAIN_JOB_STATS_COMPLETED)
    except libvirt.libvirtError as failure:
        LOG.debug("No finished job of %s: %s", domain.name(), failure)
        return False
    return bool(job.get("type") == libvirt.VIR_DOMAIN_JOB_COMPLETED)


def _close(connection: libvirt.virConnect) -> None:
    try:
        connection.unregisterCloseCallback()
        connection.close()
    except libvirt.libvirtError as failure:
        LOG.debug("Closing the connection: %s", failure)
