"""Durations of operations as Prometheus text, for the node exporter.

See "Textfile collector" in the node exporter's manual: it reads ``*.prom``
files of one directory, each replaced as a whole.
"""

import pathlib
import threading

from oslo_log import log as logging
import prometheus_client

from nova_custom_driver import exception
from nova_custom_driver import timeline

LOG = logging.getLogger(__name__)

# Seconds; from a step without a process to a download of a large image.
BUCKETS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0,
           30.0, 60.0, 300.0)


class MetricsFile:
    """An observer of timelines that keeps a file of their durations.

    Being told costs microseconds: the file is written by a thread of its
    own, which sleeps while nothing happens and writes at most once an
    interval.  A file that cannot be written is logged when that begins and
    when it ends.

    :param path: should end in ".prom", or the node exporter overlooks it.
    :raises UnsupportedConfiguration: there is no such directory.
    """

    def __init__(self, path: pathlib.Path,
                 interval_seconds: float = 1.0) -> None:
        if not path.parent.is_dir():
            raise exception.UnsupportedConfiguration(
                option="[custom_driver]metrics_file", value=path,
                reason=f"{path.parent} is not a directory")
        self._path = path
        self._interval_seconds = interval_seconds
        self._registry = prometheus_client.CollectorRegistry()
        self._operations = self._histogram(
            "operation", "Duration of an operation on an instance",
            ("operation", "outcome"))
        self._steps = self._histogram(
            "step", "Duration of a step of an operation; steps overlap",
            ("operation", "step", "outcome"))
        self._changed = threading.Event()
        self._closing = threading.Event()
        self._failing = False
        self._writer = threading.Thread(
            target=self._write_changes, name="metrics", daemon=True)
        self._writer.start()

    def __call__(self, record: timeline.Record) -> None:
        """Count a finished operation; ``outcome`` is "ok" or "failed"."""
        outcome = "failed" if record.error else "ok"
        self._operations.labels(record.operation, outcome).observe(
            record.seconds)
        for step in record.steps:
            self._steps.labels(record.operation, step.name, outcome).observe(
                step.seconds)
        self._changed.set()

    def close(self) -> None:
        """Write what was not written yet and stop."""
        self._closing.set()
        self._changed.set()
        self._writer.join()

    def _histogram(self, what: str, documentation: str,
                   labels: tuple[str, ...]) -> prometheus_client.Histogram:
        return prometheus_client.Histogram(
            f"nova_custom_driver_{what}_seconds", documentation, labels,
            registry=self._registry, buckets=BUCKETS)

    def _write_changes(self) -> None:
        while not self._closing.is_set():
            self._changed.wait()
            # Cleared before the write: what comes during it is written next.
            self._changed.clear()
            self._write()
            self._closing.wait(self._interval_seconds)
        self._write()

    def _write(self) -> None:
        try:
            prometheus_client.write_to_textfile(
                str(self._path), self._registry)
        except OSError as error:
            if not self._failing:
                LOG.error("Could not write [custom_driver]metrics_file %s: "
                          "%s; trying on", self._path, error)
            self._failing = True
            return
        if self._failing:
            LOG.info("[custom_driver]metrics_file %s is written again",
                     self._path)
        self._failing = False
