"""design 3: side by side, undo right after do, journal before do."""

import dataclasses
import pathlib
import tempfile
import threading
import unittest

from nova_custom_driver import journal
from nova_custom_driver import timeline
from nova_custom_driver.virt.ops import operation

UUID = "7d2b1b1c-9a0e-4a8f-8f6e-2d4a4b6b0b11"


@dataclasses.dataclass
class JournalOnly:
    """The part of the hands an operation itself works with."""

    journal: journal.Journal
    workers: int = 2
    observers: tuple[timeline.Observer, ...] = ()


class OperationTestCase(unittest.TestCase):

    def setUp(self):
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.records = []
        self.journal = journal.Journal(pathlib.Path(directory.name) / "j")
        self.hands = JournalOnly(self.journal,
                                 observers=(self.records.append,))
        self.running = operation.Running()
        self.resource = journal.Resource(
            kind=journal.Kind.DOMAIN, name="instance-1")

    def operation(self):
        return operation.Operation("spawn", UUID, self.hands, self.running)


class OperationTest(OperationTestCase):

    def test_a_good_end_forgets_undo_and_journal(self):
        undone = []
        with self.operation() as op:
            op.note(self.resource)
            op.undo.push("undo", lambda: undone.append(1))
            self.assertEqual({UUID: (self.resource,)},
                             self.journal.unfinished())
        self.assertEqual([], undone)
        self.assertEqual({}, self.journal.unfinished())

    def test_a_failure_undoes_in_reverse_and_closes_the_journal(self):
        undone = []
        with self.assertRaisesRegex(ValueError, "first"), \
                self.operation() as op:
            op.note(self.resource)
            op.undo.push("one", lambda: undone.append("one"))
            op.undo.push("two", lambda: undone.append("two"))
            raise ValueError("first")
        self.assertEqual(["two", "one"], undone)
        self.assertEqual({}, self.journal.unfinished())

    def test_a_failed_undo_keeps_the_journal_and_the_first_error(self):
        def fail():
            raise OSError("no way back")

        with self.assertRaisesRegex(ValueError, "first") as caught, \
                self.operation() as op:
            op.note(self.resource)
            op.undo.push("go back", fail)
            raise ValueError("first")
        self.assertIn("no way back", caught.exception.__notes__[0])
        self.assertEqual({UUID: (self.resource,)}, self.journal.unfinished())

    def test_undoing_waits_for_steps_that_still_run(self):
        order = []
        begun, go_on = threading.Event(), threading.Event()

        def slow():
            begun.set()
            go_on.wait(10)
            order.append("made")

        with self.assertRaises(ValueError), self.operation() as op:
            op.undo.push("undo", lambda: order.append("undone"))
            op.beside("slow", slow)
            begun.wait(10)
            threading.Timer(0.05, go_on.set).start()
            raise ValueError
        self.assertEqual(["made", "undone"], order)

    def test_steps_not_begun_are_cancelled_by_a_failure(self):
        self.hands.workers = 1
        began = []
        release = threading.Event()
        with self.assertRaises(ValueError), self.operation() as op:
            op.beside("first", release.wait, 10)
            op.beside("second", began.append, 1)
            threading.Timer(0.05, release.set).start()
            raise ValueError
        self.assertEqual([], began)

    def test_steps_run_side_by_side(self):
        meet = threading.Barrier(2, timeout=10)
        with self.operation() as op:
            work = [op.beside(name, meet.wait) for name in ("a", "b")]
            operation.first_failure(work)
        steps = {step.name for step in self.records[0].steps}
        self.assertEqual({"a", "b"}, steps)

    def test_is_running_until_its_undo_is_done(self):
        seen = []
        with self.assertRaises(ValueError), self.operation() as op:
            op.undo.push("look", lambda: seen.append(UUID in self.running))
            raise ValueError
        self.assertEqual([True], seen)
        self.assertNotIn(UUID, self.running)

    def test_nested_operations_of_one_instance(self):
        with self.operation():
            with self.operation():
                pass
            self.assertIn(UUID, self.running)
        self.assertNotIn(UUID, self.running)


class FirstFailureTest(OperationTestCase):

    def test_returns_results_in_order(self):
        with self.operation() as op:
            work = [op.beside("n", int, text) for text in ("3", "1", "2")]
            self.assertEqual([3, 1, 2], operation.first_failure(work))

    def test_does_not_wait_for_others_when_one_fails(self):
        release = threading.Event()
        self.addCleanup(release.set)
        with self.assertRaisesRegex(ValueError, "bad"), \
                self.operation() as op:
            work = [op.beside("slow", release.wait, 10),
                    op.beside("bad", int, "bad")]
            try:
                operation.first_failure(work)
            finally:
                self.assertFalse(work[0].done())
                release.set()
