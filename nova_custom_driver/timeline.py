"""How long each step of an operation took."""

from collections.abc import Callable, Iterator
import contextlib
import dataclasses
import threading
import time
import types
from typing import Self

from oslo_log import log as logging
from oslo_utils import importutils

LOG = logging.getLogger(__name__)
profiler = importutils.try_import("osprofiler.profiler")


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """:ivar start_seconds: since the operation began; steps may overlap."""

    name: str
    start_seconds: float
    seconds: float


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Record:
    """A finished operation.

    :ivar steps: in the order they began.
    :ivar error: class name of what ended it; None: it ended well.
    """

    operation: str
    instance_uuid: str
    seconds: float
    steps: tuple[Step, ...]
    error: str | None


Observer = Callable[[Record], None]


class Timeline:
    """Times the steps of one operation on one instance.

    Leaving its block logs one INFO line and tells the observers.

    :param observers: told last; one that fails is logged, no more.
    """

    def __init__(self, operation: str, instance_uuid: str,
                 observers: tuple[Observer, ...] = ()) -> None:
        self._operation = operation
        self._instance_uuid = instance_uuid
        self._observers = observers
        self._steps: list[Step] = []
        self._lock = threading.Lock()
        self._began = time.monotonic()

    @contextlib.contextmanager
    def step(self, name: str) -> Iterator[None]:
        """Time the block as ``name``, also if it raises."""
        began = time.monotonic()
        try:
            with _traced(f"{self._operation}.{name}"):
                yield
        finally:
            step = Step(name=name, start_seconds=began - self._began,
                        seconds=time.monotonic() - began)
            with self._lock:
                self._steps.append(step)

    def record(self, error: BaseException | None = None) -> Record:
        """Return the steps so far."""
        with self._lock:
            steps = sorted(self._steps, key=lambda step: step.start_seconds)
        return Record(
            operation=self._operation, instance_uuid=self._instance_uuid,
            seconds=time.monotonic() - self._began, steps=tuple(steps),
            error=type(error).__name__ if error is not None else None)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None,
                 error: BaseException | None,
                 traceback: types.TracebackType | None) -> None:
        record = self.record(error)
        LOG.info("%s", line(record))
        for observer in self._observers:
            try:
                observer(record)
            except Exception:
                LOG.exception("Could not report the times of %s of %s",
                              record.operation, record.instance_uuid)


def line(record: Record) -> str:
    """Return the operation and its steps in one line, in milliseconds."""
    outcome = f"failed ({record.error})" if record.error else "took"
    steps = ", ".join(f"{step.name} {step.seconds * 1000:.0f}"
                      for step in record.steps)
    return (f"{record.operation} of instance {record.instance_uuid} "
            f"{outcome} {record.seconds * 1000:.0f} ms: {steps}")


def _traced(name: str) -> contextlib.AbstractContextManager[object]:
    if profiler is None or profiler.get() is None:
        return contextlib.nullcontext()
    trace: contextlib.AbstractContextManager[object] = profiler.Trace(
        f"nova_custom_driver.{name}")
    return trace
