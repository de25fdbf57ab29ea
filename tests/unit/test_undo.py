import threading
import unittest

from hypothesis import given
from hypothesis import strategies as st

from nova_custom_driver.undo import UndoStack


class UndoStackTest(unittest.TestCase):

    def test_undoes_newest_first(self):
        undone = []
        with self.assertRaises(OSError), UndoStack() as undo:
            for name in ("directory", "disk", "domain"):
                undo.push(f"delete {name}",
                          lambda name=name: undone.append(name))
            raise OSError("start failed")
        self.assertEqual(["domain", "disk", "directory"], undone)
        self.assertTrue(undo.complete)

    def test_forgets_everything_when_the_block_ends_well(self):
        undone = []
        with UndoStack() as undo:
            undo.push("delete disk", lambda: undone.append("disk"))
        undo.unwind(OSError("later"))
        self.assertEqual([], undone)

    def test_the_first_error_survives_and_tells_what_was_left(self):
        undone = []
        with self.assertRaises(OSError) as caught, UndoStack() as undo:
            undo.push("delete directory",
                      lambda: undone.append("directory"))
            undo.push("unplug port", lambda: 1 // 0)
            raise OSError("start failed")
        self.assertEqual("start failed", str(caught.exception))
        self.assertEqual(
            ["could not unplug port: integer division or modulo by zero"],
            caught.exception.__notes__)
        self.assertEqual(["directory"], undone)
        self.assertFalse(undo.complete)

    def test_an_interrupt_in_a_step_does_not_stop_the_others(self):
        def interrupted():
            raise KeyboardInterrupt

        undone = []
        with self.assertRaises(OSError), UndoStack() as undo:
            undo.push("delete disk", lambda: undone.append("disk"))
            undo.push("undefine domain", interrupted)
            raise OSError("start failed")
        self.assertEqual(["disk"], undone)
        self.assertFalse(undo.complete)

    def test_undoes_after_an_interrupt(self):
        undone = []
        with self.assertRaises(KeyboardInterrupt), UndoStack() as undo:
            undo.push("delete disk", lambda: undone.append("disk"))
            raise KeyboardInterrupt
        self.assertEqual(["disk"], undone)

    def test_a_step_may_push_a_step(self):
        undone = []
        with self.assertRaises(OSError), UndoStack() as undo:
            undo.push("first", lambda: undo.push(
                "second", lambda: undone.append("second")))
            raise OSError
        self.assertEqual(["second"], undone)

    def test_logs_the_failure_with_its_traceback(self):
        with self.assertLogs("nova_custom_driver.undo", "ERROR") as log, \
                self.assertRaises(OSError), UndoStack() as undo:
            undo.push("delete disk vda", lambda: 1 // 0)
            raise OSError
        self.assertIn("delete disk vda", log.output[0])
        self.assertIn("ZeroDivisionError", log.output[0])

    def test_threads_push_side_by_side(self):
        undone = set()
        with self.assertRaises(OSError), UndoStack() as undo:
            threads = [
                threading.Thread(target=lambda start=start: [
                    undo.push(str(number),
                              lambda number=number: undone.add(number))
                    for number in range(start, start + 500)])
                for start in range(0, 2000, 500)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
            raise OSError
        self.assertEqual(set(range(2000)), undone)

    @given(st.lists(st.booleans(), max_size=30))
    def test_every_step_runs_once_whichever_of_them_fail(self, failing):
        ran = []

        def step(number, fails):
            ran.append(number)
            if fails:
                raise OSError(number)

        error = ValueError()
        undo = UndoStack()
        for number, fails in enumerate(failing):
            undo.push(str(number),
                      lambda number=number, fails=fails: step(number, fails))
        undo.unwind(error)
        self.assertEqual(list(reversed(range(len(failing)))), ran)
        self.assertEqual(not any(failing), undo.complete)
        self.assertEqual(sum(failing), len(getattr(error, "__notes__", [])))
