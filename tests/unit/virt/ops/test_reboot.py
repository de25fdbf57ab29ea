"""driver-contract M30, M32, M35: guests started again."""

import dataclasses
import threading
import unittest

from nova import exception as nova_exception

from nova_custom_driver import exception
from nova_custom_driver.virt.host.base import State
from nova_custom_driver.virt.host.base import Transition
from nova_custom_driver.virt.ops import reboot
from tests.contracts import hypervisor as contract
from tests.unit.planner import factories
from tests.unit.virt.ops import stage

# A file that is there.
CODE = __file__
FIRMWARE = f"""
  <os><type>hvm</type>
    <loader type='pflash' readonly='yes'>{CODE}</loader>
    <nvram template='{CODE}'>/nvram/web.fd</nvram></os>
"""
SERIAL = """
  <devices><serial type='tcp'>
    <source mode='bind' host='127.0.0.1' service='10007'/>
  </serial></devices>
"""


class RebootTestCase(unittest.TestCase):

    def setUp(self):
        self.set_stage()
        self.subject = stage.a_subject(flavor=factories.a_flavor(swap=64))
        self.instance = self.subject.instance
        self.network = stage.a_network(factories.a_vif(active=True))

    def set_stage(self, **network):
        self.stage = stage.Stage(self, **network)
        self.host = self.stage.hypervisor

    def a_domain(self):
        """Return the instance's domain, running, its port plugged."""
        domain = self.host.define(contract.XML.format(
            uuid=self.instance.uuid, name=self.instance.name))
        domain.start()
        self.stage.vifs.plug(self.instance, self.network[0])
        for name in ("disk", "disk.swap"):
            self.stage.disks.disks[self.instance.uuid, name] = None
        return domain

    def watched(self, domain):
        """Return the list that grows by the domain's transitions."""
        heard = []
        self.addCleanup(self.host.subscribe(
            lambda event: heard.append(event.transition)))
        return heard


class SoftTest(RebootTestCase):

    def soft(self, timeout_seconds=30):
        with self.stage.operation("soft reboot", self.instance) as op:
            return reboot.soft(self.stage.hands, self.instance.uuid,
                               timeout_seconds, op)

    def test_shut_down_and_started(self):
        domain = self.a_domain()
        heard = self.watched(domain)
        self.assertTrue(self.soft())
        self.assertEqual([Transition.STOPPED, Transition.RESUMED,
                          Transition.STARTED], heard)
        self.assertEqual(State.RUNNING, domain.state())

    def test_a_guest_that_does_not_shut_down_is_left_alone(self):
        domain = self.a_domain()
        self.host.deaf.add(self.instance.uuid)
        heard = self.watched(domain)
        self.assertFalse(self.soft(timeout_seconds=0.1))
        self.assertEqual([], heard)
        self.assertEqual([self.instance.uuid], self.host.pressed)

    def test_only_of_a_guest_that_runs(self):
        domain = self.a_domain()
        domain.suspend()
        self.assertFalse(self.soft())
        self.assertEqual([], self.host.pressed)
        self.assertEqual(State.PAUSED, domain.state())

    def test_a_guest_that_does_not_start_any_more(self):
        self.a_domain()
        self.host.refuses["start"] = exception.HostError(
            action="start", subject="it", reason="no")
        with self.assertRaises(exception.HostError):
            self.soft()


class HardTestCase(RebootTestCase):

    def hard(self, *, token=None):
        with self.stage.operation("hard reboot", self.instance) as op:
            reboot.hard(stage.a_context(auth_token=token), self.subject,
                        self.network, self.stage.virtapi, self.stage.hands,
                        op)


class HardTest(HardTestCase):

    def test_all_but_the_disks_is_made_anew(self):
        domain = self.a_domain()
        heard = self.watched(domain)
        disks = dict(self.stage.disks.disks)
        self.hard()
        self.assertEqual([Transition.STOPPED, Transition.RESUMED,
                          Transition.STARTED], heard)
        self.assertEqual(disks, self.stage.disks.disks)
        self.assertIn("<source file=", domain.definition)
        self.assertEqual([factories.PORT], list(self.stage.vifs.plugged))
        self.assertEqual({}, self.stage.hands.journal.unfinished())
        self.save_was_called()

    def save_was_called(self):
        """The device metadata may have changed."""
        self.assertIsNone(self.instance.device_metadata)
        self.stage.save.assert_called_once_with()

    def test_the_port_is_plugged_anew(self):
        self.a_domain()
        calls = []
        for name in ("plug", "unplug"):
            self.record(calls, name)
        self.hard()
        self.assertEqual(["unplug", "plug"], calls)

    def record(self, calls, name):
        original = getattr(self.stage.vifs, name)

        def call(*args):
            calls.append(name)
            original(*args)

        setattr(self.stage.vifs, name, call)

    def test_a_guest_that_is_not_even_defined(self):
        """driver-contract M32: power on after the host was made anew."""
        self.a_domain().destroy()
        self.host.known.clear()
        self.hard()
        self.assertEqual(State.RUNNING, self.host.find(
            self.instance.uuid).state())

    def test_saved_memory_is_of_the_past(self):
        domain = self.a_domain()
        domain.save()
        heard = self.watched(domain)
        self.hard()
        # Restored memory would come as started, then resumed.
        self.assertEqual([Transition.RESUMED, Transition.STARTED], heard)

    def test_firmware_and_serial_ports_are_taken_over(self):
        """guest-config F5, S1."""
        domain = self.a_domain()
        domain.definition = domain.definition.replace(
            "<os><type>hvm</type></os>", FIRMWARE + SERIAL)
        self.subject = dataclasses.replace(
            self.subject, image_meta=factories.an_image(
                hw_firmware_type="uefi", hw_machine_type="q35"))
        self.stage.hands = dataclasses.replace(
            self.stage.hands, guest=factories.guest_settings(
                serial_console=True))
        self.hard()
        for kept in (CODE, "/nvram/web.fd", 'service="10007"'):
            self.assertIn(kept, domain.definition)

    def test_bases_are_fetched_only_for_a_user(self):
        """At the host's boot there is no token to ask Glance with."""
        self.a_domain()
        self.hard()
        self.assertEqual([], self.stage.bases.fetched)
        self.hard(token="t")
        self.assertEqual([factories.IMAGE], self.stage.bases.fetched)

    def test_neutron_is_waited_for_where_asked(self):
        """network W4."""
        self.set_stage(reboot_waits_for=frozenset(("normal",)))
        domain = self.a_domain()
        heard = self.watched(domain)
        self.hard()
        self.assertEqual([("network-vif-plugged", factories.PORT)],
                         self.stage.virtapi.awaited)
        self.assertEqual([
            Transition.STOPPED, Transition.STARTED, Transition.PAUSED,
            Transition.RESUMED], heard)

    def test_neutron_is_not_waited_for_otherwise(self):
        """network W4, W11."""
        for settings in ({}, {"reboot_waits_for": frozenset(("direct",))},
                         {"reboot_waits_for": frozenset(("normal",)),
                          "plug_timeout_seconds": 0}):
            with self.subTest(**settings):
                self.set_stage(**settings)
                self.a_domain()
                self.hard()
                self.assertEqual([], self.stage.virtapi.awaited)


class HardFailureTest(HardTestCase):

    def assert_fails(self, error, state):
        with self.assertRaises(error):
            self.hard()
        self.assertEqual(state, self.host.find(self.instance.uuid).state())
        self.assertEqual({}, self.stage.hands.journal.unfinished())

    def test_refused_while_it_still_runs(self):
        for changes in (
                {"block_device_info": {"block_device_mapping": [{
                    "mount_device": "/dev/vdb", "disk_bus": "virtio",
                    "device_type": "disk", "boot_index": None,
                    "connection_info": {
                        "driver_volume_type": "iscsi",
                        "data": {"encrypted": True},
                        "serial": factories.VOLUME}}]}},
                {"image_meta": factories.an_image(hw_disk_bus="fdc",
                                                  hw_machine_type="warp")}):
            self.set_stage()
            domain = self.a_domain()
            subject, heard = self.subject, self.watched(domain)
            self.subject = dataclasses.replace(subject, **changes)
            self.assert_fails(nova_exception.NovaException, State.RUNNING)
            self.assertEqual([], heard)
            self.assertEqual([factories.PORT],
                             list(self.stage.vifs.plugged))
            self.subject = subject

    def test_a_port_that_is_not_bound_is_refused_while_it_runs(self):
        """network V16."""
        self.a_domain()
        self.network[0]["type"] = "binding_failed"
        self.assert_fails(nova_exception.VirtualInterfacePlugException,
                          State.RUNNING)

    def test_a_disk_that_is_gone_is_not_made_up(self):
        self.a_domain()
        del self.stage.disks.disks[self.instance.uuid, "disk.swap"]
        self.assert_fails(nova_exception.DiskNotFound, State.SHUTOFF)
        self.assertEqual(1, len(self.stage.disks.disks))

    def test_it_stays_off_with_its_disks(self):
        for when in ("refuses", "breaks"):
            with self.subTest(when):
                self.set_stage()
                self.a_domain()
                getattr(self.host, when)["start"] = exception.HostError(
                    action="start", subject="it", reason="no")
                self.assert_fails(exception.HostError, State.SHUTOFF)
                self.assertEqual(2, len(self.stage.disks.disks))
                self.assertEqual({}, self.stage.vifs.plugged)

    def test_neutron_does_not_answer(self):
        """network W4."""
        self.set_stage(reboot_waits_for=frozenset(("normal",)))
        self.stage.virtapi.arrives = False
        self.a_domain()
        self.assert_fails(nova_exception.VirtualInterfaceCreateException,
                          State.SHUTOFF)
        self.assertEqual({}, self.stage.vifs.plugged)

    def test_qemu_that_does_not_end(self):
        self.a_domain()
        self.host.refuses["destroy"] = \
            nova_exception.InstancePowerOffFailure(reason="D state")
        self.assert_fails(nova_exception.InstancePowerOffFailure,
                          State.RUNNING)
        self.assertEqual([factories.PORT], list(self.stage.vifs.plugged))


class ResumeTest(RebootTestCase):
    """driver-contract M35."""

    def resume(self):
        with self.stage.operation("resume", self.instance) as op:
            reboot.resume(self.subject, self.network, self.stage.hands, op)

    def test_from_saved_memory_with_its_ports(self):
        domain = self.a_domain()
        domain.save()
        self.stage.vifs.plugged.clear()
        heard = self.watched(domain)
        clock = threading.Event()
        domain.synchronise_time = clock.set
        self.resume()
        self.assertEqual([Transition.STARTED, Transition.RESUMED], heard)
        self.assertEqual([factories.PORT], list(self.stage.vifs.plugged))
        self.assertTrue(clock.is_set())
