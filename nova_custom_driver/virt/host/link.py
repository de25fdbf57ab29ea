"""One opening of libvirt, with what hangs on it."""

from collections.abc import Callable
import functools
import threading
from typing import Any

import libvirt
from oslo_log import log as logging

from nova_custom_driver.spec import settings as settings_spec

LOG = logging.getLogger(__name__)


class Link:
    """A connection that is opened once, and closed once.

    :ivar connection: only once ``open`` has returned.
    :ivar closed: set when libvirt has closed it.
    :ivar hears_devices: whether it is told of devices that come and go.
    """

    connection: libvirt.virConnect

    def __init__(self, settings: settings_spec.HostSettings,
                 on_event: Callable[
                     ["Link", libvirt.virDomain, int, int], None],
                 on_sign: Callable[["Link", libvirt.virDomain], None],
                 on_unplug: Callable[
                     ["Link", libvirt.virDomain, str, bool], None],
                 on_devices: Callable[["Link"], None],
                 on_close: Callable[["Link", int], None]) -> None:
        self.closed = threading.Event()
        self.hears_devices = False
        self._settings = settings
        self._on_event = on_event
        self._on_devices = on_devices
        self._on_sign = on_sign
        self._on_unplug = on_unplug
        self._on_close = on_close
        self._lock = threading.Lock()
        self._discarded = False
        self._undo: list[Callable[[], object]] = []

    def open(self) -> None:
        """Connect, listen to events, and have the wire watched.

        Whoever gives up waiting for this calls ``discard``; then nothing is
        left when this comes back after all.

        :raises libvirt.libvirtError: nothing is left either.
        """
        with self._lock:
            if self._discarded:
                return
            try:
                self._open()
            except libvirt.libvirtError:
                self._close()
                raise

    def discard(self) -> None:
        """Close it; waits for ``open`` if that is still under way."""
        with self._lock:
            self._discarded = True
            self._close()

    def _open(self) -> None:
        settings = self._settings
        made = self.connection = libvirt.open(settings.uri)
        self._undo.append(made.close)
        made.registerCloseCallback(self._closed, None)
        self._undo.append(made.unregisterCloseCallback)
        self._listen(libvirt.VIR_DOMAIN_EVENT_ID_LIFECYCLE, self._event)
        self._listen(libvirt.VIR_DOMAIN_EVENT_ID_BLOCK_JOB_2, self._sign)
        self._listen(libvirt.VIR_DOMAIN_EVENT_ID_DEVICE_REMOVED,
                     self._removed)
        self._listen(libvirt.VIR_DOMAIN_EVENT_ID_DEVICE_REMOVAL_FAILED,
                     self._refused)
        self._hear_devices()
        try:
            made.setKeepAlive(settings.keepalive_interval_seconds,
                              settings.keepalive_count)
        except libvirt.libvirtError:
            # Drivers without a daemon ("test:///") have no wire to watch.
            LOG.debug("%s has no keepalive", settings.uri)

    def _hear_devices(self) -> None:
        made = self.connection
        for kind in (libvirt.VIR_NODE_DEVICE_EVENT_ID_LIFECYCLE,
                     libvirt.VIR_NODE_DEVICE_EVENT_ID_UPDATE):
            try:
                number = made.nodeDeviceEventRegisterAny(
                    None, kind, self._devices, None)
            except libvirt.libvirtError as failure:
                LOG.info("libvirt does not tell of devices: %s", failure)
                return
            self._undo.append(functools.partial(
                made.nodeDeviceEventDeregisterAny, number))
        self.hears_devices = True

    def _listen(self, kind: int, callback: Callable[..., None]) -> None:
        made = self.connection
        number = made.domainEventRegisterAny(None, kind, callback, None)
        # A connection that still has a listener stays open when closed.
        self._undo.append(lambda: made.domainEventDeregisterAny(number))

    def _close(self) -> None:
        while self._undo:
            try:
                self._undo.pop()()
            except libvirt.libvirtError as failure:
                LOG.debug("Closing %s: %s", self._settings.uri, failure)

    def _event(self, connection: libvirt.virConnect,
               domain: libvirt.virDomain, event: int, detail: int,
               opaque: Any) -> None:
        self._on_event(self, domain, event, detail)

    def _devices(self, connection: libvirt.virConnect,
                 device: libvirt.virNodeDevice, *details: Any) -> None:
        self._on_devices(self)

    def _removed(self, connection: libvirt.virConnect,
                 domain: libvirt.virDomain, alias: str, opaque: Any) -> None:
        self._on_unplug(self, domain, alias, True)

    def _refused(self, connection: libvirt.virConnect,
                 domain: libvirt.virDomain, alias: str, opaque: Any) -> None:
        self._on_unplug(self, domain, alias, False)

    def _sign(self, connection: libvirt.virConnect,
              domain: libvirt.virDomain, *details: Any) -> None:
        self._on_sign(self, domain)

    def _closed(self, connection: libvirt.virConnect, reason: int,
                opaque: Any) -> None:
        self.closed.set()
        self._on_close(self, reason)
