"""driver-contract M76-M79; storage Z1, Z3, Z5-Z7."""

import json
import unittest
from unittest import mock

from nova import exception as nova_exception

from nova_custom_driver import exception
from nova_custom_driver.imagebackend import disk_info
from nova_custom_driver.imagebackend import instance_directory
from nova_custom_driver.virt.host.base import State
from nova_custom_driver.virt.ops import resize
from tests.contracts import hypervisor as contract
from tests.unit.planner import factories
from tests.unit.virt.ops import stage

GIB = 1 << 30
HERE = "192.0.2.1"


class ResizeTestCase(unittest.TestCase):

    def setUp(self):
        self.stage = stage.Stage(self)
        self.subject = stage.a_subject(
            flavor=factories.a_flavor(swap=64, ephemeral_gb=2))
        self.instance = self.subject.instance
        self.network = stage.a_network(factories.a_vif(active=True))
        self.directory = self.stage.hands.directory(self.instance.uuid)
        self.directory.mkdir()

    def a_domain(self):
        domain = self.stage.hypervisor.define(contract.XML.format(
            uuid=self.instance.uuid, name=self.instance.name))
        domain.start()
        self.stage.vifs.plug(self.instance, self.network[0])
        return domain

    def departure(self, destination=HERE, block_device_info=None, **flavor):
        return resize.Departure(
            instance=self.instance, destination=destination,
            flavor=factories.a_flavor(**{
                "root_gb": 10, "ephemeral_gb": 2, **flavor}),
            network_info=self.network, block_device_info=block_device_info,
            timeout_seconds=0, retry_seconds=0)


class CheckTest(ResizeTestCase):

    def assert_refused(self, cause, **changes):
        with self.assertRaises(
                nova_exception.InstanceFaultRollback) as caught:
            resize.check(self.departure(**changes), HERE)
        self.assertIsInstance(caught.exception.inner_exception, cause)

    def test_larger_or_the_same(self):
        resize.check(self.departure(), HERE)
        resize.check(self.departure(root_gb=20, ephemeral_gb=3), HERE)

    def test_smaller(self):
        for changes in ({"root_gb": 9}, {"ephemeral_gb": 1}):
            self.assert_refused(nova_exception.ResizeError, **changes)

    def test_smaller_than_the_ephemerals_that_were_asked_for(self):
        self.assert_refused(
            nova_exception.ResizeError,
            block_device_info={"ephemerals": [{"size": 2}, {"size": 1}]})

    def test_what_is_not_there_yet(self):
        self.assert_refused(nova_exception.MigrationPreCheckError,
                            destination="192.0.2.2")


class LeaveTest(ResizeTestCase):

    def setUp(self):
        super().setUp()
        self.domain = self.a_domain()
        for name in ("disk", "disk.swap"):
            (self.directory / name).write_text(name)
            disk_info.DiskInfo(self.directory).record(
                self.directory / name, "raw")

    def leave(self):
        with self.stage.operation("leave", self.instance) as op:
            return resize.leave(self.departure(), self.stage.hands, op)

    def names(self, suffix=""):
        directory = self.directory.with_name(self.directory.name + suffix)
        return sorted(path.name for path in directory.iterdir())

    def test_off_set_aside_and_copied(self):
        records = json.loads(self.leave())
        self.assertEqual(
            [str(self.directory / name) for name in ("disk", "disk.swap")],
            [record["path"] for record in records])
        self.assertEqual(State.SHUTOFF, self.domain.state())
        self.assertEqual({}, self.stage.vifs.plugged)
        self.assertEqual(["disk", "disk.info"], self.names())
        self.assertEqual(["disk", "disk.info", "disk.swap"],
                         self.names("_resize"))

    def test_a_failure_brings_all_back(self):
        before = self.names()
        with mock.patch.object(instance_directory, "copy",
                               side_effect=OSError("the disk is full")), \
                self.assertRaises(OSError):
            self.leave()
        self.assertEqual(before, self.names())
        self.assertFalse(instance_directory.aside(self.directory).exists())


class ArriveTest(ResizeTestCase):

    def arrive(self, **changes):
        arrival = resize.Arrival(**{
            "context": stage.a_context(), "subject": self.subject,
            "network_info": self.network, "grows": True, "power_on": True,
            "waits": False, "allocations": None, **changes})
        with self.stage.operation("arrive", self.instance) as op:
            resize.arrive(arrival, self.stage.virtapi, self.stage.hands, op)

    def sizes(self):
        return {name: disk.size_bytes for (_uuid, name), disk
                in self.stage.disks.disks.items()}

    def carry(self):
        """Have the disks there that come with the guest, small."""
        self.arrive(power_on=False)
        self.stage.disks.disks.pop((self.instance.uuid, "disk.swap"))
        self.instance.flavor.root_gb = 20

    def test_disks_grow_and_swap_is_made(self):
        self.carry()
        self.arrive()
        self.assertEqual({"disk": 20 * GIB, "disk.local": 2 * GIB,
                          "disk.swap": 64 << 20}, self.sizes())
        domain = self.stage.hypervisor.find(self.instance.uuid)
        self.assertEqual(State.RUNNING, domain.state())
        self.assertIn(self.network[0]["id"], self.stage.vifs.plugged)
        self.save.assert_called()

    @property
    def save(self):
        return self.stage.save

    def test_disks_stay_as_they_are(self):
        self.carry()
        self.arrive(grows=False)
        self.assertEqual(10 * GIB, self.sizes()["disk"])

    def test_off(self):
        self.arrive(power_on=False)
        domain = self.stage.hypervisor.find(self.instance.uuid)
        self.assertEqual(State.SHUTOFF, domain.state())

    def test_a_failure_leaves_the_disks(self):
        self.carry()
        self.stage.hypervisor.refuses["start"] = exception.HostError(
            action="start", subject="it", reason="no")
        with self.assertRaises(exception.HostError):
            self.arrive()
        self.assertEqual({"disk", "disk.local"}, set(self.sizes()))
        self.assertEqual({}, self.stage.vifs.plugged)


class ConfirmTest(ResizeTestCase):

    def setUp(self):
        super().setUp()
        self.a_domain()
        self.aside = self.directory.with_name(
            f"{self.directory.name}_resize")
        self.aside.mkdir()

    def confirm(self, host):
        self.instance.host = host
        resize.confirm(self.instance, self.network, "here", self.stage.hands)
        self.assertFalse(self.aside.exists())

    def test_where_it_still_runs(self):
        self.confirm("here")
        self.assertEqual(1, len(self.stage.hypervisor.known))
        self.assertEqual(1, len(self.stage.vifs.plugged))

    def test_where_it_came_from(self):
        self.stage.hypervisor.find(self.instance.uuid).destroy()
        self.confirm("there")
        self.assertEqual({}, self.stage.hypervisor.known)
        self.assertEqual({}, self.stage.vifs.plugged)
