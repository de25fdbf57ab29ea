"""driver-contract M40, M41; storage R1-R5."""

import unittest

from nova import exception as nova_exception
from nova import objects

from nova_custom_driver import exception
from nova_custom_driver.virt.host.base import State
from nova_custom_driver.virt.ops import rescue
from nova_custom_driver.virt.xml import read
from tests.contracts import hypervisor as contract
from tests.unit.planner import factories
from tests.unit.virt.ops import stage


class RescueTest(unittest.TestCase):

    def setUp(self):
        self.stage = stage.Stage(self)
        self.host = self.stage.hypervisor
        self.instance = stage.a_subject().instance
        self.own = contract.XML.format(
            uuid=self.instance.uuid, name=self.instance.name)
        self.domain = self.host.define(self.own)
        self.directory = self.stage.hands.directory(self.instance.uuid)
        self.directory.mkdir()
        self.stage.disks.disks[self.instance.uuid, "disk"] = None

    def begin(self, image=None, **changes):
        order = rescue.Order(
            context=stage.a_context(), instance=self.instance,
            image_meta=image or factories.an_image(),
            network_info=stage.a_network(), block_device_info=None,
            admin_password="secret")
        with self.stage.operation("rescue", self.instance) as op:
            rescue.begin(order, self.stage.hands, op)

    def end(self):
        with self.stage.operation("unrescue", self.instance) as op:
            rescue.end(self.instance, self.stage.hands, op)

    def disks(self):
        return [disk.path.name for disk in read.disks(self.domain.xml())]

    def test_there_and_back(self):
        self.begin()
        self.assertEqual(["disk.rescue", "disk"], self.disks())
        self.assertEqual(State.RUNNING, self.domain.state())
        self.assertEqual(
            self.own, (self.directory / "unrescue.xml").read_text())
        (self.directory / "disk.rescue").touch()
        (self.directory / "kernel.rescue").touch()
        self.end()
        self.assertEqual(self.own, self.domain.xml())
        self.assertEqual(State.RUNNING, self.domain.state())
        self.assertEqual([], list(self.directory.iterdir()))
        self.assertEqual({}, self.stage.hands.journal.unfinished())

    def test_the_image_that_was_asked_for_or_else_the_hosts(self):
        """storage R3."""
        empty = objects.ImageMeta(properties=objects.ImageMetaProps())
        self.begin(empty)
        self.assertEqual([self.instance.image_ref], self.stage.bases.fetched)
        self.stage.disks.disks.pop((self.instance.uuid, "disk.rescue"))
        self.stage.change_disk_settings(rescue_image_id="of-the-host")
        self.begin(empty)
        self.assertEqual("of-the-host", self.stage.bases.fetched[-1])

    def test_kernels_of_the_host(self):
        """storage R3, F6."""
        self.stage.change_disk_settings(
            rescue_kernel_id="k", rescue_ramdisk_id="r")
        self.begin()
        self.assertEqual("k", (
            self.directory / "kernel.rescue").read_text())
        self.assertIn("<initrd>", self.domain.xml())

    def test_a_failure_leaves_the_guest_as_it_was(self):
        self.host.breaks["start"] = exception.HostError(
            action="start", subject="it", reason="no")
        with self.assertRaises(exception.HostError):
            self.begin()
        self.assertEqual(State.SHUTOFF, self.domain.state())
        self.assertEqual([], list(self.directory.iterdir()))
        self.assertEqual([(self.instance.uuid, "disk")],
                         list(self.stage.disks.disks))
        self.assertEqual({}, self.stage.hands.journal.unfinished())

    def test_its_own_definition_comes_back_after_a_failed_start(self):
        self.host.refuses["start"] = exception.HostError(
            action="start", subject="it", reason="no")
        with self.assertRaises(exception.HostError):
            self.begin()
        self.assertEqual(self.own, self.domain.xml())

    def test_without_a_domain_there_is_nothing_to_come_back_to(self):
        self.domain.undefine()
        with self.assertRaises(nova_exception.InstanceNotFound):
            self.begin()

    def test_a_definition_that_was_lost(self):
        with self.assertRaisesRegex(exception.HostError, "reboot"):
            self.end()
