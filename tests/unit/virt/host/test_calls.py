"""design 6 and 7: deadlines, and errors by code."""

import errno
import threading
import time
import unittest
from unittest import mock

import libvirt
from nova import exception as nova_exception

from nova_custom_driver import exception
from nova_custom_driver.virt.host import calls
from nova_custom_driver.virt.host import error
from tests.unit.virt.host import factories


class CallsTest(unittest.TestCase):

    def setUp(self):
        self.calls = calls.Calls(timeout_seconds=5)

    def test_results_and_errors_come_through(self):
        self.assertEqual(7, self.calls.call("count", "it", lambda: 7))
        with self.assertRaisesRegex(ValueError, "bad"):
            self.calls.call("fail", "it", lambda: int("bad"))

    def test_a_hung_call_is_given_up_and_others_go_on(self):
        release = threading.Event()
        self.addCleanup(release.set)
        began = time.monotonic()
        with self.assertRaisesRegex(exception.HostCallTimeout, "start it"):
            self.calls.call("start", "it", release.wait, 0.1)
        self.assertLess(time.monotonic() - began, 4)
        self.assertEqual(1, self.calls.call("count", "it", lambda: 1))

    def test_what_never_began_never_will(self):
        """A guest must not start by itself once libvirt is back."""
        done, release = [], threading.Event()
        began = threading.Semaphore(0)

        def hang():
            began.release()
            release.wait()
            done.append("hung")

        with mock.patch.object(calls, "MOST_THREADS", 1):
            threading.Thread(target=self.calls.call, daemon=True,
                             args=("hang", "it", hang)).start()
            began.acquire()
            with self.assertRaises(exception.HostCallTimeout):
                self.calls.call(
                    "start", "it", lambda: done.append("late"), 0.05)
            release.set()
            self.calls.call("look at", "it", lambda: done.append("next"))
        self.assertEqual(["hung", "next"], done)

    def test_no_more_threads_than_needed(self):
        for _ in range(20):
            self.calls.call("count", "it", lambda: 1)
        self.assertLessEqual(self.calls._threads, 2)

    def test_a_call_costs_little(self):
        """Far below what libvirt itself takes for the least of calls."""
        rounds = 300
        began = time.process_time()
        for _ in range(rounds):
            self.calls.call("count", "it", lambda: 1)
        self.assertLess((time.process_time() - began) / rounds, 0.0003)

    def test_a_timeout_is_an_unavailable_hypervisor(self):
        self.assertTrue(issubclass(exception.HostCallTimeout,
                                   nova_exception.HypervisorUnavailable))


class ErrorTest(unittest.TestCase):

    def translate(self, *args):
        return error.translate(factories.libvirt_error(*args), "start",
                               "domain web", "host1")

    def test_by_code(self):
        for given, wanted in (
                ((libvirt.VIR_ERR_NO_DOMAIN,),
                 nova_exception.InstanceNotFound),
                ((libvirt.VIR_ERR_NO_CONNECT,),
                 nova_exception.HypervisorUnavailable),
                ((libvirt.VIR_ERR_INVALID_CONN,),
                 nova_exception.HypervisorUnavailable),
                ((libvirt.VIR_ERR_INTERNAL_ERROR, libvirt.VIR_FROM_RPC),
                 nova_exception.HypervisorUnavailable),
                ((libvirt.VIR_ERR_SYSTEM_ERROR, libvirt.VIR_FROM_REMOTE),
                 nova_exception.HypervisorUnavailable),
                ((libvirt.VIR_ERR_INTERNAL_ERROR,), exception.HostError),
                ((libvirt.VIR_ERR_OPERATION_INVALID,),
                 exception.HostError)):
            with self.subTest(given):
                self.assertIs(wanted, type(self.translate(*given)))

    def test_who_outlives_sigkill_is_busy(self):
        """driver-contract M28."""
        for code, number, wanted in (
                (libvirt.VIR_ERR_SYSTEM_ERROR, errno.EBUSY, True),
                (libvirt.VIR_ERR_SYSTEM_ERROR, errno.EPERM, False),
                (libvirt.VIR_ERR_INTERNAL_ERROR, errno.EBUSY, False)):
            self.assertEqual(wanted, error.is_busy(
                factories.libvirt_error(code, number=number)))
        self.assertFalse(error.is_busy(None))

    def test_says_what_was_done_to_what_and_why(self):
        found = self.translate(libvirt.VIR_ERR_OPERATION_INVALID)
        self.assertEqual("Could not start domain web: why", str(found))
        self.assertEqual(libvirt.VIR_ERR_OPERATION_INVALID, found.code)

    def test_keeps_the_cause(self):
        cause = factories.libvirt_error(libvirt.VIR_ERR_OPERATION_INVALID)
        with self.assertRaises(exception.HostError) as caught, \
                error.translated("start", "it", "host1"):
            raise cause
        self.assertIs(cause, caught.exception.__cause__)
