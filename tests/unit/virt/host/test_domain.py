"""One domain, where libvirt would have to misbehave to show it."""

import errno
import unittest

import libvirt
from nova import exception as nova_exception

from nova_custom_driver import exception
from nova_custom_driver.virt.host import domain
from nova_custom_driver.virt.host import error
from nova_custom_driver.virt.host.base import State
from tests.unit.virt.host import factories

UUID = "7d1f3c1e-0b5a-4d5e-9b34-0a2f3f6f5c11"
BUSY = factories.libvirt_error(libvirt.VIR_ERR_SYSTEM_ERROR,
                               number=errno.EBUSY)
TIMEOUT = factories.libvirt_error(libvirt.VIR_ERR_OPERATION_TIMEOUT)
INVALID = factories.libvirt_error(libvirt.VIR_ERR_OPERATION_INVALID)
REFUSED = factories.libvirt_error(libvirt.VIR_ERR_SYSTEM_ERROR,
                                  number=errno.EPERM)
GONE = factories.libvirt_error(libvirt.VIR_ERR_NO_DOMAIN)


class VirDomain:
    """libvirt's side: a domain that does not do as it is told.

    :ivar outcomes: of one call after the other; an exception is raised.
    """

    def __init__(self, connection, *outcomes, state=1):
        self.outcomes = list(outcomes)
        self.calls = 0
        self._connection = connection
        self._state = state

    def UUIDString(self):
        return UUID

    def name(self):
        return "web"

    def connect(self):
        return self._connection

    def state(self):
        return [self._state, 0]

    def _act(self, *args):
        self.calls += 1
        outcome = self.outcomes.pop(0) if self.outcomes else None
        if isinstance(outcome, Exception):
            raise outcome

    destroy = undefineFlags = injectNMI = _act

    def setTime(self, time):
        self._act()


class Connection:
    """The one of the room, without deadlines.

    :ivar now: stands for the virConnect; another one after a loss.
    """

    def __init__(self):
        self.now = self
        self.domains = {}

    def lookupByUUIDString(self, uuid):
        return self.domains[uuid]

    def call(self, action, subject, work, *, patient=False):
        with error.translated(action, subject, "host1"):
            return work(self.now)


class DomainTest(unittest.TestCase):

    def setUp(self):
        self.connection = Connection()

    def a_domain(self, *outcomes, **details):
        self.vir = VirDomain(self.connection.now, *outcomes, **details)
        return domain.LibvirtDomain(self.connection, self.vir)

    def test_qemu_that_ends_at_the_third_attempt(self):
        """driver-contract M28."""
        with self.assertLogs(domain.LOG.logger, "WARNING") as logs:
            self.a_domain(BUSY, BUSY, None).destroy()
        self.assertEqual(3, self.vir.calls)
        self.assertEqual(2, len(logs.records))

    def test_qemu_that_does_not_end(self):
        """driver-contract M28."""
        with self.assertLogs(domain.LOG.logger, "WARNING"), \
                self.assertRaisesRegex(
                    nova_exception.InstancePowerOffFailure, "web"):
            self.a_domain(BUSY, BUSY, BUSY, None).destroy()
        self.assertEqual(3, self.vir.calls)

    def test_libvirt_that_does_not_get_hold_of_it(self):
        """driver-contract M31."""
        with self.assertRaises(nova_exception.InstancePowerOffFailure):
            self.a_domain(TIMEOUT, None).destroy()
        self.assertEqual(1, self.vir.calls)

    def test_destroying_what_has_ended_by_itself(self):
        off = libvirt.VIR_DOMAIN_SHUTOFF
        self.a_domain(INVALID, state=off).destroy()
        self.a_domain(BUSY, state=off).destroy()
        self.a_domain(GONE).destroy()
        self.assertEqual(1, self.vir.calls)

    def test_what_was_not_a_matter_of_time_is_told_as_it_is(self):
        for refusal in (REFUSED, INVALID):
            with self.assertRaises(exception.HostError) as caught:
                self.a_domain(refusal, None).destroy()
            self.assertIs(refusal, caught.exception.__cause__)
            self.assertEqual(1, self.vir.calls)

    def test_a_hung_libvirt_is_not_asked_again(self):
        hung = exception.HostCallTimeout(
            action="switch off", subject="web", reason="no answer")
        with self.assertRaises(exception.HostCallTimeout):
            self.a_domain(hung, None).destroy()
        self.assertEqual(1, self.vir.calls)

    def test_a_machine_without_an_nmi(self):
        """driver-contract M38."""
        with self.assertRaises(nova_exception.TriggerCrashDumpNotSupported):
            self.a_domain(factories.libvirt_error(
                libvirt.VIR_ERR_NO_SUPPORT)).inject_nmi()

    def test_errors_of_the_clock_are_only_logged(self):
        """driver-contract M33b."""
        for failure in (INVALID, GONE, factories.libvirt_error(
                libvirt.VIR_ERR_NO_CONNECT)):
            self.a_domain(failure).synchronise_time()
            self.assertEqual(1, self.vir.calls)

    def test_who_is_missing_is_named(self):
        with self.assertRaisesRegex(nova_exception.InstanceNotFound, UUID):
            self.a_domain(GONE).inject_nmi()

    def test_found_again_over_a_new_connection(self):
        mine = self.a_domain()
        self.connection.now = later = Connection()
        later.domains[UUID] = VirDomain(
            later, state=libvirt.VIR_DOMAIN_PAUSED)
        self.assertEqual(State.PAUSED, mine.state())

    def test_a_state_nobody_knew_yet(self):
        self.assertEqual(State.NOSTATE, self.a_domain(state=99).state())
        self.assertEqual(State.NOSTATE, domain.state({"state.state": 99}))
        self.assertEqual(State.NOSTATE, domain.state({}))
