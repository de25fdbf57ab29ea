"""driver-contract E1, E4, M5."""

import unittest

from nova.virt import event as nova_event

from nova_custom_driver.virt.host import base
from nova_custom_driver.virt.host.base import Transition
from nova_custom_driver.virt.ops import events
from nova_custom_driver.virt.ops import operation

UUID = "7d2b1b1c-9a0e-4a8f-8f6e-2d4a4b6b0b11"


class RelayTest(unittest.TestCase):

    def setUp(self):
        self.emitted = []
        self.connection = []
        self.running = operation.Running()
        self.relay = events.Relay(
            lambda event: self.emitted.append(
                (event.get_instance_uuid(), event.get_transition())),
            lambda up, reason: self.connection.append((up, reason)),
            self.running)

    def happen(self, transition):
        self.relay(base.DomainEvent(uuid=UUID, transition=transition))

    def test_every_transition_has_novas_number(self):
        """driver-contract E1."""
        for transition in Transition:
            self.happen(transition)
        self.assertEqual(
            [(UUID, number) for number in (
                nova_event.EVENT_LIFECYCLE_STARTED,
                nova_event.EVENT_LIFECYCLE_STOPPED,
                nova_event.EVENT_LIFECYCLE_PAUSED,
                nova_event.EVENT_LIFECYCLE_RESUMED,
                nova_event.EVENT_LIFECYCLE_SUSPENDED,
                nova_event.EVENT_LIFECYCLE_POSTCOPY_STARTED,
                nova_event.EVENT_LIFECYCLE_MIGRATION_COMPLETED)],
            self.emitted)

    def test_a_stop_of_our_own_is_kept_back(self):
        """driver-contract E4: no reboot is seen, and nothing waits."""
        self.running.enter(UUID)
        self.happen(Transition.STOPPED)
        self.happen(Transition.STARTED)
        self.running.leave(UUID)
        self.assertEqual([(UUID, nova_event.EVENT_LIFECYCLE_STARTED)],
                         self.emitted)

    def test_a_guest_that_stops_by_itself_is_told_at_once(self):
        self.happen(Transition.STOPPED)
        self.assertEqual([(UUID, nova_event.EVENT_LIFECYCLE_STOPPED)],
                         self.emitted)

    def test_the_connections_state_goes_to_the_service(self):
        self.relay(base.ConnectionEvent(up=False, reason="gone"))
        self.relay(base.ConnectionEvent(up=True))
        self.assertEqual([(False, "gone"), (True, None)], self.connection)
