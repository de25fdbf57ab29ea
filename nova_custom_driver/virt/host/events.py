"""libvirt's event loop, and one thread that passes events on in order."""

from collections.abc import Callable, Iterator
import contextlib
import queue
import threading

import libvirt
from oslo_log import log as logging

from nova_custom_driver.virt.host import base
from nova_custom_driver.virt.host.base import Transition

LOG = logging.getLogger(__name__)
Make = Callable[[], base.Event | None]

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


def migration_completed(domain: libvirt.virDomain) -> bool:
    """Return whether a guest was paused because it lives elsewhere now."""
    try:
        kind = domain.jobStats()["type"]
        if kind == libvirt.VIR_DOMAIN_JOB_NONE:
            return not domain.isActive()
        return bool(kind == libvirt.VIR_DOMAIN_JOB_COMPLETED)
    except libvirt.libvirtError as failure:
        # A guest that has left is off here, or not even defined any more.
        return failure.get_error_code() in (
            libvirt.VIR_ERR_NO_DOMAIN, libvirt.VIR_ERR_OPERATION_INVALID)


class Dispatcher:
    """Passes events to listeners, one after the other, from one thread."""

    def __init__(self) -> None:
        self._queue: queue.SimpleQueue[Make | None] = queue.SimpleQueue()
        self._listeners: list[base.Listener] = []
        self._lock = threading.Lock()
        self._thread = threading.Thread(
            target=self._run, name="libvirt-dispatch", daemon=True)

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        """End the thread once it has passed on what is waiting."""
        self._queue.put(None)
        if self._thread.is_alive() \
                and threading.current_thread() is not self._thread:
            self._thread.join(timeout=5)

    def put(self, event: base.Event) -> None:
        """Pass ``event`` on after those before it; returns at once."""
        self._queue.put(lambda: event)

    def put_made(self, make: Make) -> None:
        """Pass on what ``make`` returns, if anything.

        It is called when its turn has come, from the thread of the
        listeners, so it may ask libvirt: the event loop may not.
        """
        self._queue.put(make)

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
        while (make := self._queue.get()) is not None:
            try:
                event = make()
            except Exception:
                LOG.exception("An event is lost")
                continue
            if event is not None:
                self._tell(event)

    def _tell(self, event: base.Event) -> None:
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
        self._lock = threading.Lock()
        self._waiting: dict[str, list[threading.Event]] = {}

    @contextlib.contextmanager
    def waiting(self, uuid: str) -> Iterator[threading.Event]:
        """Return what is set at every event of the domain in the block.

        Cleared by the one who waits, before a look at the domain: what
        happens between look and wait is not missed.
        """
        woken = threading.Event()
        with self._lock:
            self._waiting.setdefault(uuid, []).append(woken)
        try:
            yield woken
        finally:
            with self._lock:
                self._waiting[uuid].remove(woken)
                if not self._waiting[uuid]:
                    del self._waiting[uuid]

    def notify(self, uuid: str) -> None:
        with self._lock:
            for woken in self._waiting.get(uuid, ()):
                woken.set()

    def notify_all(self) -> None:
        """Have everybody look again: events may have been missed."""
        with self._lock:
            for each in self._waiting.values():
                for woken in each:
                    woken.set()
