"""design 6 and 7: deadlines, errors by code, events in order."""

import threading
import time
import unittest
from unittest import mock

import libvirt
from nova import exception as nova_exception

from nova_custom_driver import exception
from nova_custom_driver.virt.host import base
from nova_custom_driver.virt.host import calls
from nova_custom_driver.virt.host import error
from nova_custom_driver.virt.host import events
from nova_custom_driver.virt.host.base import Transition


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

    def test_a_timeout_is_an_unavailable_hypervisor(self):
        self.assertTrue(issubclass(exception.HostCallTimeout,
                                   nova_exception.HypervisorUnavailable))


def libvirt_error(code, domain=libvirt.VIR_FROM_QEMU, text="why"):
    made = libvirt.libvirtError(text)
    made.err = (code, domain, text, 2, None, None, None, -1, -1)
    return made


class ErrorTest(unittest.TestCase):

    def translate(self, *args):
        return error.translate(libvirt_error(*args), "start",
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

    def test_says_what_was_done_to_what_and_why(self):
        found = self.translate(libvirt.VIR_ERR_OPERATION_INVALID)
        self.assertEqual("Could not start domain web: why", str(found))
        self.assertEqual(libvirt.VIR_ERR_OPERATION_INVALID, found.code)

    def test_keeps_the_cause(self):
        cause = libvirt_error(libvirt.VIR_ERR_OPERATION_INVALID)
        with self.assertRaises(exception.HostError) as caught, \
                error.translated("start", "it", "host1"):
            raise cause
        self.assertIs(cause, caught.exception.__cause__)


class TransitionTest(unittest.TestCase):
    """driver-contract E1, E5."""

    def test_suspended_by_migration(self):
        suspended = libvirt.VIR_DOMAIN_EVENT_SUSPENDED
        migrated = libvirt.VIR_DOMAIN_EVENT_SUSPENDED_MIGRATED
        self.assertEqual(
            Transition.MIGRATION_COMPLETED,
            events.transition(suspended, migrated, lambda: True))
        self.assertEqual(
            Transition.PAUSED,
            events.transition(suspended, migrated, lambda: False))
        self.assertEqual(
            Transition.POSTCOPY_STARTED, events.transition(
                suspended, libvirt.VIR_DOMAIN_EVENT_SUSPENDED_POSTCOPY,
                self.fail))

    def test_others(self):
        for event, wanted in (
                (libvirt.VIR_DOMAIN_EVENT_STARTED, Transition.STARTED),
                (libvirt.VIR_DOMAIN_EVENT_STOPPED, Transition.STOPPED),
                (libvirt.VIR_DOMAIN_EVENT_SUSPENDED, Transition.PAUSED),
                (libvirt.VIR_DOMAIN_EVENT_RESUMED, Transition.RESUMED),
                (libvirt.VIR_DOMAIN_EVENT_PMSUSPENDED,
                 Transition.SUSPENDED),
                (libvirt.VIR_DOMAIN_EVENT_SHUTDOWN, None),
                (libvirt.VIR_DOMAIN_EVENT_DEFINED, None)):
            self.assertEqual(
                wanted, events.transition(event, 0, self.fail))


class DispatcherTest(unittest.TestCase):

    def setUp(self):
        self.dispatcher = events.Dispatcher()
        self.dispatcher.start()

    def test_in_order_past_a_listener_that_fails(self):
        heard = []
        self.dispatcher.subscribe(mock.Mock(side_effect=ValueError))
        self.dispatcher.subscribe(heard.append)
        told = [base.ConnectionEvent(up=bool(n % 2)) for n in range(20)]
        with self.assertLogs(events.LOG.logger, "ERROR"):
            for event in told:
                self.dispatcher.put(event)
            self.dispatcher.stop()
        self.assertEqual(told, heard)

    def test_unsubscribed(self):
        heard = []
        end = self.dispatcher.subscribe(heard.append)
        end()
        end()
        self.dispatcher.put(base.ConnectionEvent(up=True))
        self.dispatcher.stop()
        self.assertEqual([], heard)


class WaitersTest(unittest.TestCase):

    def test_what_happens_between_look_and_wait_is_not_missed(self):
        waiters = events.Waiters()
        seen = waiters.seen("a")
        waiters.notify("a")
        self.assertTrue(waiters.wait("a", seen, 0))

    def test_others_do_not_wake(self):
        waiters = events.Waiters()
        seen = waiters.seen("a")
        waiters.notify("b")
        self.assertFalse(waiters.wait("a", seen, 0.01))
