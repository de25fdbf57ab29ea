"""driver-contract E1, E5, E9: what events mean, and who hears them when."""

import threading
import unittest
from unittest import mock

import libvirt

from nova_custom_driver.virt.host import base
from nova_custom_driver.virt.host import events
from nova_custom_driver.virt.host.base import Transition
from tests.unit.virt.host import factories


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


class MigrationCompletedTest(unittest.TestCase):
    """driver-contract E5."""

    def completed(self, job, *, active=True):
        domain = mock.Mock(spec=["jobStats", "isActive"])
        domain.jobStats.side_effect = [job]
        domain.isActive.return_value = active
        return events.migration_completed(domain)

    def test_by_the_job(self):
        for kind, wanted in ((libvirt.VIR_DOMAIN_JOB_COMPLETED, True),
                             (libvirt.VIR_DOMAIN_JOB_FAILED, False),
                             (libvirt.VIR_DOMAIN_JOB_CANCELLED, False),
                             (libvirt.VIR_DOMAIN_JOB_UNBOUNDED, False)):
            self.assertEqual(wanted, self.completed({"type": kind}))

    def test_no_job_any_more(self):
        over = {"type": libvirt.VIR_DOMAIN_JOB_NONE}
        self.assertFalse(self.completed(over, active=True))
        self.assertTrue(self.completed(over, active=False))

    def test_the_guest_has_left(self):
        for code, wanted in ((libvirt.VIR_ERR_NO_DOMAIN, True),
                             (libvirt.VIR_ERR_OPERATION_INVALID, True),
                             (libvirt.VIR_ERR_INTERNAL_ERROR, False)):
            self.assertEqual(
                wanted, self.completed(factories.libvirt_error(code)))


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


    def test_made_when_its_turn_has_come(self):
        heard, threads = [], []
        self.dispatcher.subscribe(heard.append)

        def make():
            threads.append(threading.current_thread())
            return base.ConnectionEvent(up=True)

        with self.assertLogs(events.LOG.logger, "ERROR"):
            self.dispatcher.put_made(lambda: 1 // 0)
            self.dispatcher.put_made(lambda: None)
            self.dispatcher.put_made(make)
            self.dispatcher.put(base.ConnectionEvent(up=False))
            self.dispatcher.stop()
        self.assertEqual([True, False], [event.up for event in heard])
        self.assertNotIn(threading.current_thread(), threads)

    def test_stopped_before_it_was_started(self):
        events.Dispatcher().stop()


class WaitersTest(unittest.TestCase):

    def setUp(self):
        self.waiters = events.Waiters()

    def test_what_happens_between_look_and_wait_is_not_missed(self):
        with self.waiters.waiting("a") as woken:
            self.waiters.notify("a")
            self.assertTrue(woken.wait(0))

    def test_others_do_not_wake(self):
        with self.waiters.waiting("a") as woken:
            self.waiters.notify("b")
            self.assertFalse(woken.wait(0.01))

    def test_all_who_wait_for_one_domain_wake(self):
        with self.waiters.waiting("a") as one, \
                self.waiters.waiting("a") as other:
            self.waiters.notify("a")
            self.assertTrue(one.wait(0) and other.wait(0))

    def test_a_lost_connection_wakes_everybody(self):
        with self.waiters.waiting("a") as one, \
                self.waiters.waiting("b") as other:
            self.waiters.notify_all()
            self.assertTrue(one.wait(0) and other.wait(0))

    def test_nothing_is_kept_of_those_who_went(self):
        with self.waiters.waiting("a"):
            pass
        self.assertEqual({}, self.waiters._waiting)
