"""libvirt's event loop, and one thread that passes events on in order."""

from collections.abc import Callable
import queue
import threading

import libvirt
from oslo_log import log as logging

from nova_custom_driver.virt.host import base
from nova_custom_driver.virt.host.base import Transition

LOG = logging.getLogger(__name__)

LIFECYCLE = {
    libvirt.VIR_DOMAIN_EVENT_STARTED: Transition.STARTED,
    libvirt.VIR_DOMAIN_EVENT_STOPPED: Transition.STOPPED,
    libvirt.VIR_DOMAIN_EVENT_SHUTDOWN: None,
    libvirt.VIR_DOMAIN_EVENT_SUSPENDED: Transition.PAUSED,
    libvirt.VIR_DOMAIN_EVENT_RESUMED: Transition.RESUMED,
    libvirt.VIR_DOMAIN_EVENT_PMSUSPENDED: Transition.SUSPENDED,
}

_loop_lock = threading.Lock()
_loop_runs = False


def run_loop() -> None:
    """Have libvirt's event loop run in a thread, for the whole process.

    Must come before the first connection is opened; once is enough.
    """
    global _loop_runs
    with _loop_lock:
        if _loop_runs:
            return
        libvirt.virEventRegisterDefaultImpl()
        # libvirt prints every error on stderr unless told otherwise; ours
        # are raised, and logged where they are swallowed.
        libvirt.registerErrorHandler(lambda context, error: None, None)
        threading.Thread(target=_loop, name="libvirt-events",
                         daemon=True).start()
        _loop_runs = True


def _loop() -> None:
    while True:
        try:
            libvirt.virEventRunDefaultImpl()
        except libvirt.libvirtError:
            LOG.exception("libvirt's event loop stumbled")


def transition(event: int, detail: int,
               migration_completed: Callable[[], bool]) -> Transition | None:
    """Return what a life-cycle event means; None: nothing Nova knows.

    :param event: ``virDomainEventType``.
    :param detail: its detail, see "virDomainEventSuspendedDetailType".
    :param migration_completed: asked only for a guest that migration has
        paused: is its migration over, or is it just paused?
    """
    if event == libvirt.VIR_DOMAIN_EVENT_SUSPENDED:
        if detail == libvirt.VIR_DOMAIN_EVENT_SUSPENDED_POSTCOPY:
            return Transition.POSTCOPY_STARTED
        if detail == libvirt.VIR_DOMAIN_EVENT_SUSPENDED_MIGRATED \
                and migration_completed():
            return Transition.MIGRATION_COMPLETED
    return LIFECYCLE.get(event)


class Dispatcher:
    """Passes events to listeners, one after the other, from one thread."""

    def __init__(self) -> None:
        self._queue: queue.SimpleQueue[base.Event | None] = \
            queue.SimpleQueue()
        self._listeners: list[base.Listener] = []
        self._lock = threading.Lock()
        self._thread = threading.Thread(
            target=self._run, name="libvirt-dispatch", daemon=True)

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        """End the thread once it has passed on what is waiting."""
        self._queue.put(None)
        if threading.current_thread() is not self._thread:
            self._thread.join(timeout=5)

    def put(self, event: base.Event) -> None:
        self._queue.put(event)

    def subscribe(self, listener: base.Listener) -> Callable[[], None]:
        """Add a listener; the returned function removes it."""
        with self._lock:
            self._listeners.append(listener)

        def unsubscribe() -> None:
            with self._lock:
                if listener in self._listeners:
                    self._listeners.remove(listener)

        return unsubscribe

    def _run(self) -> None:
        while (event := self._queue.get()) is not None:
            with self._lock:
                listeners = tuple(self._listeners)
            for listener in listeners:
                try:
                    listener(event)
                except Exception:
                    LOG.exception("A listener failed on %s", event)


class Waiters:
    """Threads that wait for something to happen to a domain.

    Woken straight from libvirt's event loop, so that a slow listener does
    not hold them up.
    """

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._count: dict[str, int] = {}

    def notify(self, uuid: str) -> None:
        with self._changed:
            self._count[uuid] = self._count.get(uuid, 0) + 1
            self._changed.notify_all()

    def seen(self, uuid: str) -> int:
        """Return a mark of what has happened so far."""
        with self._changed:
            return self._count.get(uuid, 0)

    def wait(self, uuid: str, seen: int, timeout_seconds: float) -> bool:
        """Return True once something has happened since ``seen``."""
        with self._changed:
            return self._changed.wait_for(
                lambda: self._count.get(uuid, 0) != seen, timeout_seconds)

    def forget(self, uuid: str) -> None:
        with self._changed:
            self._count.pop(uuid, None)
