"""Order, side by side, and the first failure."""

import graphlib
import threading

import testtools

from tools.stack import plan


class PlanTest(testtools.TestCase):

    def setUp(self):
        super().setUp()
        self.done = []

    def task(self, name, *needs, run=None):
        return plan.Task(name=name, needs=needs, run=run or (
            lambda: self.done.append(name)))

    def test_needs_come_first(self):
        plan.carry_out([self.task("c", "a", "b"), self.task("b", "a"),
                        self.task("a")], 3)
        self.assertEqual(["a", "b", "c"], self.done)

    def test_side_by_side(self):
        meeting = threading.Barrier(2, timeout=10)
        plan.carry_out([self.task("a", run=meeting.wait),
                        self.task("b", run=meeting.wait)], 2)

    def test_after_a_failure_nothing_begins(self):
        def fail():
            raise ValueError("no")
        with testtools.ExpectedException(ValueError, "no"):
            plan.carry_out([self.task("a", run=fail),
                            self.task("b", "a")], 1)
        self.assertEqual([], self.done)

    def test_a_circle_is_told(self):
        with testtools.ExpectedException(graphlib.CycleError):
            plan.carry_out([self.task("a", "b"), self.task("b", "a")], 1)

    def test_reversed_each_waits_for_those_that_need_it(self):
        plan.carry_out(plan.reversed_tasks(
            [self.task("a", "elsewhere"), self.task("b", "a"),
             self.task("c", "a", "b")]), 3)
        self.assertEqual(["c", "b", "a"], self.done)
