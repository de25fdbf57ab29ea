"""How to get back from half of an operation."""

from collections.abc import Callable
import threading
import types
from typing import Self

from oslo_log import log as logging

LOG = logging.getLogger(__name__)


class UndoStack:
    """Undoes what was done, newest first, if its block raises.

    Right after each change of the host its undoing is pushed; threads may
    push side by side.  When the block ends well the stack is forgotten.
    An undo step that fails is logged and noted on the error that is already
    under way; it never replaces it, and the steps below it still run.

    :ivar complete: False after an unwinding in which a step failed, so
        something may be left.
    """

    def __init__(self) -> None:
        self._steps: list[tuple[str, Callable[[], object]]] = []
        self._lock = threading.Lock()
        self.complete = True

    def push(self, what: str, step: Callable[[], object]) -> None:
        """Have ``step`` called if the block fails.

        :param what: in the imperative, for the log ("delete disk vda").
        """
        with self._lock:
            self._steps.append((what, step))

    def unwind(self, error: BaseException) -> None:
        """Run every step, newest first; failures become notes of ``error``."""
        while True:
            with self._lock:
                if not self._steps:
                    return
                what, step = self._steps.pop()
            try:
                step()
            except BaseException as failure:
                # Also an interrupt: the steps below would be lost with it.
                self.complete = False
                LOG.exception("Undoing failed at: %s", what)
                error.add_note(f"could not {what}: {failure}")

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None,
                 error: BaseException | None,
                 traceback: types.TracebackType | None) -> None:
        if error is not None:
            self.unwind(error)
        with self._lock:
            self._steps.clear()
