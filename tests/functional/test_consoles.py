"""Serial and SPICE consoles, reached as the proxies would."""

import socket

from nova import context

from nova_custom_driver.virt.xml import read
from tests.functional import base
from tests.functional import images


class SerialConsoleTest(base.ChainTestCase):
    """guest-config S1, S2; driver-contract M47."""

    options = {("serial_console", "enabled"): True,
               ("serial_console", "port_range"): "20400:20410"}

    def test_the_guest_is_heard_over_tcp(self):
        server = self.boot(
            self.images.add(images.DIRECTORY / "guest.raw", "raw"),
            flavor_id=self.flavor(extra_spec={"hw:serial_port_count": "2"}))
        ports = read.serials(self.domain(server).XMLDesc())
        self.assertEqual([20400, 20401], [port.port for port in ports])
        console = self.driver.get_serial_console(
            context.get_admin_context(), self.instance(server))
        self.assertEqual(("127.0.0.1", 20400), (console.host, console.port))
        with socket.create_connection((console.host, console.port)) as wire:
            wire.settimeout(base.PATIENCE_SECONDS)
            heard = b""
            while b"NCD-GUEST" not in heard:
                heard += wire.recv(4096)
        self.act(server, "reboot", {"type": "HARD"})
        self.wait_for_status(server, "ACTIVE")
        self.assertEqual(ports, read.serials(
            self.domain(server).XMLDesc()))


class VncConsoleTest(base.ChainTestCase):
    """guest-config G3; driver-contract M45."""

    def test_what_listens_there(self):
        server = self.boot(
            self.images.add(images.DIRECTORY / "guest.raw", "raw"))
        console = self.driver.get_vnc_console(
            context.get_admin_context(), self.instance(server))
        with socket.create_connection((console.host, console.port)) as wire:
            wire.settimeout(base.PATIENCE_SECONDS)
            self.assertEqual(b"RFB", wire.recv(3))


class SpiceConsoleTest(base.ChainTestCase):
    """guest-config G4; driver-contract M46."""

    options = {("vnc", "enabled"): False, ("spice", "enabled"): True}

    def test_where_it_listens(self):
        server = self.boot(
            self.images.add(images.DIRECTORY / "guest.raw", "raw"))
        console = self.driver.get_spice_console(
            context.get_admin_context(), self.instance(server))
        with socket.create_connection((console.host, console.port)):
            self.assertIsNone(console.tlsPort)
