"""What every hypervisor has to pass, the real one and the fake."""

import pathlib
import threading

from nova import exception as nova_exception
from oslo_utils import uuidutils

from nova_custom_driver import exception
from nova_custom_driver.virt.host import base
from nova_custom_driver.virt.host.base import State
from nova_custom_driver.virt.host.base import Transition

XML = """
<domain type="qemu">
  <uuid>{uuid}</uuid>
  <name>{name}</name>
  <memory unit="MiB">32</memory>
  <os><type>hvm</type></os>
</domain>
"""
SECONDS = 20


class HypervisorContract:
    """The promise of ``virt/host/base.py``.

    :ivar hypervisor: the one under test, started.
    :ivar prefix: of the names of domains.
    """

    hypervisor = None
    prefix = "ncd-host-"

    def a_domain(self):
        """Return a domain that nobody has used yet."""
        uuid = uuidutils.generate_uuid()
        domain = self.hypervisor.define(
            XML.format(uuid=uuid, name=f"{self.prefix}{uuid[:8]}"))
        self.addCleanup(domain.undefine)
        self.addCleanup(domain.destroy)
        return domain

    def make_deaf(self, domain):
        """Have its guest ignore the power button."""
        raise NotImplementedError

    def events_of(self, domain):
        """Return the list that grows by the domain's transitions."""
        heard, self.heard_more = [], threading.Condition()

        def listen(event):
            if isinstance(event, base.DomainEvent) \
                    and event.uuid == domain.uuid:
                with self.heard_more:
                    heard.append(event.transition)
                    self.heard_more.notify_all()

        self.addCleanup(self.hypervisor.subscribe(listen))
        return heard

    def assert_heard(self, heard, *transitions):
        with self.heard_more:
            self.heard_more.wait_for(
                lambda: len(heard) >= len(transitions), SECONDS)
            self.assertEqual(list(transitions), heard)

    def test_a_domain_is_found_by_its_uuid(self):
        domain = self.a_domain()
        found = self.hypervisor.find(domain.uuid)
        self.assertEqual((domain.uuid, domain.name),
                         (found.uuid, found.name))
        self.assertIn(domain.uuid, found.xml())

    def test_what_is_not_there_is_not_found(self):
        with self.assertRaises(nova_exception.InstanceNotFound):
            self.hypervisor.find(uuidutils.generate_uuid())

    def test_memory_of_those_that_run(self):
        """placement-reporting G4."""
        domain = self.a_domain()
        before = self.hypervisor.guests_memory_kib()
        domain.start()
        self.assertEqual(before + (32 << 10),
                         self.hypervisor.guests_memory_kib())

    def test_a_new_domain_is_off(self):
        domain = self.a_domain()
        self.assertEqual(State.SHUTOFF, domain.state())
        self.assertIsNone(domain.id())

    def test_start_suspend_resume_destroy(self):
        domain = self.a_domain()
        domain.start()
        self.assertEqual(State.RUNNING, domain.state())
        self.assertIsInstance(domain.id(), int)
        domain.suspend()
        self.assertEqual(State.PAUSED, domain.state())
        domain.resume()
        self.assertEqual(State.RUNNING, domain.state())
        domain.destroy()
        self.assertEqual(State.SHUTOFF, domain.state())

    def test_what_its_state_does_not_allow_is_refused(self):
        """driver-contract M38."""
        domain = self.a_domain()
        for call in (domain.suspend, domain.resume, domain.shutdown,
                     domain.save):
            with self.assertRaises(exception.HostError):
                call()
        with self.assertRaises(nova_exception.InstanceNotRunning):
            domain.inject_nmi()
        domain.start()
        for call in (domain.start, domain.resume):
            with self.assertRaises(exception.HostError):
                call()
        domain.inject_nmi()
        for _ in range(2):
            domain.suspend()
        self.assertEqual(State.PAUSED, domain.state())

    def test_a_guest_without_an_agent_keeps_its_clock(self):
        """driver-contract M33b."""
        domain = self.a_domain()
        domain.synchronise_time()
        domain.start()
        domain.synchronise_time()

    def test_without_an_agent_nothing_freezes(self):
        """storage N5."""
        domain = self.a_domain()
        for call in (domain.freeze, domain.thaw):
            with self.assertRaises(nova_exception.InstanceQuiesceFailed):
                call()
        domain.start()
        for call in (domain.freeze, domain.thaw):
            with self.assertRaises(nova_exception.InstanceQuiesceFailed):
                call()

    def test_a_guest_that_is_off_is_not_copied(self):
        domain = self.a_domain()
        with self.assertRaises(exception.HostError), \
                domain.mirror("vda", pathlib.Path("/nowhere/copy"), "raw"):
            self.fail("copied")

    def test_ending_a_copy_that_nobody_began(self):
        domain = self.a_domain()
        domain.start()
        domain.end_mirror("vda")

    def test_a_power_button_that_is_not_heard(self):
        """driver-contract M31."""
        domain = self.a_domain()
        self.make_deaf(domain)
        domain.start()
        domain.shutdown()
        self.assertFalse(domain.wait_for({State.SHUTOFF}, 0.2))
        self.assertEqual(State.RUNNING, domain.state())

    def test_a_name_is_taken_once(self):
        taken = self.a_domain().name
        with self.assertRaises(exception.HostError):
            self.hypervisor.define(XML.format(
                uuid=uuidutils.generate_uuid(), name=taken))

    def test_a_domain_in_two_hands_is_one(self):
        domain = self.a_domain()
        other = self.hypervisor.find(domain.uuid)
        domain.start()
        self.assertEqual((State.RUNNING, domain.id()),
                         (other.state(), other.id()))
        domain.destroy()
        self.assertIsNone(other.id())

    def test_started_paused(self):
        domain = self.a_domain()
        domain.start(paused=True)
        self.assertEqual(State.PAUSED, domain.state())

    def test_a_second_definition_changes_the_first(self):
        domain = self.a_domain()
        again = self.hypervisor.define(
            XML.format(uuid=domain.uuid, name=domain.name).replace(
                ">32<", ">48<"))
        self.assertEqual(domain.uuid, again.uuid)
        self.assertEqual(1, len([
            row for row in self.hypervisor.domains()
            if row.uuid == domain.uuid]))

    def test_destroying_and_undefining_twice(self):
        """driver-contract M28."""
        domain = self.a_domain()
        domain.start()
        for _ in range(2):
            domain.destroy()
        for _ in range(2):
            domain.undefine()
        domain.destroy()
        for gone in (domain.state, domain.id, domain.xml, domain.start,
                     domain.stats, domain.resume, domain.shutdown,
                     domain.inject_nmi):
            with self.assertRaises(nova_exception.InstanceNotFound):
                gone()

    def test_memory_saved_and_brought_back(self):
        """driver-contract M34, M35."""
        domain = self.a_domain()
        domain.start()
        self.assertFalse(domain.has_saved_memory())
        domain.save()
        self.assertEqual(State.SHUTOFF, domain.state())
        self.assertTrue(domain.has_saved_memory())
        domain.start()
        self.assertEqual(State.RUNNING, domain.state())
        self.assertFalse(domain.has_saved_memory())

    def test_memory_forgotten(self):
        domain = self.a_domain()
        domain.forget_saved_memory()
        domain.start()
        domain.save()
        domain.forget_saved_memory()
        self.assertFalse(domain.has_saved_memory())

    def test_saved_memory_goes_with_the_domain(self):
        domain = self.a_domain()
        domain.start()
        domain.save()
        domain.undefine()
        again = self.hypervisor.define(
            XML.format(uuid=domain.uuid, name=domain.name))
        self.assertFalse(again.has_saved_memory())

    def test_all_are_listed(self):
        """driver-contract M16, M17."""
        off, on = self.a_domain(), self.a_domain()
        on.start()
        rows = {row.uuid: row for row in self.hypervisor.domains()}
        self.assertEqual((State.SHUTOFF, None, off.name), (
            rows[off.uuid].state, rows[off.uuid].id, rows[off.uuid].name))
        self.assertEqual((State.RUNNING, on.id()),
                         (rows[on.uuid].state, rows[on.uuid].id))
        running = {stats.uuid: stats for stats
                   in self.hypervisor.all_stats()}
        self.assertNotIn(off.uuid, running)
        self.assertEqual(1, running[on.uuid].values["vcpu.current"])

    def test_events_come_in_their_order(self):
        """driver-contract E1."""
        domain = self.a_domain()
        heard = self.events_of(domain)
        domain.start(paused=True)
        domain.resume()
        domain.suspend()
        domain.destroy()
        self.assert_heard(
            heard, Transition.STARTED, Transition.PAUSED, Transition.RESUMED,
            Transition.PAUSED, Transition.STOPPED)

    def test_events_of_saved_memory(self):
        domain = self.a_domain()
        heard = self.events_of(domain)
        domain.start()
        domain.save()
        domain.start()
        self.assert_heard(
            heard, Transition.RESUMED, Transition.STARTED, Transition.PAUSED,
            Transition.STOPPED, Transition.STARTED, Transition.RESUMED)

    def test_who_unsubscribed_hears_nothing(self):
        domain = self.a_domain()
        early, late = [], self.events_of(domain)
        self.hypervisor.subscribe(early.append)()
        domain.start(paused=True)
        self.assert_heard(late, Transition.STARTED, Transition.PAUSED)
        self.assertEqual([], early)

    def test_waiting_ends_with_the_event(self):
        domain = self.a_domain()
        domain.start()
        threading.Timer(0.2, domain.destroy).start()
        self.assertTrue(domain.wait_for({State.SHUTOFF}, SECONDS))

    def test_waiting_in_vain(self):
        domain = self.a_domain()
        self.assertFalse(domain.wait_for({State.RUNNING}, 0.1))
        self.assertTrue(domain.wait_for({State.SHUTOFF}, 0))
