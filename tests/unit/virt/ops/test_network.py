"""network W1, W2, W3: plugging, and waiting for Neutron."""

import threading
import unittest

from nova import exception as nova_exception

from nova_custom_driver import journal
from nova_custom_driver.virt.ops import network
from tests.unit.planner import factories
from tests.unit.virt.ops import stage

OTHER_PORT = "ce531f90-199f-48c0-816c-13e38010b443"
EVENTS = [("network-vif-plugged", factories.PORT),
          ("network-vif-plugged", OTHER_PORT)]


class NetworkTestCase(unittest.TestCase):

    def setUp(self):
        self.set_stage()
        self.instance = factories.an_instance()
        self.network = stage.a_network(
            factories.a_vif(), factories.a_vif(id=OTHER_PORT))

    def set_stage(self, **settings):
        self.stage = stage.Stage(self, **settings)

    def connect(self, events=(), *, wait=True):
        """Plug both ports and wait for ``events``, in one operation."""
        here = self.stage
        with here.operation("spawn", self.instance) as op:
            connection = network.begin(
                self.instance, self.network, events, here.virtapi,
                here.hands, op)
            connection.join()
            if wait:
                connection.wait()
        return connection


class ConnectionTest(NetworkTestCase):

    def test_every_port_is_plugged(self):
        connection = self.connect()
        self.assertEqual({factories.PORT, OTHER_PORT},
                         set(self.stage.vifs.plugged))
        self.assertFalse(connection.awaits_events)
        self.assertEqual([], self.stage.virtapi.awaited)

    def test_side_by_side(self):
        """design 3."""
        meet = threading.Barrier(2, timeout=10)
        plug = self.stage.vifs.plug

        def slow(instance, vif):
            meet.wait()
            plug(instance, vif)

        self.stage.vifs.plug = slow
        self.connect()
        self.assertEqual(2, len(self.stage.vifs.plugged))

    def test_written_down_before_it_is_plugged(self):
        """design 3."""
        seen = []
        self.stage.vifs.plug = lambda instance, vif: seen.append(
            self.stage.hands.journal.unfinished()[self.instance.uuid])
        self.connect()
        wanted = tuple(
            journal.Resource(kind=journal.Kind.VIF, name=port,
                             detail={"port": port})
            for port in (factories.PORT, OTHER_PORT))
        self.assertEqual([wanted, wanted], seen)

    def test_listens_before_it_plugs(self):
        """network W1: Neutron may answer at once."""
        seen = []
        self.stage.vifs.plug = lambda instance, vif: seen.append(
            self.stage.virtapi.listens)
        connection = self.connect(EVENTS)
        self.assertEqual([True, True], seen)
        self.assertFalse(self.stage.virtapi.listens)
        self.assertTrue(connection.awaits_events)
        self.assertEqual((EVENTS, 300), (self.stage.virtapi.awaited,
                                         self.stage.virtapi.timeout))

    def test_waiting_twice_is_waiting_once(self):
        connection = self.connect(EVENTS)
        self.stage.virtapi.arrives = False
        connection.wait()


class FailureTest(NetworkTestCase):

    def assert_fails(self, words, error):
        with self.assertRaisesRegex(error, words):
            self.connect(EVENTS)
        self.assertEqual([], self.stage.left())

    def test_of_one_port_unplugs_all(self):
        self.stage.vifs.refuses.add(OTHER_PORT)
        self.assert_fails(OTHER_PORT, nova_exception.InternalError)

    def test_half_way_unplugs_the_half(self):
        self.stage.vifs.breaks.add(factories.PORT)
        self.assert_fails(factories.PORT, nova_exception.InternalError)

    def test_nothing_in_time(self):
        """network W2."""
        self.stage.virtapi.arrives = False
        self.assert_fails("300 s",
                          nova_exception.VirtualInterfaceCreateException)

    def test_nothing_in_time_where_that_is_not_fatal(self):
        """network W2."""
        self.set_stage(plug_is_fatal=False)
        self.stage.virtapi.arrives = False
        with self.assertLogs(network.LOG.logger, "WARNING"):
            self.connect(EVENTS)
        self.assertEqual(2, len(self.stage.vifs.plugged))

    def test_neutron_says_no(self):
        """network W3."""
        self.stage.virtapi.failed = EVENTS[1:]
        with self.assertLogs(network.LOG.logger, "ERROR"):
            self.assert_fails(
                OTHER_PORT, nova_exception.VirtualInterfaceCreateException)

    def test_neutron_says_no_where_that_is_not_fatal(self):
        """network W3."""
        self.set_stage(plug_is_fatal=False)
        self.stage.virtapi.failed = EVENTS
        with self.assertLogs(network.LOG.logger, "ERROR") as logs:
            self.connect(EVENTS)
        # Each is told, so Nova goes on to wait for the second.
        self.assertEqual(2, len(logs.records))

    def test_a_port_that_cannot_be_described_plugs_none(self):
        """network V16."""
        self.network = stage.a_network(
            factories.a_vif(), factories.a_vif(
                id=OTHER_PORT, type="binding_failed"))
        self.assert_fails(OTHER_PORT,
                          nova_exception.VirtualInterfacePlugException)


class NicsTest(NetworkTestCase):

    def test_each_plan_gets_its_own_ports_source(self):
        self.network[1]["devname"] = "tapother"
        plans = factories.a_plan(vifs=self.network).nics
        nics = network.nics(tuple(reversed(plans)), self.network,
                            self.stage.hands)
        self.assertEqual([OTHER_PORT, factories.PORT],
                         [nic.plan.vif_id for nic in nics])
        self.assertEqual("tapother", nics[0].source.target)


class UnplugTest(NetworkTestCase):

    def setUp(self):
        super().setUp()
        network.plug(self.instance, self.network, self.stage.hands)

    def unplug(self, *, ignore_errors):
        network.unplug(self.instance, self.network, self.stage.hands,
                       ignore_errors=ignore_errors)

    def test_all_of_them(self):
        self.assertEqual(2, len(self.stage.vifs.plugged))
        self.unplug(ignore_errors=False)
        self.assertEqual({}, self.stage.vifs.plugged)

    def test_one_that_stays_does_not_keep_the_others(self):
        self.stage.vifs.keeps.add(factories.PORT)
        with self.assertRaisesRegex(nova_exception.InternalError,
                                    factories.PORT):
            self.unplug(ignore_errors=False)
        self.assertEqual([factories.PORT], list(self.stage.vifs.plugged))

    def test_the_first_of_many_failures_is_told(self):
        self.stage.vifs.keeps.update((factories.PORT, OTHER_PORT))
        with self.assertRaisesRegex(nova_exception.InternalError,
                                    factories.PORT):
            self.unplug(ignore_errors=False)

    def test_failures_can_be_of_no_interest(self):
        self.stage.vifs.keeps.add(factories.PORT)
        with self.assertLogs(network.LOG.logger, "WARNING"):
            self.unplug(ignore_errors=True)
