import contextlib
import threading
import time
import types
import unittest
from unittest import mock

from hypothesis import given
from hypothesis import strategies as st

from nova_custom_driver import timeline

UUID = "6d2b4ca1-1d0b-4c56-8d0a-6b7f6b9f0c11"


def a_record(error=None, **steps):
    return timeline.Record(
        operation="spawn", instance_uuid=UUID, seconds=1.5, error=error,
        steps=tuple(timeline.Step(name=name, start_seconds=0, seconds=seconds)
                    for name, seconds in steps.items()))


class LineTest(unittest.TestCase):

    def test_one_that_ended_well(self):
        self.assertEqual(
            f"spawn of instance {UUID} took 1500 ms: image 250, start 401",
            timeline.line(a_record(image=0.25, start=0.4009)))

    def test_one_that_failed(self):
        self.assertEqual(
            f"spawn of instance {UUID} failed (HostError) 1500 ms: image 250",
            timeline.line(a_record(error="HostError", image=0.25)))

    @given(st.dictionaries(st.text(st.characters(categories=["Ll"])),
                           st.floats(0, 1e6)))
    def test_is_one_line(self, steps):
        text = timeline.line(a_record(**{
            name: seconds for name, seconds in steps.items()
            if name != "error"}))
        self.assertEqual([text], text.splitlines())


class TimelineTest(unittest.TestCase):

    def test_a_step_lasts_as_long_as_its_block(self):
        times = timeline.Timeline("spawn", UUID)
        with times.step("image"):
            time.sleep(0.05)
        step, = times.record().steps
        self.assertEqual("image", step.name)
        self.assertGreaterEqual(step.seconds, 0.05)
        self.assertLess(step.seconds, 0.5)
        self.assertLess(step.start_seconds, 0.05)

    def test_a_step_that_raises_is_timed_as_well(self):
        times = timeline.Timeline("spawn", UUID)
        with contextlib.suppress(OSError), times.step("image"):
            raise OSError
        self.assertEqual(["image"],
                         [step.name for step in times.record().steps])

    def test_steps_stand_in_the_order_they_began(self):
        times = timeline.Timeline("spawn", UUID)
        with times.step("outer"), times.step("inner"):
            pass
        with times.step("last"):
            pass
        self.assertEqual(["outer", "inner", "last"],
                         [step.name for step in times.record().steps])

    def test_threads_time_side_by_side(self):
        times = timeline.Timeline("spawn", UUID)
        together = threading.Barrier(8)

        def work():
            together.wait(10)
            for _ in range(100):
                with times.step("step"):
                    pass
        threads = [threading.Thread(target=work) for _ in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(800, len(times.record().steps))

    def test_leaving_logs_one_line_and_tells_the_observers(self):
        told = []
        with self.assertLogs("nova_custom_driver.timeline", "INFO") as log, \
                timeline.Timeline("spawn", UUID, (told.append,)) as times, \
                times.step("image"):
            pass
        record, = told
        self.assertEqual(
            ("spawn", UUID, None, ["image"]),
            (record.operation, record.instance_uuid, record.error,
             [step.name for step in record.steps]))
        self.assertEqual([timeline.line(record)],
                         [entry.getMessage() for entry in log.records])

    def test_a_failure_names_its_class_and_goes_on(self):
        told = []
        with self.assertRaises(FileNotFoundError), \
                timeline.Timeline("spawn", UUID, (told.append,)):
            raise FileNotFoundError
        self.assertEqual(["FileNotFoundError"],
                         [record.error for record in told])

    def test_an_observer_that_fails_harms_nobody(self):
        told = []

        def fails(record):
            raise OSError("no metrics")
        with self.assertLogs("nova_custom_driver.timeline", "ERROR") as log, \
                timeline.Timeline("spawn", UUID, (fails, told.append)):
            pass
        self.assertIn("no metrics", log.output[0])
        self.assertEqual(1, len(told))


class TraceTest(unittest.TestCase):
    """With Nova's profiling on, each step is an osprofiler trace point."""

    def trace_points(self, active):
        points = []

        @contextlib.contextmanager
        def trace(name):
            points.append(name)
            yield
        profiler = types.SimpleNamespace(get=lambda: active, Trace=trace)
        with mock.patch.object(timeline, "profiler", profiler), \
                timeline.Timeline("spawn", UUID).step("image"):
            pass
        return points

    def test_traces_when_profiling_is_on(self):
        self.assertEqual(["nova_custom_driver.spawn.image"],
                         self.trace_points(active=object()))

    def test_does_not_when_it_is_off(self):
        self.assertEqual([], self.trace_points(active=None))

    def test_does_not_where_osprofiler_is_not_installed(self):
        with mock.patch.object(timeline, "profiler", None):
            times = timeline.Timeline("spawn", UUID)
            with times.step("image"):
                pass
        self.assertEqual(1, len(times.record().steps))
