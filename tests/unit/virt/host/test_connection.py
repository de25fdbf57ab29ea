"""design 6: one connection, made anew when lost, with nothing left behind.

On libvirt's own test driver, which needs no daemon.
"""

import threading
import unittest
from unittest import mock

import libvirt
from nova import exception as nova_exception

from nova_custom_driver import exception
from nova_custom_driver.virt.host import base
from nova_custom_driver.virt.host import connection as connection_module
from nova_custom_driver.virt.host import events
from nova_custom_driver.virt.host import link as link_module
from tests.unit.virt.host import factories

SECONDS = 10
# A port of the test driver's storage adapter.
PORT = """
<device>
  <parent>scsi_host1</parent>
  <capability type="scsi_host">
    <capability type="fc_host">
      <wwnn>2000000000000001</wwnn>
      <wwpn>1000000000000001</wwpn>
    </capability>
  </capability>
</device>
"""


class ConnectionTest(unittest.TestCase):

    def setUp(self):
        self.links = []
        self.connection = self.a_connection()

    def a_connection(self, **changes):
        made = connection_module.Connection(
            factories.host_settings(**changes))
        self.addCleanup(made.stop)
        self.ups, self.heard = [], threading.Condition()
        made.dispatcher.subscribe(self.listen)
        return made

    def listen(self, event):
        if isinstance(event, base.ConnectionEvent):
            with self.heard:
                self.ups.append(event.up)
                self.heard.notify_all()

    def lose(self):
        """Have libvirt's event loop say that the connection broke."""
        self.connection._link._closed(None, 1, None)

    def wait_for(self, ups):
        with self.heard:
            self.heard.wait_for(lambda: self.ups == ups, SECONDS)
        self.assertEqual(ups, self.ups)

    def test_calls_go_through_it(self):
        self.connection.start()
        self.assertEqual("TEST", self.connection.call(
            "ask", "the host", lambda host: host.getType()))
        self.assertEqual(1, self.connection.generation)

    def test_devices_that_come_are_noticed(self):
        """placement-reporting G12."""
        self.connection.start()
        before = self.connection.devices_seen
        heard, grow = threading.Event(), self.connection._devices_changed
        self.connection._link._on_devices = lambda link: (
            grow(link), heard.set())
        made = self.connection.call(
            "make", "a device", lambda host: host.nodeDeviceCreateXML(PORT))
        self.addCleanup(made.destroy)
        self.assertTrue(heard.wait(SECONDS))
        self.assertGreater(self.connection.devices_seen, before)

    def test_devices_may_have_changed_while_it_was_away(self):
        """placement-reporting G12."""
        self.connection.start()
        before = self.connection.devices_seen
        self.lose()
        self.wait_for([False, True])
        self.assertGreater(self.connection.devices_seen, before)

    def test_a_libvirt_that_does_not_tell_of_devices(self):
        """placement-reporting G12: nothing read is believed for long."""
        with mock.patch.object(
                libvirt.virConnect, "nodeDeviceEventRegisterAny",
                side_effect=factories.libvirt_error(
                    libvirt.VIR_ERR_NO_SUPPORT)):
            self.connection.start()
        self.assertIsNone(self.connection.devices_seen)

    def test_no_connection_no_call(self):
        with self.assertRaises(nova_exception.HypervisorUnavailable):
            self.connection.call("ask", "the host", self.fail)

    def test_not_there_at_start(self):
        connection = self.a_connection(uri="test:///nothing/here")
        with self.assertLogs(connection_module.LOG.logger, "WARNING") as log, \
                self.assertRaises(nova_exception.HypervisorUnavailable):
            connection.start()
        self.assertIn("/nothing/here", log.output[0])
        with self.assertRaises(nova_exception.HypervisorUnavailable):
            connection.call("ask", "the host", self.fail)

    def test_lost_and_made_anew(self):
        """driver-contract E7."""
        self.connection.start()
        with mock.patch.object(connection_module, "FIRST_BACK_OFF_SECONDS",
                               0.01):
            self.lose()
            self.wait_for([False, True])
        self.assertEqual(2, self.connection.generation)

    def test_tried_until_it_is_there(self):
        """Whatever goes wrong in between, and though some die at once."""
        self.connection.start()
        opened = link_module.Link.open
        tries = iter((
            factories.libvirt_error(libvirt.VIR_ERR_NO_CONNECT),
            RuntimeError("can't start new thread"), "dies", None))

        def a_try(link):
            outcome = next(tries)
            if isinstance(outcome, Exception):
                raise outcome
            opened(link)
            if outcome:
                link._closed(None, 1, None)

        with mock.patch.object(connection_module, "FIRST_BACK_OFF_SECONDS",
                               0.01), \
                mock.patch.object(link_module.Link, "open", a_try):
            self.lose()
            self.wait_for([False, True])
        self.assertEqual(2, self.connection.generation)
        self.assertFalse(self.connection._link.closed.is_set())

    def test_who_waits_for_a_guest_learns_of_the_loss(self):
        self.connection.start()
        with self.connection.waiters.waiting("a") as woken:
            self.lose()
            self.assertTrue(woken.wait(SECONDS))

    def test_stopped_it_stays_closed(self):
        self.connection.start()
        link = self.connection._link
        self.connection.stop()
        link._closed(None, 1, None)
        with self.assertRaises(nova_exception.HypervisorUnavailable):
            self.connection.call("ask", "the host", self.fail)
        with self.assertRaises(nova_exception.HypervisorUnavailable):
            self.connection._connect()
        self.assertEqual([], self.ups)

    def test_starts_have_more_time(self):
        connection = self.a_connection(call_timeout_seconds=0.05)
        connection.start()
        slow = threading.Event()
        self.addCleanup(slow.set)
        with self.assertRaises(exception.HostCallTimeout):
            connection.call("ask", "it", lambda host: slow.wait(0.2))
        self.assertFalse(connection.call(
            "start", "it", lambda host: slow.wait(0.2), patient=True))


class LinkTest(unittest.TestCase):

    def setUp(self):
        events.run_loop()
        self.heard = []
        self.link = link_module.Link(
            factories.host_settings(),
            lambda link, domain, event, detail: self.heard.append(event),
            lambda link, domain: self.heard.append("sign"),
            lambda link, domain, alias, gone: self.heard.append("unplug"),
            lambda link: self.heard.append("device"),
            lambda link, reason: self.heard.append("closed"))

    def test_given_up_before_it_was_opened(self):
        self.link.discard()
        with mock.patch.object(libvirt, "open", self.fail):
            self.link.open()

    def test_given_up_while_it_is_opened(self):
        """It is closed once libvirt has come back with it."""
        may_open, opening = threading.Event(), threading.Event()
        self.addCleanup(may_open.set)
        made = mock.Mock()

        def slow(uri):
            opening.set()
            may_open.wait(SECONDS)
            return made

        with mock.patch.object(libvirt, "open", slow):
            opener = threading.Thread(target=self.link.open, daemon=True)
            opener.start()
            opening.wait(SECONDS)
            closer = threading.Thread(target=self.link.discard, daemon=True)
            closer.start()
            may_open.set()
            opener.join(SECONDS)
            closer.join(SECONDS)
        made.close.assert_called_once_with()

    def test_half_open_is_closed(self):
        made = mock.Mock()
        made.domainEventRegisterAny.side_effect = factories.libvirt_error(
            libvirt.VIR_ERR_NO_SUPPORT)
        with mock.patch.object(libvirt, "open", return_value=made), \
                self.assertRaises(libvirt.libvirtError):
            self.link.open()
        made.unregisterCloseCallback.assert_called_once_with()
        made.close.assert_called_once_with()

    def test_nothing_listens_once_it_is_closed(self):
        """A connection that has a listener would stay open."""
        self.link.open()
        connection = self.link.connection
        self.link.discard()
        self.link.discard()
        self.assertEqual({}, connection.domainEventCallbackID)
        self.assertEqual({}, connection.nodeDeviceEventCallbackID)
        self.assertIsNone(connection._o)
