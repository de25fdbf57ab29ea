"""design 3: whatever fails, everything made is undone."""

import dataclasses
import pathlib
import threading
import unittest
from unittest import mock

from nova import exception as nova_exception
from nova import objects
from nova.api.metadata import base as instance_metadata
from nova.console import serial

from nova_custom_driver import exception
from nova_custom_driver import journal
from nova_custom_driver.imagebackend import config_drive as drive_builder
from nova_custom_driver.virt.host.base import State
from nova_custom_driver.virt.ops import config_drive
from nova_custom_driver.virt.ops import device_metadata
from nova_custom_driver.virt.ops import spawn
from nova_custom_driver.virt.xml import domain as domain_xml
from tests.fakes import hypervisor
from tests.unit.planner import factories
from tests.unit.virt.ops import failing
from tests.unit.virt.ops import stage


def refusal(name):
    return exception.HostError(action="do", subject=name, reason="injected")


class SpawnTestCase(unittest.TestCase):

    def setUp(self):
        self.stage = stage.Stage(self)
        self.network = stage.a_network(factories.a_vif(active=False))

    def spawn(self, *, flavor=None, power_on=True, allocations=None,
              accelerators=(), **instance):
        subject = stage.a_subject(
            flavor=factories.a_flavor(**{"swap": 64, **(flavor or {})}),
            **instance)
        subject = dataclasses.replace(subject, accelerators=accelerators)
        order = spawn.Order(
            context=stage.a_context(), subject=subject,
            allocations=allocations, network_info=self.network,
            injected_files=[], admin_password=None, power_on=power_on)
        here = self.stage
        self.instance = subject.instance
        with here.operation("spawn", subject.instance) as op:
            work = spawn.begin(order, here.virtapi, here.hands, op)
            guest = spawn.finish_disks(order, work, here.hands, op)
            spawn.start_domain(order, work, domain_xml.domain_xml(guest),
                               here.hands, op)
        return subject.instance


class SpawnTest(SpawnTestCase):

    def test_a_guest_runs_and_the_journal_is_closed(self):
        instance = self.spawn()
        domain = self.stage.hypervisor.find(instance.uuid)
        self.assertEqual(State.RUNNING, domain.state())
        self.assertEqual(
            {f"domain {instance.name}", "disk disk", "disk disk.swap",
             f"port {factories.PORT}", f"file {instance.uuid}"},
            set(self.stage.left()))
        self.assertEqual([("network-vif-plugged", factories.PORT)],
                         self.stage.virtapi.awaited)

    def test_started_paused_while_neutron_is_at_work(self):
        """network W1."""
        seen = []
        wait = self.stage.virtapi.wait_for_instance_event

        def watch(instance, *args, **kwargs):
            manager = wait(instance, *args, **kwargs)

            class Watched:
                def __enter__(self):
                    return manager.__enter__()

                def __exit__(watched, *error):
                    seen.append(self.stage.hypervisor.find(
                        instance.uuid).state())
                    return manager.__exit__(*error)

            return Watched()

        self.stage.virtapi.wait_for_instance_event = watch
        instance = self.spawn()
        self.assertEqual([State.PAUSED], seen)
        self.assertEqual(State.RUNNING, self.stage.hypervisor.find(
            instance.uuid).state())

    def test_wired_ports_are_not_waited_for(self):
        self.network = stage.a_network(factories.a_vif(active=True))
        self.spawn()
        self.assertEqual([], self.stage.virtapi.awaited)

    def test_defined_only(self):
        instance = self.spawn(power_on=False)
        self.assertEqual(State.SHUTOFF, self.stage.hypervisor.find(
            instance.uuid).state())
        self.assertEqual([], self.stage.virtapi.awaited)

    def test_disks_that_exist_are_used_and_kept(self):
        """storage B12; an evacuated guest on shared storage."""
        instance = self.spawn()
        disks = dict(self.stage.disks.disks)
        self.stage.hypervisor.find(instance.uuid).destroy()
        self.stage.hypervisor.refuses["start"] = refusal("start")
        with self.assertRaises(exception.HostError):
            self.spawn()
        self.assertEqual(disks, self.stage.disks.disks)
        self.assertTrue((self.stage.path / instance.uuid).exists())

    def test_every_step_is_timed(self):
        self.spawn()
        (record,) = self.stage.records
        self.assertLessEqual(
            {"plan", "journal", "disk disk", "disk disk.swap", "plug",
             "define", "start", "network", "resume"},
            {step.name for step in record.steps})


class FailureTest(SpawnTestCase):

    def assert_nothing_left(self, error=exception.HostError,
                            words="injected", **request):
        with self.assertRaisesRegex(error, words):
            self.spawn(**request)
        self.assertEqual([], self.stage.left())

    def test_of_each_call_to_the_hypervisor(self):
        for when in ("refuses", "breaks"):
            for name in ("define", "start", "resume"):
                with self.subTest(name, when=when):
                    self.stage = stage.Stage(self)
                    getattr(self.stage.hypervisor, when)[name] = \
                        refusal(name)
                    self.assert_nothing_left()

    def test_of_each_disk(self):
        for name in ("disk", "disk.swap"):
            with self.subTest(name):
                self.stage = stage.Stage(self)
                self.stage.disks.refuses.add(name)
                self.assert_nothing_left(Exception, "")

    def test_of_the_image(self):
        self.stage.bases.errors[factories.IMAGE] = refusal("image")
        self.assert_nothing_left()

    def test_of_the_kernel(self):
        self.stage.bases.errors["kernel"] = refusal("kernel")
        self.assert_nothing_left(kernel_id="kernel")

    def test_of_a_port(self):
        for how in ("refuses", "breaks"):
            with self.subTest(how):
                self.stage = stage.Stage(self)
                getattr(self.stage.vifs, how).add(factories.PORT)
                self.assert_nothing_left(nova_exception.InternalError,
                                         factories.PORT)

    def test_of_the_look_for_tags(self):
        with mock.patch.object(device_metadata, "find",
                               side_effect=refusal("tags")):
            self.assert_nothing_left()

    def test_of_the_config_drive(self):
        with mock.patch.object(config_drive, "write",
                               side_effect=refusal("drive")):
            self.assert_nothing_left(config_drive="True")

    def test_of_neutron(self):
        """network W2."""
        self.stage.virtapi.arrives = False
        self.assert_nothing_left(
            nova_exception.VirtualInterfaceCreateException, "300 s")

    def test_of_neutron_where_it_is_not_fatal(self):
        self.stage = stage.Stage(self, plug_is_fatal=False)
        self.stage.virtapi.arrives = False
        instance = self.spawn()
        self.assertEqual(State.RUNNING, self.stage.hypervisor.find(
            instance.uuid).state())

    def test_refused_before_the_host_is_changed(self):
        with mock.patch.object(type(self.stage.hands.journal), "entry") \
                as entry:
            with self.assertRaises(exception.InvalidGuestRequest):
                self.spawn(flavor={"extra_specs": {"hw:pmem": "6GB"}})
            entry.return_value.note.assert_not_called()
        self.assertEqual([], self.stage.left())

    def test_of_a_missing_source_of_randomness(self):
        """guest-config S8."""
        self.stage.hands = dataclasses.replace(
            self.stage.hands, guest=factories.guest_settings(
                rng_device=self.stage.path / "hwrng"))
        self.assert_nothing_left(nova_exception.RngDeviceNotExist, "hwrng")

    def test_of_the_undoing_keeps_the_journal(self):
        self.stage.hypervisor.refuses["start"] = refusal("start")
        self.stage.vifs.keeps.add(factories.PORT)
        with self.assertRaisesRegex(exception.HostError, "start") as caught:
            self.spawn()
        self.assertIn(factories.PORT, caught.exception.__notes__[0])
        self.assertEqual(
            [f"port {factories.PORT}", f"journal {factories.UUID}"],
            self.stage.left())


class SideBySideTest(SpawnTestCase):
    """design 3: what does not need the other does not wait for it."""

    def test_disks_and_ports_are_made_at_once(self):
        meet = threading.Barrier(3, timeout=10)
        for hand, name in ((self.stage.disks, "create"),
                           (self.stage.vifs, "plug")):
            self.hold(hand, name, meet.wait)
        self.spawn()

    def test_disks_do_not_wait_for_the_network_to_be_allocated(self):
        made = threading.Event()
        create = self.stage.disks.create

        def note(*args):
            made.set()
            return create(*args)

        class Allocating(type(self.network)):
            def __len__(self):
                made.wait(10)
                return super().__len__()

        self.stage.disks.create = note
        self.network = Allocating(self.network)
        self.spawn()
        self.assertTrue(made.is_set())

    def test_ports_are_plugged_before_the_guest_starts(self):
        seen = []
        self.hold(self.stage.vifs, "plug", lambda: seen.append("plug"))
        start = hypervisor.FakeDomain.start

        def note(*args, **kwargs):
            seen.append("start")
            start(*args, **kwargs)

        with mock.patch.object(hypervisor.FakeDomain, "start", note):
            self.spawn()
        self.assertEqual(["plug", "start"], seen)

    def hold(self, hand, name, before):
        original = getattr(hand, name)

        def call(*args):
            before()
            return original(*args)

        setattr(hand, name, call)


class EveryCallTest(SpawnTestCase):
    """design 3: a failure at every step leaves nothing."""

    REQUEST = {"config_drive": "True", "kernel_id": "kernel",
               "ramdisk_id": "ramdisk"}

    def set_up(self, *, tagged):
        self.stage = stage.Stage(self)
        self.stage.hands = dataclasses.replace(
            self.stage.hands, guest=factories.guest_settings(
                serial_console=True, cpu_mode="custom",
                cpu_models=("Penryn",)))
        if tagged:
            tag = objects.VirtualInterface(
                address="fa:16:3e:00:00:01", tag="nic")
            objects.VirtualInterfaceList.get_by_instance_uuid \
                .return_value = [tag]

    def attempt(self, calls):
        """Spawn with every kind of part there is, and ``calls`` watched."""
        metadata = mock.Mock(**{
            "return_value.metadata_for_config_drive.return_value": ()})
        with mock.patch.object(serial, "ALLOCATED_PORTS", set()) as ports, \
                mock.patch.object(serial, "acquire_port", self.acquire), \
                mock.patch.object(drive_builder, "build", self.build), \
                mock.patch.object(instance_metadata, "InstanceMetadata",
                                  metadata), \
                calls.watching():
            try:
                self.spawn(**self.REQUEST)
            finally:
                self.ports_left = set(ports)

    def acquire(self, host):
        serial.ALLOCATED_PORTS.add((host, 10000))
        return 10000

    def build(self, files, destination, *args, **kwargs):
        pathlib.Path(destination).touch()

    def test_each_of_them(self):
        for tagged in (False, True):
            self.set_up(tagged=tagged)
            good = failing.Calls()
            self.attempt(good)
            self.assertEqual(State.RUNNING, self.stage.hypervisor.find(
                self.instance.uuid).state())
            self.assert_watched(good.made, tagged)
            for call in good.made:
                self.check(call, tagged, after=False)
                if call[0] in {kind.__name__ for kind in failing.UNSURE}:
                    self.check(call, tagged, after=True)

    def test_in_a_directory_that_was_there(self):
        """storage B12; an evacuated guest on shared storage."""
        self.set_up(tagged=False)
        directory = self.stage.path / factories.UUID
        directory.mkdir()
        (directory / "console.log").touch()
        noted = []

        def note(entry, *resources):
            noted.extend(resource.name for resource in resources
                         if resource.kind is journal.Kind.FILE)

        self.stage.hypervisor.refuses["start"] = refusal("start")
        with mock.patch.object(journal.Entry, "note", note), \
                self.assertRaisesRegex(exception.HostError, "start"):
            self.attempt(failing.Calls())
        self.assertEqual([directory / "console.log"],
                         list(directory.iterdir()))
        # The disks of this stage are no files.
        self.assertEqual({str(directory / name) for name in (
            "disk", "disk.swap", "disk.config", "kernel", "ramdisk")},
            set(noted))

    def check(self, call, tagged, *, after):
        with self.subTest(call=call, tagged=tagged, after=after):
            self.set_up(tagged=tagged)
            calls = failing.Calls(call, after=after)
            with self.assertRaises(exception.HostError) as caught:
                self.attempt(calls)
            self.assertIs(calls.error, caught.exception)
            self.assertEqual([], getattr(calls.error, "__notes__", []))
            self.assertEqual([], self.stage.left())
            self.assertEqual(set(), self.ports_left)
            self.assertNotIn(self.instance.uuid, self.stage.running)

    def assert_watched(self, made, tagged):
        """Have this test itself fail when it looks at nothing."""
        wanted = {
            ("FakeHypervisor", "facts", 1),
            ("FakeHypervisor", "domain_facts", 1),
            ("FakeHypervisor", "model_flags", 1),
            ("FakeHypervisor", "define", 1), ("FakeDomain", "start", 1),
            ("FakeDomain", "resume", 1), ("MemoryBackend", "create", 2),
            ("MemoryCache", "image", 1), ("MemoryCache", "kernel", 2),
            ("MemoryPlugger", "source", 1), ("MemoryPlugger", "plug", 1),
            ("MemoryPlugger", "describe", 1), ("Entry", "note", 2),
            ("config_drive", "build", 1), ("device_metadata", "find", 1)}
        if tagged:
            wanted |= {("FakeDomain", "xml", 1),
                       ("device_metadata", "build", 1)}
        self.assertLessEqual(wanted, set(made))
