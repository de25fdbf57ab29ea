"""storage S5, G2, G7, G8; driver-contract M54, M55."""

import time
import unittest

from nova import exception as nova_exception

from nova_custom_driver import exception
from nova_custom_driver import journal
from nova_custom_driver.virt.ops import attach
from nova_custom_driver.virt.ops import operation
from nova_custom_driver.virt.ops import plan
from nova_custom_driver.virt.ops import recover
from nova_custom_driver.virt.ops import volumes
from nova_custom_driver.virt.xml import read
from tests.contracts import hypervisor as contract
from tests.unit.virt.ops import stage


def a_bdm(name, **data):
    return {"mount_device": None, "disk_bus": "virtio",
            "device_type": "disk", "boot_index": None,
            "connection_info": a_connection(name, **data)}


def a_connection(name, **data):
    return {"driver_volume_type": "iscsi", "serial": name, "data": data}


class BeginTest(unittest.TestCase):

    def setUp(self):
        self.stage = stage.Stage(self)
        self.subject = stage.a_subject()
        self.instance = self.subject.instance

    def connect(self, *names, undone=True, error=None):
        info = {"block_device_mapping": [a_bdm(name) for name in names]}
        plans = plan.disks(plan.Subject(
            instance=self.instance, image_meta=self.subject.image_meta,
            block_device_info=info), self.stage.hands)
        with self.stage.operation("spawn", self.instance) as op:
            found = operation.first_failure(volumes.begin(
                info, plans, self.stage.hands, op, undone=undone))
            if error:
                raise error
        return found

    def test_each_plan_gets_its_own(self):
        found = self.connect("v1", "v2")
        self.assertEqual(
            [("v1", "/dev/disk/by-id/v1"), ("v2", "/dev/disk/by-id/v2")],
            [(disk.plan.name, str(disk.source.path)) for disk in found])
        self.assertEqual({"native"}, {disk.plan.io for disk in found})

    def test_side_by_side(self):
        """Eight in the time of two rounds of four."""
        self.stage.volumes.seconds = 0.2
        start = time.monotonic()
        self.connect(*(f"v{number}" for number in range(8)))
        self.assertLess(time.monotonic() - start, 8 * 0.2)

    def test_a_failure_of_one_undoes_the_others(self):
        self.stage.volumes.refuses.add("v2")
        with self.assertRaises(exception.HostError):
            self.connect("v1", "v2", "v3")
        self.assertEqual({}, self.stage.volumes.connected)
        self.assertEqual({}, self.stage.hands.journal.unfinished())

    def test_those_of_a_guest_that_goes_on_stay(self):
        with self.assertRaises(ZeroDivisionError):
            self.connect("v1", undone=False, error=ZeroDivisionError())
        self.assertEqual(["v1"], list(self.stage.volumes.connected))

    def test_encrypted_ones_are_refused(self):
        with self.assertRaisesRegex(nova_exception.InvalidInput, "v1"):
            volumes.check({"block_device_mapping": [
                a_bdm("v1", encrypted=True)]})
        volumes.check({"block_device_mapping": [a_bdm("v1")]})

    def test_what_is_written_down_is_no_secret(self):
        noted = volumes.note(a_connection(
            "v1", target_iqn="iqn", auth_password="x", auth_username="y",
            secret_uuid="z"))
        self.assertEqual({"target_iqn": "iqn"}, noted.detail["data"])

    def test_a_crash_leaves_none_connected(self):
        self.stage.volumes.connect(a_connection("v1"))
        entry = self.stage.hands.journal.entry(self.instance.uuid)
        entry.note(
            journal.Resource(kind=journal.Kind.DOMAIN, name="x"),
            volumes.note(a_connection("v1")))
        entry.release()
        recover.unfinished(self.stage.hands)
        self.assertEqual([], self.stage.left())


class DisconnectTest(unittest.TestCase):

    def setUp(self):
        self.stage = stage.Stage(self)
        self.info = {"block_device_mapping": [
            a_bdm("v1"), a_bdm("v2"), a_bdm("v3") | {"connection_info": {}}]}
        for bdm in self.info["block_device_mapping"][:2]:
            self.stage.volumes.connect(bdm["connection_info"])

    def disconnect(self, ignore_errors):
        volumes.disconnect_all(self.info, self.stage.hands,
                               ignore_errors=ignore_errors)

    def test_all(self):
        self.disconnect(False)
        self.assertEqual({}, self.stage.volumes.connected)

    def test_one_that_stays_does_not_keep_the_rest(self):
        for ignore_errors in (True, False):
            self.stage.volumes.keeps = {"v1"}
            if ignore_errors:
                self.disconnect(True)
            else:
                with self.assertRaises(exception.HostError):
                    self.disconnect(False)
            self.assertEqual(["v1"], list(self.stage.volumes.connected))


class AttachTestCase(unittest.TestCase):

    def setUp(self):
        self.stage = stage.Stage(self)
        self.instance = stage.a_subject().instance
        self.instance.info_cache = None
        self.instance.get_network_info = stage.a_network
        self.domain = self.stage.hypervisor.define(contract.XML.format(
            uuid=self.instance.uuid, name=self.instance.name))
        self.info = a_connection("v1")

    def attach(self, target="/dev/vdb", **changes):
        order = attach.Order(
            context=stage.a_context(), instance=self.instance,
            connection_info=self.info, mountpoint=target, **changes)
        with self.stage.operation("attach", self.instance) as op:
            attach.attach(order, self.stage.hands, op)

    def detach(self):
        with self.stage.operation("detach", self.instance) as op:
            attach.detach(stage.a_context(), self.instance, self.info,
                          "/dev/vdb", self.stage.hands, op)

    def disks(self):
        """Return serial numbers: (stored, live)."""
        return tuple(
            [disk.serial for disk in read.disks(
                self.domain.xml(inactive=inactive))]
            for inactive in (True, False))

    def assert_nothing_is_left(self):
        self.assertEqual(([], []), self.disks())
        self.assertEqual({}, self.stage.volumes.connected)
        self.assertEqual({}, self.stage.hands.journal.unfinished())


class AttachTest(AttachTestCase):

    def test_to_a_guest_that_runs(self):
        self.domain.start()
        self.attach()
        self.assertEqual((["v1"], ["v1"]), self.disks())
        self.assertEqual(["v1"], list(self.stage.volumes.connected))
        self.assertEqual({}, self.stage.hands.journal.unfinished())
        self.stage.save.assert_called()

    def test_to_a_guest_that_is_off(self):
        self.attach()
        self.assertEqual(["v1"], self.disks()[0])

    def test_on_scsi_each_has_a_place(self):
        self.instance.system_metadata["image_hw_scsi_model"] = "virtio-scsi"
        for number, name in enumerate(("v1", "v2")):
            self.info = a_connection(name)
            self.attach(f"/dev/sd{'ab'[number]}", disk_bus="scsi")
        self.assertEqual({0, 1}, read.scsi_units(self.domain.xml()))

    def test_a_failure_leaves_nothing(self):
        self.domain.start()
        self.stage.hypervisor.refuses["plug_in"] = exception.HostError(
            action="add", subject="it", reason="no")
        with self.assertRaises(exception.HostError):
            self.attach()
        self.assert_nothing_is_left()
        self.stage.volumes.refuses.add("v1")
        with self.assertRaises(exception.HostError):
            self.attach()
        self.assert_nothing_is_left()

    def test_a_record_that_cannot_be_written(self):
        self.domain.start()
        self.stage.save.side_effect = nova_exception.InstanceNotFound(
            instance_id="x")
        with self.assertRaises(nova_exception.InstanceNotFound):
            self.attach()
        self.assert_nothing_is_left()

    def test_an_encrypted_one(self):
        self.info = a_connection("v1", encrypted=True)
        with self.assertRaises(nova_exception.InvalidInput):
            self.attach()
        self.assert_nothing_is_left()

    def test_to_a_guest_that_is_gone(self):
        self.domain.undefine()
        with self.assertRaises(nova_exception.InstanceNotFound):
            self.attach()
        self.assertEqual({}, self.stage.volumes.connected)


class DetachTest(AttachTestCase):

    def test_from_a_guest_that_runs_or_not(self):
        for start in (self.domain.start, self.domain.destroy):
            start()
            self.attach()
            self.detach()
            self.assert_nothing_is_left()

    def test_a_guest_that_keeps_it(self):
        """Attached everywhere, and connected."""
        self.domain.start()
        self.attach()
        self.stage.hypervisor.clinging.add(self.instance.uuid)
        with self.assertRaises(nova_exception.DeviceDetachFailed):
            self.detach()
        self.assertEqual((["v1"], ["v1"]), self.disks())
        self.assertEqual(["v1"], list(self.stage.volumes.connected))
        self.stage.hypervisor.clinging.clear()
        self.detach()
        self.assert_nothing_is_left()

    def test_in_one_of_the_two_only(self):
        self.domain.start()
        self.attach()
        (xml, _alias) = read.disk_element(self.domain.xml(), "v1", "vdb")
        self.domain.forget_device(xml)
        self.detach()
        self.assert_nothing_is_left()
        self.attach()
        (xml, alias) = read.disk_element(self.domain.xml(), "v1", "vdb")
        self.domain.unplug(xml, alias, 1)
        self.detach()
        self.assert_nothing_is_left()

    def test_what_is_gone_already_is_disconnected(self):
        self.domain.start()
        self.stage.volumes.connect(self.info)
        self.detach()
        self.assert_nothing_is_left()
        self.stage.volumes.connect(self.info)
        self.domain.destroy()
        self.domain.undefine()
        self.detach()
        self.assertEqual({}, self.stage.volumes.connected)

    def test_found_by_its_target_where_it_has_no_serial(self):
        self.attach()
        stored = self.domain.definition
        self.domain.definition = stored.replace(
            "<serial>v1</serial>", "")
        self.detach()
        self.assert_nothing_is_left()
