"""One connection to libvirt, opened again whenever it was lost."""

from collections.abc import Callable
import threading
from typing import TypeVar

import libvirt
from nova import exception as nova_exception
from nova.i18n import _
from oslo_log import log as logging

from nova_custom_driver import exception
from nova_custom_driver.spec import settings as settings_spec
from nova_custom_driver.virt.host import base
from nova_custom_driver.virt.host import calls
from nova_custom_driver.virt.host import error
from nova_custom_driver.virt.host import events
from nova_custom_driver.virt.host import link as link_module
from nova_custom_driver.virt.host import unplug

LOG = logging.getLogger(__name__)
T = TypeVar("T")

FIRST_BACK_OFF_SECONDS = 0.5
LONGEST_BACK_OFF_SECONDS = 10.0
# How much longer than any other call one may take that has QEMU work.
PATIENCE = 10
CLOSE_SECONDS = 2


class Connection:
    """Calls libvirt, hears its events, and comes back when it does.

    While there is no connection every call fails at once.

    :ivar generation: of the connection, from 1; what was read over an older
        one may have changed.
    :ivar devices_seen: grows whenever a device of the host may have come,
        gone or changed; None: that would not be noticed.
    """

    def __init__(self, settings: settings_spec.HostSettings) -> None:
        self._settings = settings
        self._calls = calls.Calls(settings.call_timeout_seconds)
        self._lock = threading.Lock()
        self._link: link_module.Link | None = None
        self._stopped = threading.Event()
        self.dispatcher = events.Dispatcher()
        self.waiters = events.Waiters()
        self.unplugs = unplug.Unplugs()
        self.generation = 0
        self.devices_seen: int | None = None
        self._device_events = 0

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
            link, self._link = self._link, None
        self.waiters.notify_all()
        if link is not None:
            self._discard(link)
        self.dispatcher.stop()

    def call(self, action: str, subject: str,
             work: Callable[[libvirt.virConnect], T], *,
             patient: bool = False) -> T:
        """Return what ``work`` makes of the connection.

        :param patient: it may take ``PATIENCE`` times as long as others.
        :raises nova.exception.HypervisorUnavailable: there is none.
        :raises nova.exception.NovaException: as ``error.translate`` says.
        """
        link = self._link
        if link is None:
            raise self._unavailable()
        timeout = self._settings.call_timeout_seconds
        with error.translated(action, subject, self._settings.host):
            return self._calls.call(
                action, subject, lambda: work(link.connection),
                timeout * PATIENCE if patient else timeout)

    def _connect(self) -> None:
        """Open a connection and use it from now on.

        :raises nova.exception.HypervisorUnavailable: whatever the reason.
        """
        uri = self._settings.uri
        link = link_module.Link(self._settings, self._lifecycle, self._sign,
                                self._unplugged, self._devices_changed,
                                self._closed)
        try:
            self._calls.call("connect to", uri, link.open)
            self._adopt(link)
        except BaseException as failure:
            # The exception has no room for the reason.
            LOG.warning("Could not connect to %s: %s", uri, failure)
            self._discard(link)
            if isinstance(failure, libvirt.libvirtError):
                raise self._unavailable() from failure
            raise
        LOG.info("Connected to %s", uri)

    def _adopt(self, link: link_module.Link) -> None:
        with self._lock:
            # It may have broken, or we may have been stopped, meanwhile.
            if link.closed.is_set() or self._stopped.is_set():
                raise self._unavailable()
            self._link = link
            self.generation += 1
            self._device_events += 1
            self.devices_seen = (
                self._device_events if link.hears_devices else None)
            if self.generation > 1:
                self.dispatcher.put(base.ConnectionEvent(up=True))

    def _discard(self, link: link_module.Link) -> None:
        try:
            self._calls.call("close", self._settings.uri, link.discard,
                             CLOSE_SECONDS)
        except exception.HostCallTimeout as failure:
            # The thread goes on and closes it once libvirt lets go.
            LOG.debug("Closing the connection: %s", failure)

    def _lifecycle(self, link: link_module.Link, domain: libvirt.virDomain,
                   event: int, detail: int) -> None:
        """Note an event; in libvirt's event loop, which must not wait."""
        if link is self._link:
            self.waiters.notify(domain.UUIDString())
            if event == libvirt.VIR_DOMAIN_EVENT_STOPPED:
                self.unplugs.forget(domain.UUIDString())
            self.dispatcher.put_made(
                lambda: self._domain_event(domain, event, detail))

    def _devices_changed(self, link: link_module.Link) -> None:
        """Note it; in libvirt's event loop, which must not wait."""
        if link is self._link and link.hears_devices:
            self._device_events += 1
            self.devices_seen = self._device_events

    def _sign(self, link: link_module.Link, domain: libvirt.virDomain
              ) -> None:
        """Have those look again who wait for something of the domain."""
        if link is self._link:
            self.waiters.notify(domain.UUIDString())

    def _unplugged(self, link: link_module.Link, domain: libvirt.virDomain,
                   alias: str, removed: bool) -> None:
        """Note how a guest has answered; in libvirt's event loop."""
        if link is self._link:
            uuid = domain.UUIDString()
            (self.unplugs.end if removed else self.unplugs.refuse)(
                uuid, alias)
            self.waiters.notify(uuid)

    def _domain_event(self, domain: libvirt.virDomain, event: int,
                      detail: int) -> base.DomainEvent | None:
        name = events.transition(event, detail, lambda: self._calls.call(
            "look at the migration of", f"domain {domain.name()}",
            lambda: events.migration_completed(domain)))
        if name is None:
            return None
        return base.DomainEvent(uuid=domain.UUIDString(), transition=name)

    def _closed(self, link: link_module.Link, reason: int) -> None:
        """Begin to connect again; in libvirt's event loop."""
        with self._lock:
            if link is not self._link:
                return
            self._link = None
            text = _("libvirt's connection was lost (reason %d)") % reason
            self.dispatcher.put(base.ConnectionEvent(up=False, reason=text))
        self.waiters.notify_all()
        LOG.error("%s; connecting again", text)
        threading.Thread(target=self._reconnect, args=(link,),
                         name="libvirt-reconnect", daemon=True).start()

    def _reconnect(self, lost: link_module.Link) -> None:
        self._discard(lost)
        back_off = FIRST_BACK_OFF_SECONDS
        while not self._stopped.wait(back_off):
            back_off = min(2 * back_off, LONGEST_BACK_OFF_SECONDS)
            try:
                self._connect()
            except Exception:
                # Whatever it was: without this thread nobody would try.
                LOG.debug("Trying again in %.1f s", back_off)
            else:
                return

    def _unavailable(self) -> nova_exception.HypervisorUnavailable:
        return nova_exception.HypervisorUnavailable(host=self._settings.host)
