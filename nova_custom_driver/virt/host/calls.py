"""Calls that come back in time, whatever libvirt does."""

from collections.abc import Callable
import queue
import threading
from typing import ParamSpec, TypeVar

from nova.i18n import _

from nova_custom_driver import exception

P = ParamSpec("P")
T = TypeVar("T")

# Hung calls keep their thread until libvirt lets go; beyond so many of them
# it is down, and more threads would not help.
MOST_THREADS = 64


class _Job:
    """One call on its way through a worker."""

    def __init__(self, work: Callable[[], object]) -> None:
        self.work = work
        self.done = threading.Event()
        self.result: object = None
        self.error: BaseException | None = None
        self._taken = threading.Lock()

    def take(self) -> bool:
        """Return True for the first who asks: to run it, or to drop it."""
        return self._taken.acquire(blocking=False)

    def run(self) -> None:
        if not self.take():
            return
        try:
            self.result = self.work()
        except BaseException as error:
            self.error = error
        self.done.set()


class Calls:
    """Runs calls in threads of its own and waits for each until a deadline.

    The threads are daemons, unlike those of ``concurrent.futures``: a hung
    one must not keep the service from stopping.
    """

    def __init__(self, timeout_seconds: float) -> None:
        self._timeout_seconds = timeout_seconds
        self._jobs: queue.SimpleQueue[_Job] = queue.SimpleQueue()
        self._lock = threading.Lock()
        self._threads = 0
        self._idle = 0

    def call(self, action: str, subject: str, work: Callable[[], T],
             timeout_seconds: float | None = None) -> T:
        """Return what ``work`` returns.

        :param timeout_seconds: None: the usual one.
        :raises HostCallTimeout: it has not come back in time.  If it was
            under way it may still be carried out; if it was waiting for a
            thread it never will.
        """
        timeout = timeout_seconds or self._timeout_seconds
        job = _Job(work)
        self._submit(job)
        if not job.done.wait(timeout):
            job.take()
            raise exception.HostCallTimeout(
                action=action, subject=subject,
                reason=_("libvirt has not answered in %d s") % timeout)
        if job.error is not None:
            raise job.error
        return job.result  # type: ignore[return-value]

    def _submit(self, job: _Job) -> None:
        with self._lock:
            if self._idle:
                self._idle -= 1
            elif self._threads < MOST_THREADS:
                self._threads += 1
                threading.Thread(target=self._work, daemon=True,
                                 name="libvirt-call").start()
        self._jobs.put(job)

    def _work(self) -> None:
        while True:
            self._jobs.get().run()
            with self._lock:
                self._idle += 1
