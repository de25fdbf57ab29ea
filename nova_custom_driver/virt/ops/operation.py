"""One piece of work on one instance, with its way back."""

from collections.abc import Callable
from concurrent import futures
import contextlib
import threading
import types
from typing import ParamSpec, Self, TypeVar

from oslo_context import context as oslo_context

from nova_custom_driver import journal
from nova_custom_driver import timeline
from nova_custom_driver.undo import UndoStack
from nova_custom_driver.virt.ops import hands as hands_module

P = ParamSpec("P")
T = TypeVar("T")


class Running:
    """Which instances are being worked on by this driver now."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._count: dict[str, int] = {}

    def __contains__(self, instance_uuid: str) -> bool:
        with self._lock:
            return instance_uuid in self._count

    def enter(self, instance_uuid: str) -> None:
        with self._lock:
            self._count[instance_uuid] = self._count.get(instance_uuid, 0) + 1

    def leave(self, instance_uuid: str) -> None:
        with self._lock:
            self._count[instance_uuid] -= 1
            if not self._count[instance_uuid]:
                del self._count[instance_uuid]


class Operation:
    """Undo stack, journal, timeline and helping threads of one operation.

    When its block raises: steps not yet begun are cancelled, running ones
    are waited for, everything made is undone in reverse, and the journal is
    closed if that was whole; the error goes on.  When it ends well the
    journal is closed.  Either way the timeline is reported.

    :ivar undo: for a change's undoing, pushed right after the change.
    """

    def __init__(self, name: str, instance_uuid: str,
                 hands: hands_module.Hands, running: Running) -> None:
        self.instance_uuid = instance_uuid
        self.undo = UndoStack()
        self._running = running
        self._journal = hands.journal.entry(instance_uuid)
        self._timeline = timeline.Timeline(
            name, instance_uuid, hands.observers)
        self._workers = hands.workers
        self._executor: futures.ThreadPoolExecutor | None = None
        self._open = contextlib.ExitStack()
        self._last = contextlib.ExitStack()

    def step(self, name: str) -> contextlib.AbstractContextManager[None]:
        """Time the block as a step."""
        return self._timeline.step(name)

    def note(self, *resources: journal.Resource) -> None:
        """Write down what is about to be made; on disk on return."""
        if resources:
            with self.step("journal"):
                self._journal.note(*resources)

    def at_end(self, step: Callable[[], object]) -> None:
        """Have ``step`` called when the operation is over, and undone if it
        failed.
        """
        self._last.callback(step)

    def beside(self, name: str, work: Callable[P, T], *args: P.args,
               **kwargs: P.kwargs) -> futures.Future[T]:
        """Do ``work`` in a thread of the operation, timed as a step."""
        context = oslo_context.get_current()

        def run() -> T:
            if context is not None:
                context.update_store()
            with self.step(name):
                return work(*args, **kwargs)

        if self._executor is None:
            self._executor = futures.ThreadPoolExecutor(
                self._workers, f"{name}-{self.instance_uuid}")
        return self._executor.submit(run)

    def __enter__(self) -> Self:
        self._running.enter(self.instance_uuid)
        self._open.callback(self._running.leave, self.instance_uuid)
        self._open.enter_context(self._timeline)
        self._open.push(self._last)
        self._open.push(self._close_journal)
        self._open.enter_context(self.undo)
        self._open.push(self._stop_threads)
        return self

    def __exit__(self, kind: type[BaseException] | None,
                 error: BaseException | None,
                 traceback: types.TracebackType | None) -> None:
        self._open.__exit__(kind, error, traceback)

    def _stop_threads(self, kind: type[BaseException] | None,
                      error: BaseException | None,
                      traceback: types.TracebackType | None) -> None:
        # Before undoing: a step that is still at work would make what was
        # just undone.
        if self._executor is not None:
            self._executor.shutdown(cancel_futures=error is not None)

    def _close_journal(self, kind: type[BaseException] | None,
                       error: BaseException | None,
                       traceback: types.TracebackType | None) -> None:
        if self.undo.complete:
            self._journal.close()
        else:
            self._journal.release()


def first_failure(work: list[futures.Future[T]]) -> list[T]:
    """Return the results in order.

    :raises Exception: the first failure in time, at once; what has not begun
        is cancelled by the operation.
    """
    done, _ = futures.wait(work, return_when=futures.FIRST_EXCEPTION)
    for future in done:
        if not future.cancelled() and future.exception() is not None:
            future.result()
    return [future.result() for future in work]
