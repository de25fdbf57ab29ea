import subprocess
import unittest
from unittest import mock

from oslo_concurrency import processutils

from nova_custom_driver.imagebackend import command


class CommandTest(unittest.TestCase):

    def test_what_the_program_prints(self):
        self.assertEqual("a b\n", command.run("echo", "a b"))

    def test_a_failure_tells_how(self):
        with self.assertRaises(processutils.ProcessExecutionError) as caught:
            command.run("sh", "-c", "echo out; echo why >&2; exit 3")
        self.assertEqual((3, "out\n", "why\n"), (
            caught.exception.exit_code, caught.exception.stdout,
            caught.exception.stderr))

    def test_a_program_that_is_not_there(self):
        with self.assertRaises(FileNotFoundError):
            command.run("no-such-program")

    def test_output_that_is_no_text_is_no_error(self):
        self.assertEqual("\ufffd", command.run("printf", r"\377"))

    def test_nothing_is_read_from_our_input(self):
        self.assertEqual("", command.run("cat"))

    def test_the_child_is_not_forked_with_all_our_memory(self):
        """Python uses vfork(2) only if it has no function to call."""
        with mock.patch.object(subprocess, "Popen",
                               wraps=subprocess.Popen) as popen:
            command.run("true")
        self.assertEqual(
            set(), popen.call_args.kwargs.keys() & {
                "preexec_fn", "user", "group", "extra_groups"})
