import pathlib
import tempfile
import threading
import time
import unittest
from unittest import mock

from prometheus_client import parser

from nova_custom_driver import exception
from nova_custom_driver import metrics
from nova_custom_driver import timeline


def a_record(error=None, operation="spawn", **steps):
    return timeline.Record(
        operation=operation, instance_uuid="u", error=error,
        seconds=sum(steps.values()),
        steps=tuple(timeline.Step(name=name, start_seconds=0, seconds=seconds)
                    for name, seconds in steps.items()))


class MetricsFileTest(unittest.TestCase):

    def setUp(self):
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.path = pathlib.Path(directory.name, "nova.prom")

    def samples(self, name):
        """Return {labels as a sorted tuple of their values: value}."""
        return {
            tuple(value for _, value in sorted(sample.labels.items())):
            sample.value
            for family in parser.text_string_to_metric_families(
                self.path.read_text())
            for sample in family.samples if sample.name == name}

    def written(self, *records):
        observer = metrics.MetricsFile(self.path)
        for record in records:
            observer(record)
        observer.close()

    def test_counts_operations_and_steps_by_outcome(self):
        self.written(a_record(image=0.5, start=0.25), a_record(image=1.5),
                     a_record(image=0.1, error="HostError"))
        operation = "nova_custom_driver_operation_seconds"
        self.assertEqual({("spawn", "ok"): 2, ("spawn", "failed"): 1},
                         self.samples(f"{operation}_count"))
        self.assertEqual({("spawn", "ok"): 2.25, ("spawn", "failed"): 0.1},
                         self.samples(f"{operation}_sum"))
        self.assertEqual(
            {("spawn", "ok", "image"): 2.0, ("spawn", "ok", "start"): 0.25,
             ("spawn", "failed", "image"): 0.1},
            {(operation, outcome, step): value
             for (operation, outcome, step), value in self.samples(
                 "nova_custom_driver_step_seconds_sum").items()})

    def test_the_buckets_tell_a_tenth_of_a_second_from_a_half(self):
        self.written(a_record(start=0.09), a_record(start=0.4))
        buckets = self.samples("nova_custom_driver_operation_seconds_bucket")
        self.assertEqual(1, buckets["0.1", "spawn", "ok"])
        self.assertEqual(2, buckets["0.5", "spawn", "ok"])

    def test_two_drivers_in_one_process_do_not_meet(self):
        self.written(a_record(start=1))
        self.written(a_record(start=1))
        self.assertEqual(
            {("spawn", "ok"): 1},
            self.samples("nova_custom_driver_operation_seconds_count"))

    def test_writes_without_being_closed(self):
        metrics.MetricsFile(self.path)(a_record(start=1))
        deadline = time.monotonic() + 10
        while not self.path.exists():
            self.assertLess(time.monotonic(), deadline)
            time.sleep(0.01)

    def test_replaces_the_file_as_a_whole_and_leaves_no_other(self):
        self.written(a_record(start=1))
        with self.path.open() as old:
            self.written(a_record(start=1), a_record(start=1))
            self.assertIn('outcome="ok"} 1.0', old.read())
        self.assertEqual([self.path], list(self.path.parent.iterdir()))

    def test_many_records_cost_a_few_writes(self):
        """A thousand at once: a first write, the last, and one between."""
        with mock.patch.object(
                metrics.prometheus_client, "write_to_textfile") as write:
            observer = metrics.MetricsFile(self.path)
            for _ in range(1000):
                observer(a_record(image=0.1, start=0.1))
            observer.close()
        self.assertLessEqual(write.call_count, 3)

    def test_the_operation_does_not_wait_for_the_disk(self):
        disk_hangs = threading.Event()
        with mock.patch.object(metrics.prometheus_client, "write_to_textfile",
                               side_effect=lambda *_: disk_hangs.wait(30)):
            observer = metrics.MetricsFile(self.path, interval_seconds=0)
            began = time.monotonic()
            for _ in range(100):
                observer(a_record(image=0.1, start=0.1))
            self.assertLess(time.monotonic() - began, 1)
            disk_hangs.set()
            observer.close()

    def test_closing_ends_the_thread(self):
        before = threading.active_count()
        self.written(a_record(start=1))
        self.assertEqual(before, threading.active_count())

    def test_a_disk_that_refuses_is_told_once_and_tried_again(self):
        answers = iter([OSError(28, "disk full")] * 3 + [None])

        def write(path, registry):
            answer = next(answers, None)
            if answer:
                raise answer
        with mock.patch.object(metrics.prometheus_client, "write_to_textfile",
                               write), \
                self.assertLogs("nova_custom_driver.metrics") as log:
            observer = metrics.MetricsFile(self.path, interval_seconds=0)
            observer(a_record(start=1))
            deadline = time.monotonic() + 10
            while len(log.records) < 2 and time.monotonic() < deadline:
                observer(a_record(start=1))
                time.sleep(0.001)
            observer.close()
        self.assertEqual(["ERROR", "INFO"],
                         [record.levelname for record in log.records])
        self.assertIn("disk full", log.output[0])

    def test_a_missing_directory_stops_the_service(self):
        with self.assertRaisesRegex(
                exception.UnsupportedConfiguration, "metrics_file"):
            metrics.MetricsFile(self.path.parent / "missing" / "nova.prom")
