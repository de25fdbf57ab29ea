"""driver-contract M44 to M47."""

import os
import pathlib
import tempfile
import tty
import unittest

from hypothesis import given
from hypothesis import strategies as st
from nova import exception as nova_exception

from nova_custom_driver.spec import settings
from nova_custom_driver.virt.ops import console
from tests.unit.virt.ops import factories

SETTINGS = settings.ConsoleSettings(vnc_host="192.0.2.1",
                                    spice_host="192.0.2.2")


def a_host(devices):
    return factories.Host(factories.Guest(
        text=f"<domain><devices>{devices}</devices></domain>"))


class LastOutputTest(unittest.TestCase):
    """driver-contract M44."""

    def setUp(self):
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.log = pathlib.Path(directory.name) / "console.log"

    def write(self, *parts):
        """Write parts, the newest first, as virtlogd names them."""
        for index, part in enumerate(parts):
            name = f"console.log.{index - 1}" if index else "console.log"
            self.log.with_name(name).write_bytes(part)

    def test_parts_in_the_order_they_were_written(self):
        self.write(b"newest", b"older ", b"oldest ")
        self.assertEqual(b"oldest older newest",
                         console.last_output(self.log, 1000))

    def test_no_more_than_asked_for(self):
        self.write(b"newest", b"older ", b"oldest ")
        self.assertEqual(b"er newest", console.last_output(self.log, 9))
        self.assertEqual(b"est", console.last_output(self.log, 3))

    def test_parts_end_where_one_is_missing(self):
        self.write(b"newest")
        self.log.with_name("console.log.1").write_bytes(b"of another time")
        self.assertEqual(b"newest", console.last_output(self.log, 1000))

    def test_a_log_that_is_not_there_yet(self):
        self.assertEqual(b"", console.last_output(self.log, 1000))

    def test_a_log_that_was_just_cut(self):
        self.write(b"", b"all of it")
        self.assertEqual(b"all of it", console.last_output(self.log, 1000))


class AnyOutputTest(unittest.TestCase):

    @given(st.lists(st.binary(max_size=6), min_size=1, max_size=4),
           st.integers(0, 30))
    def test_it_is_the_end_of_all_that_was_written(self, parts, count):
        with tempfile.TemporaryDirectory() as directory:
            log = pathlib.Path(directory) / "console.log"
            for index, part in enumerate(parts):
                name = f"console.log.{index - 1}" if index else log.name
                log.with_name(name).write_bytes(part)
            whole = b"".join(reversed(parts))
            self.assertEqual(whole[len(whole) - min(count, len(whole)):],
                             console.last_output(log, count))


class OutputTest(unittest.TestCase):
    """driver-contract M44."""

    def setUp(self):
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.log = pathlib.Path(directory.name) / "console.log"
        self.log.write_bytes(b"x" * 200_000 + b"login: ")

    def output(self, devices):
        return console.output(a_host(devices), factories.UUID,
                              self.log.parent)

    def test_the_last_100_kib(self):
        found = self.output(
            f'<serial type="pty"><log file="{self.log}"/></serial>')
        self.assertEqual(102_400, len(found))
        self.assertTrue(found.endswith(b"x" * 9 + b"login: "))

    def test_of_the_port_that_is_logged(self):
        found = self.output(
            '<serial type="tcp"><source host="::1" service="1"/></serial>'
            '<serial type="tcp"><source host="::1" service="2"/>'
            f'<log file="{self.log}"/></serial>')
        self.assertTrue(found.endswith(b"login: "))

    def test_of_a_port_that_qemu_writes_to_a_file(self):
        found = self.output(
            f'<serial type="file"><source path="{self.log}"/></serial>')
        self.assertTrue(found.endswith(b"login: "))

    def test_of_a_pty_that_nobody_logs(self):
        guest, host = os.openpty()
        self.addCleanup(os.close, guest)
        self.addCleanup(os.close, host)
        tty.setraw(host)
        devices = (f'<serial type="pty"><source path="{os.ttyname(host)}"/>'
                   '</serial>')
        os.write(guest, b"root")
        self.assertTrue(self.output(devices).endswith(b"login: root"))
        os.write(guest, b", password: ")
        self.assertEqual(102_400, len(found := self.output(devices)))
        self.assertTrue(found.endswith(b"login: root, password: "))

    def test_a_guest_without_one(self):
        for devices in ("", '<serial type="pty"/>'):
            with self.assertRaises(nova_exception.ConsoleNotAvailable):
                self.output(devices)

    def test_a_guest_that_is_gone(self):
        with self.assertRaises(nova_exception.InstanceNotFound):
            console.output(factories.Host(), factories.UUID,
                           self.log.parent)


class GraphicsTest(unittest.TestCase):

    def test_vnc(self):
        """driver-contract M45: reached where the proxy is told to."""
        found = console.vnc(
            a_host('<graphics type="spice" port="5999"/>'
                   '<graphics type="vnc" port="5900" listen="127.0.0.1"/>'),
            factories.UUID, SETTINGS)
        self.assertEqual(("192.0.2.1", 5900), (found.host, found.port))

    def test_spice(self):
        """driver-contract M46."""
        found = console.spice(
            a_host('<graphics type="spice" port="5901" tlsPort="5902"/>'),
            factories.UUID, SETTINGS)
        self.assertEqual(("192.0.2.2", 5901, 5902),
                         (found.host, found.port, found.tlsPort))

    def test_spice_over_tls_alone(self):
        """driver-contract M46."""
        found = console.spice(
            a_host('<graphics type="spice" port="-1" tlsPort="5902"/>'),
            factories.UUID, SETTINGS)
        self.assertEqual((None, 5902), (found.port, found.tlsPort))

    def test_a_guest_without(self):
        """driver-contract M45, M46."""
        for show, devices in (
                (console.vnc, ""), (console.spice, ""),
                (console.vnc, '<graphics type="spice" port="5901"/>'),
                (console.spice, '<graphics type="vnc" port="5900"/>')):
            with self.assertRaises(nova_exception.ConsoleTypeUnavailable):
                show(a_host(devices), factories.UUID, SETTINGS)

    def test_a_guest_that_is_off(self):
        """libvirt then has no port for it, and says -1."""
        with self.assertRaises(nova_exception.ConsoleTypeUnavailable):
            console.vnc(a_host('<graphics type="vnc" port="-1"/>'),
                        factories.UUID, SETTINGS)

    def test_a_guest_that_is_gone(self):
        with self.assertRaises(nova_exception.InstanceNotFound):
            console.vnc(factories.Host(), factories.UUID, SETTINGS)


class SerialTest(unittest.TestCase):
    """driver-contract M47."""

    def test_the_first_port(self):
        found = console.serial(a_host(
            '<serial type="tcp"><source host="192.0.2.3" service="10001"/>'
            '</serial><serial type="tcp">'
            '<source host="192.0.2.3" service="10002"/></serial>'),
            factories.UUID)
        self.assertEqual(("192.0.2.3", 10001), (found.host, found.port))

    def test_a_guest_without(self):
        with self.assertRaises(nova_exception.ConsoleTypeUnavailable):
            console.serial(a_host('<serial type="pty"/>'), factories.UUID)
