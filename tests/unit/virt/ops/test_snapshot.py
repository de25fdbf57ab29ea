"""driver-contract M64; storage N1, N2, N3, N5."""

import unittest

from nova import exception as nova_exception
from nova.compute import task_states

from nova_custom_driver import exception
from nova_custom_driver.virt.host.base import State
from nova_custom_driver.virt.ops import snapshot
from tests.unit.planner import factories
from tests.unit.virt.ops import stage

XML = """
<domain type="qemu"><uuid>{uuid}</uuid><name>web</name><devices>
  <disk type="file" device="disk">
    <driver name="qemu" type="qcow2"/>
    <source file="{directory}/disk.eph0"/><target dev="vdb" bus="virtio"/>
  </disk>
  <disk type="file" device="{device}">
    <driver name="qemu" type="{format}"/>
    <source file="{directory}/disk"/><target dev="vda" bus="virtio"/>
  </disk>
</devices></domain>
"""


class SnapshotTestCase(unittest.TestCase):

    def setUp(self):
        self.stage = stage.Stage(self)
        self.instance = factories.an_instance(os_type="linux")
        self.states = []

    def start(self, device="disk", format_name="qcow2"):
        directory = self.stage.hands.directory(self.instance.uuid)
        self.domain = self.stage.hypervisor.define(XML.format(
            uuid=self.instance.uuid, directory=directory, device=device,
            format=format_name))
        self.domain.start()

    def settings(self, **changes):
        self.stage.change_disk_settings(**changes)

    def take(self):
        self.stage.images.images = {"i1": "a snapshot"}
        order = snapshot.Order(
            context=stage.a_context(), instance=self.instance, image_id="i1",
            update_task_state=lambda **states: self.states.append(states))
        with self.stage.operation("snapshot", self.instance) as op:
            snapshot.take(order, self.stage.hands, op)
        return self.stage.images.uploads["i1"]

    def assert_nothing_is_left(self):
        self.assertEqual(
            [], list((self.stage.path / "snapshots").glob("*")))
        self.assertEqual({}, self.stage.hands.journal.unfinished())


class SnapshotTest(SnapshotTestCase):

    def test_a_running_guest_is_copied_while_it_runs(self):
        self.start()
        record, content = self.take()
        self.assertEqual("vda of web", content)
        self.assertEqual([("vda", "qcow2")], self.stage.hypervisor.mirrors)
        self.assertEqual(
            {"status": "active", "name": "a snapshot",
             "disk_format": "qcow2", "container_format": "bare",
             "properties": {
                 "owner_id": self.instance.project_id, "os_type": "linux",
                 "image_location": "snapshot",
                 "image_state": "available"}}, record)
        self.assert_nothing_is_left()

    def test_nova_is_told_what_is_going_on(self):
        self.start()
        self.take()
        self.assertEqual(
            [{"task_state": task_states.IMAGE_PENDING_UPLOAD},
             {"task_state": task_states.IMAGE_UPLOADING,
              "expected_state": task_states.IMAGE_PENDING_UPLOAD}],
            self.states)

    def test_another_format(self):
        self.settings(snapshot_format="raw")
        self.start()
        record, _content = self.take()
        self.assertEqual("raw", record["disk_format"])
        self.assertEqual([("vda", "raw")], self.stage.hypervisor.mirrors)

    def test_what_qemu_cannot_write_by_the_way_is_converted(self):
        for changes in ({"snapshot_format": "vmdk"},
                        {"snapshot_compression": True}):
            self.settings(**changes)
            self.start()
            _record, content = self.take()
            self.assertRegex(content, ".* of .*/i1.copy")
            self.domain.destroy()
            self.domain.undefine()
        self.assert_nothing_is_left()

    def test_a_guest_that_is_off(self):
        self.start()
        self.domain.destroy()
        _record, content = self.take()
        self.assertRegex(content, "qcow2 of .*/disk$")
        self.assertEqual([], self.stage.hypervisor.mirrors)
        self.assertEqual(State.SHUTOFF, self.domain.state())

    def test_a_cd_is_read_while_the_guest_runs(self):
        self.start(device="cdrom", format_name="raw")
        _record, content = self.take()
        self.assertRegex(content, "raw of .*/disk$")
        self.assertEqual([], self.stage.hypervisor.mirrors)

    def test_where_no_guest_is_copied_alive(self):
        self.settings(live_snapshots=False)
        self.start()
        for state, change in ((State.RUNNING, self.domain.state),
                              (State.PAUSED, self.domain.suspend)):
            change()
            self.stage.hypervisor.tell = self.hear
            self.heard = []
            self.take()
            self.assertIn("stopped", self.heard)
            self.assertEqual(state, self.domain.state())

    def hear(self, uuid, transition):
        self.heard.append(transition.value)

    def test_a_guest_that_was_stopped_for_it_goes_on_after_a_failure(self):
        self.settings(live_snapshots=False)
        self.start()
        self.stage.disks.extract = self.refuse
        with self.assertRaises(exception.HostError):
            self.take()
        self.assertEqual(State.RUNNING, self.domain.state())
        self.assert_nothing_is_left()

    def refuse(self, *args, **kwargs):
        raise exception.HostError(action="convert", subject="it",
                                  reason="the disk is full")

    def test_a_domain_that_is_gone(self):
        with self.assertRaises(nova_exception.InstanceNotRunning):
            self.take()

    def test_an_image_deleted_meanwhile(self):
        self.start()
        self.stage.images.upload = self.gone
        with self.assertRaises(nova_exception.ImageNotFound):
            self.take()
        self.assertEqual(State.RUNNING, self.domain.state())
        self.assert_nothing_is_left()

    def gone(self, *args):
        raise nova_exception.ImageNotFound(image_id="i1")


class QuiesceTest(SnapshotTestCase):

    def have(self, **properties):
        self.instance.system_metadata.update(
            {f"image_{name}": value for name, value in properties.items()})

    def an_agent(self, answers=True, **properties):
        self.have(hw_qemu_guest_agent="True", **properties)
        self.start()
        if answers:
            self.stage.hypervisor.agents[self.instance.uuid] = []

    def asked(self):
        return self.stage.hypervisor.agents[self.instance.uuid]

    def test_file_systems_are_held_for_the_copy(self):
        self.an_agent()
        self.take()
        self.assertEqual(["freeze", "thaw"], self.asked())

    def test_an_agent_that_does_not_answer(self):
        self.an_agent(answers=False)
        self.take()
        self.assertEqual([("vda", "qcow2")], self.stage.hypervisor.mirrors)

    def test_an_agent_that_has_to_answer(self):
        self.an_agent(answers=False, os_require_quiesce="True")
        with self.assertRaises(nova_exception.InstanceQuiesceFailed):
            self.take()
        self.assertEqual({}, self.stage.images.uploads)
        self.assertEqual(("vda", None), self.stage.hypervisor.mirrors[-1])

    def test_an_agent_that_has_to_be_there(self):
        self.have(os_require_quiesce="True")
        self.start()
        with self.assertRaises(nova_exception.QemuGuestAgentNotEnabled):
            self.take()
        self.assertEqual([], self.stage.hypervisor.mirrors)

    def test_held_for_a_snapshot_of_volumes(self):
        """storage N7."""
        self.an_agent()
        meta = self.instance.image_meta
        snapshot.quiesce(self.stage.hands, self.instance, meta)
        snapshot.unquiesce(self.stage.hands, self.instance, meta)
        self.assertEqual(["freeze", "thaw"], self.asked())
        with self.assertRaises(nova_exception.QemuGuestAgentNotEnabled):
            snapshot.quiesce(self.stage.hands, self.instance,
                             factories.an_image())
