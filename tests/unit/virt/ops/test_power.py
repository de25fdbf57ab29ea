"""driver-contract M13, M31, M33b, M34."""

import threading
import time
import unittest

from nova import exception as nova_exception
from nova.compute import power_state

from nova_custom_driver import exception
from nova_custom_driver.virt.host.base import State
from nova_custom_driver.virt.ops import power
from tests.contracts import hypervisor as contract
from tests.unit.planner import factories
from tests.unit.virt.ops import stage


class PowerTest(unittest.TestCase):

    def setUp(self):
        self.stage = stage.Stage(self)
        self.host = self.stage.hypervisor
        self.instance = factories.an_instance()
        self.domain = self.host.define(contract.XML.format(
            uuid=self.instance.uuid, name="instance-7"))

    def off(self, timeout_seconds=0, retry_seconds=0):
        power.off(self.stage.hands, self.instance,
                  timeout_seconds=timeout_seconds,
                  retry_seconds=retry_seconds)

    def test_states_in_novas_words(self):
        """driver-contract M13."""
        for ours, novas in ((State.RUNNING, power_state.RUNNING),
                            (State.PAUSED, power_state.PAUSED),
                            (State.SHUTOFF, power_state.SHUTDOWN),
                            (State.CRASHED, power_state.CRASHED),
                            (State.SUSPENDED, power_state.SUSPENDED),
                            (State.NOSTATE, power_state.NOSTATE)):
            self.domain.now = ours
            info = power.info(self.stage.hands, self.instance.uuid)
            self.assertEqual(novas, info.state)

    def test_no_domain_no_info(self):
        """driver-contract M13."""
        self.domain.undefine()
        with self.assertRaises(nova_exception.InstanceNotFound):
            power.info(self.stage.hands, self.instance.uuid)

    def test_hard_without_a_timeout(self):
        """driver-contract M31."""
        self.domain.start()
        self.off()
        self.assertEqual([], self.host.pressed)
        self.assertEqual(State.SHUTOFF, self.domain.state())

    def test_the_button_once_for_a_guest_that_hears_it(self):
        """driver-contract M31."""
        self.domain.start()
        self.off(timeout_seconds=30, retry_seconds=10)
        self.assertEqual([self.instance.uuid], self.host.pressed)
        self.assertEqual(State.SHUTOFF, self.domain.state())

    def test_the_button_again_for_one_that_boots(self):
        self.domain.start()
        self.host.deaf.add(self.instance.uuid)
        threading.Timer(0.25, self.host.deaf.clear).start()
        began = time.monotonic()
        self.off(timeout_seconds=30, retry_seconds=0.1)
        self.assertLess(time.monotonic() - began, 10)
        self.assertGreater(len(self.host.pressed), 2)

    def test_hard_after_the_timeout(self):
        """driver-contract M31."""
        self.domain.start()
        self.host.deaf.add(self.instance.uuid)
        self.off(timeout_seconds=0.2, retry_seconds=10)
        self.assertEqual([self.instance.uuid], self.host.pressed)
        self.assertEqual(State.SHUTOFF, self.domain.state())

    def test_a_guest_that_stops_by_itself_ends_the_wait(self):
        self.domain.start()
        self.host.deaf.add(self.instance.uuid)
        threading.Timer(0.1, self.domain.destroy).start()
        self.assertTrue(power.shut_down(
            self.domain, timeout_seconds=30, retry_seconds=0))

    def test_a_guest_that_cannot_be_saved_runs_on(self):
        self.domain.start()
        self.host.refuses["save"] = exception.HostError(
            action="save", subject="it", reason="no")
        with self.assertRaises(nova_exception.InstanceFaultRollback):
            power.suspend(self.stage.hands, self.instance.uuid)
        self.assertEqual(State.RUNNING, self.domain.state())

    def test_unpause(self):
        self.domain.start(paused=True)
        power.unpause(self.stage.hands, self.instance.uuid)
        self.assertEqual(State.RUNNING, self.domain.state())

    def shut_down(self, timeout_seconds=30, retry_seconds=0):
        return power.shut_down(self.domain, timeout_seconds=timeout_seconds,
                               retry_seconds=retry_seconds)

    def test_a_guest_that_is_off_is_not_pressed(self):
        self.assertTrue(self.shut_down())
        self.assertEqual([], self.host.pressed)

    def test_a_guest_that_is_deleted_ends_the_wait(self):
        self.domain.start()
        self.host.deaf.add(self.instance.uuid)

        def delete():
            self.domain.undefine()
            with self.host.changed:
                self.host.changed.notify_all()

        threading.Timer(0.1, delete).start()
        self.assertTrue(self.shut_down())

    def test_a_button_that_cannot_be_pressed_is_tried_again(self):
        self.domain.start()
        self.host.refuses["shutdown"] = exception.HostError(
            action="shut down", subject="it", reason="no agent")
        threading.Timer(0.15, self.host.refuses.clear).start()
        self.assertTrue(self.shut_down(retry_seconds=0.05))
        self.assertEqual([self.instance.uuid], self.host.pressed)

    def test_no_time_no_button(self):
        self.domain.start()
        self.assertFalse(self.shut_down(timeout_seconds=0))
        self.assertEqual([], self.host.pressed)

    def test_libvirt_is_lost_meanwhile(self):
        self.domain.start()
        self.host.refuses["shutdown"] = \
            nova_exception.HypervisorUnavailable(host="here")
        with self.assertRaises(nova_exception.HypervisorUnavailable):
            self.off(timeout_seconds=30)
        self.assertEqual(State.RUNNING, self.domain.state())

    def test_qemu_that_does_not_die(self):
        self.domain.start()
        self.host.refuses["destroy"] = \
            nova_exception.InstancePowerOffFailure(reason="D state")
        with self.assertRaises(nova_exception.InstancePowerOffFailure):
            self.off()

    def test_no_domain_to_switch_off(self):
        self.domain.undefine()
        with self.assertRaises(nova_exception.InstanceNotFound):
            self.off()

    def test_a_guest_saved_is_off(self):
        """driver-contract M34."""
        self.domain.start()
        power.suspend(self.stage.hands, self.instance.uuid)
        self.assertEqual(State.SHUTOFF, self.domain.state())
        self.assertTrue(self.domain.has_saved_memory())

    def test_unpaused_its_clock_is_set(self):
        """driver-contract M33b."""
        calls = []
        self.domain.start(paused=True)
        self.domain.synchronise_time = lambda: calls.append(
            self.domain.state())
        power.unpause(self.stage.hands, self.instance.uuid)
        self.assertEqual([State.RUNNING], calls)
