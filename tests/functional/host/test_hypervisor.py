"""The real hypervisor keeps its promise, and outlives its connection."""

import contextlib
import gc
import os
import pathlib
import signal
import socket
import tempfile
import threading
import time

import libvirt
from lxml import etree
from nova import exception as nova_exception
from oslo_utils import uuidutils
import testtools

from nova_custom_driver import exception
from nova_custom_driver.spec import settings
from nova_custom_driver.virt.host import base
from nova_custom_driver.virt.host import hypervisor
from tests.contracts import hypervisor as contract
from tests.functional.services import libvirt as libvirt_service

LIBVIRT = "/run/libvirt/libvirt-sock"
SECONDS = 30


def connections():
    """Return how many connections are alive; one with a listener is."""
    gc.collect()
    return sum(isinstance(each, libvirt.virConnect)
               for each in gc.get_objects())


def started(test, uri=libvirt_service.URI, timeout_seconds=30):
    made = hypervisor.LibvirtHypervisor(settings.HostSettings(
        uri=uri, host="here", call_timeout_seconds=timeout_seconds,
        keepalive_interval_seconds=1, keepalive_count=2))
    made.start()
    test.addCleanup(made.stop)
    return made


class LibvirtHypervisorTest(contract.HypervisorContract, testtools.TestCase):

    def setUp(self):
        super().setUp()
        self.useFixture(libvirt_service.Libvirt())
        self.hypervisor = started(self)

    def make_deaf(self, domain):
        """Nothing to do: it has no disk, and SeaBIOS hears no button."""

    def test_facts(self):
        facts = self.hypervisor.facts()
        self.assertEqual("QEMU", facts.hypervisor_type)
        self.assertIn("q35", {
            machine for guest in facts.guests for machine in guest.machines
            if guest.arch == "x86_64"})
        kind = self.hypervisor.domain_facts("x86_64", "q35", "qemu")
        self.assertIn("sata", kind.disk_buses)
        self.assertIn("efi", kind.firmwares)
        with self.assertRaises(nova_exception.InvalidMachineType):
            self.hypervisor.domain_facts("x86_64", "warp", "qemu")
        self.assertIn("aes", self.hypervisor.model_flags(
            "x86_64", "qemu", "Westmere"))
        self.assertGreater(self.hypervisor.usage().memory_total_mib, 0)

    def test_nvram_goes_with_the_domain(self):
        """driver-contract M28."""
        uuid = uuidutils.generate_uuid()
        domain = self.hypervisor.define(contract.XML.format(
            uuid=uuid, name=f"ncd-host-{uuid[:8]}").replace(
                "<os><type>", "<features><acpi/></features>"
                "<os firmware='efi'><type arch='x86_64' machine='q35'>"))
        self.addCleanup(domain.undefine)
        self.addCleanup(domain.destroy)
        domain.start(paused=True)
        variables = pathlib.Path(
            etree.fromstring(domain.xml()).findtext("os/nvram"))
        self.assertTrue(variables.exists())
        domain.destroy()
        domain.undefine()
        self.assertFalse(variables.exists())

    def test_a_guest_that_hangs_holds_up_no_other(self):
        """design 6."""
        hung, well = self.a_domain(), self.a_domain()
        for domain in (hung, well):
            domain.start()
        qemu = int(pathlib.Path(
            f"/run/libvirt/qemu/{hung.name}.pid").read_text())
        impatient = started(self, timeout_seconds=1)
        os.kill(qemu, signal.SIGSTOP)
        self.addCleanup(os.kill, qemu, signal.SIGCONT)
        with self.assertRaises(exception.HostCallTimeout):
            impatient.find(hung.uuid).stats()
        self.assertLessEqual({hung.uuid, well.uuid}, {
            stats.uuid for stats in impatient.all_stats()})
        self.assertLessEqual({hung.uuid, well.uuid}, {
            row.uuid for row in impatient.domains()})
        os.kill(qemu, signal.SIGCONT)

    def test_stopped_it_has_no_connection_left(self):
        before = connections()
        other = started(self)
        self.assertEqual(before + 1, connections())
        other.stop()
        self.assertEqual(before, connections())

    def test_what_cannot_be_defined_says_why(self):
        with self.assertRaisesRegex(exception.HostError, "memory"):
            self.hypervisor.define(
                "<domain type='qemu'><name>ncd-host-bad</name>"
                "<os><type>hvm</type></os></domain>")


class Wire:
    """A socket in front of libvirt's that can be cut or fall silent."""

    def __init__(self, path):
        self.path = path
        self.silent = threading.Event()
        self._sockets = []
        self.open()

    def open(self):
        self.path.unlink(missing_ok=True)
        self._server = socket.socket(socket.AF_UNIX)
        self._server.bind(str(self.path))
        self._server.listen()
        threading.Thread(target=self._accept, args=(self._server,),
                         daemon=True).start()

    def cut(self):
        self.path.unlink(missing_ok=True)
        for each in (self._server, *self._sockets):
            with contextlib.suppress(OSError):
                each.shutdown(socket.SHUT_RDWR)
            each.close()
        self._sockets = []

    def _accept(self, server):
        while True:
            try:
                near, _address = server.accept()
                far = socket.socket(socket.AF_UNIX)
                far.connect(LIBVIRT)
            except OSError:
                return
            self._sockets += [near, far]
            for source, sink in ((near, far), (far, near)):
                threading.Thread(target=self._pump, args=(source, sink),
                                 daemon=True).start()

    def _pump(self, source, sink):
        try:
            while content := source.recv(65536):
                if not self.silent.is_set():
                    sink.sendall(content)
        except OSError:
            return


class ConnectionTest(testtools.TestCase):
    """driver-contract E7, E8; design 6: deadlines and reconnection."""

    def setUp(self):
        super().setUp()
        self.useFixture(libvirt_service.Libvirt())
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.wire = Wire(pathlib.Path(directory.name, "socket"))
        self.addCleanup(self.wire.cut)
        self.hypervisor = started(
            self, f"qemu+unix:///system?socket={self.wire.path}", 3)
        self.ups = []
        self.heard = threading.Condition()
        self.hypervisor.subscribe(self.listen)

    def listen(self, event):
        if isinstance(event, base.ConnectionEvent):
            with self.heard:
                self.ups.append(event.up)
                self.heard.notify_all()

    def wait_for_event(self, up):
        with self.heard:
            self.assertTrue(self.heard.wait_for(
                lambda: self.ups and self.ups[-1] is up, SECONDS))

    def wait_until(self, condition):
        deadline = time.monotonic() + SECONDS
        while not condition() and time.monotonic() < deadline:
            time.sleep(0.02)

    def test_a_cut_connection_comes_back(self):
        self.wire.cut()
        self.wait_for_event(False)
        with self.assertRaises(nova_exception.HypervisorUnavailable):
            self.hypervisor.domains()
        self.wire.open()
        self.wait_for_event(True)
        self.assertIsInstance(self.hypervisor.domains(), tuple)
        self.assertEqual([False, True], self.ups)

    def test_a_domain_in_hand_outlives_the_connection(self):
        uuid = uuidutils.generate_uuid()
        domain = self.hypervisor.define(contract.XML.format(
            uuid=uuid, name=f"ncd-host-{uuid[:8]}"))
        direct = started(self).find(uuid)
        self.addCleanup(direct.undefine)
        self.addCleanup(direct.destroy)
        domain.start()
        facts = self.hypervisor.facts()
        self.wire.cut()
        self.wait_for_event(False)
        with self.assertRaises(nova_exception.HypervisorUnavailable):
            domain.state()
        self.wire.open()
        self.wait_for_event(True)
        self.assertEqual(base.State.RUNNING, domain.state())
        self.assertEqual(1, domain.stats().values["vcpu.current"])
        # Read again, of the same host.
        self.assertIsNot(facts, self.hypervisor.facts())
        self.assertEqual(facts, self.hypervisor.facts())
        # Events come over the new connection, each once.
        heard = []
        self.addCleanup(self.hypervisor.subscribe(
            # Others may use this host, too.
            lambda event: event.uuid == uuid and heard.append(event)))
        threading.Timer(0.2, direct.destroy).start()
        self.assertTrue(domain.wait_for({base.State.SHUTOFF}, SECONDS))
        domain.start(paused=True)
        domain.destroy()
        wanted = [base.Transition.STOPPED, base.Transition.STARTED,
                  base.Transition.PAUSED, base.Transition.STOPPED]
        self.wait_until(lambda: len(heard) >= len(wanted))
        self.assertEqual(wanted, [each.transition for each in heard])

    def test_who_waits_for_a_guest_learns_of_the_loss_at_once(self):
        uuid = uuidutils.generate_uuid()
        domain = self.hypervisor.define(contract.XML.format(
            uuid=uuid, name=f"ncd-host-{uuid[:8]}"))
        direct = started(self).find(uuid)
        self.addCleanup(direct.undefine)
        threading.Timer(0.2, self.wire.cut).start()
        with self.assertRaises(nova_exception.HypervisorUnavailable):
            domain.wait_for({base.State.RUNNING}, 10 * SECONDS)

    def test_no_connection_leaks(self):
        before = connections()
        for _ in range(3):
            self.wire.cut()
            self.wait_for_event(False)
            self.wire.open()
            self.wait_for_event(True)
        self.assertEqual(before, connections())

    def test_a_silent_libvirt_does_not_hold_the_caller(self):
        self.wire.silent.set()
        with self.assertRaises(nova_exception.HypervisorUnavailable):
            self.hypervisor.domains()
        # Keepalive notices, and the connection is made anew.
        self.wait_for_event(False)
        self.wire.silent.clear()
        self.wait_for_event(True)
        self.assertIsInstance(self.hypervisor.domains(), tuple)

    def test_no_libvirt_at_all(self):
        self.wire.cut()
        with self.assertRaises(nova_exception.HypervisorUnavailable):
            started(self, f"qemu+unix:///system?socket={self.wire.path}")
