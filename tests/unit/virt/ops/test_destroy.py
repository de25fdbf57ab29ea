"""driver-contract M28, M29, M100; storage F13."""

import os
import pathlib
import unittest
from unittest import mock

from nova import exception as nova_exception
from nova.console import serial

from nova_custom_driver import exception
from nova_custom_driver import privsep
from nova_custom_driver.virt.ops import destroy
from tests.contracts import hypervisor as contract
from tests.unit.planner import factories
from tests.unit.virt.ops import stage


class DestroyTest(unittest.TestCase):

    def setUp(self):
        self.stage = stage.Stage(self)
        self.instance = factories.an_instance()
        self.directory = self.stage.hands.directory(self.instance.uuid)
        self.network = stage.a_network(factories.a_vif())

    def exist(self):
        self.directory.mkdir()
        (self.directory / "disk").touch()
        domain = self.stage.hypervisor.define(contract.XML.format(
            uuid=self.instance.uuid, name="instance-7"))
        domain.start()
        self.stage.vifs.plug(self.instance, self.network[0])
        return domain

    devices = None

    def clean(self, *, vifs=True, files=True):
        destroy.stop(self.stage.hands, self.instance.uuid)
        destroy.clean(self.stage.hands, self.instance, self.network,
                      self.devices, vifs=vifs, files=files)

    def test_all_goes(self):
        self.exist()
        self.clean()
        self.assertEqual([], self.stage.left())
        self.assertTrue(self.instance.cleaned)
        self.assertEqual("1", self.instance.system_metadata[
            "clean_attempts"])

    def test_what_is_gone_is_no_error(self):
        self.clean()
        self.clean()
        self.assertEqual([], self.stage.left())

    def test_files_are_kept_where_asked(self):
        self.exist()
        self.clean(files=False)
        self.assertEqual([f"file {self.instance.uuid}"], self.stage.left())

    def test_a_port_that_stays_does_not_stop_the_rest(self):
        self.exist()
        self.stage.vifs.keeps.add(factories.PORT)
        self.clean()
        self.assertEqual([f"port {factories.PORT}"], self.stage.left())

    def test_files_that_stay_are_tried_again_later(self):
        self.exist()
        with mock.patch.object(privsep, "remove_tree", side_effect=OSError):
            self.clean()
        self.assertFalse(self.instance.cleaned)
        self.assertTrue(destroy.delete_files(
            self.stage.hands, self.instance.uuid))
        self.assertEqual([], self.stage.left())

    def test_a_resize_that_was_under_way(self):
        pathlib.Path(f"{self.directory}_resize").mkdir()
        self.assertTrue(destroy.delete_files(
            self.stage.hands, self.instance.uuid))
        self.assertEqual([], self.stage.left())

    def test_serial_ports_are_given_back(self):
        """guest-config S1."""
        domain = self.exist()
        domain.definition = domain.definition.replace(
            "</domain>", "<devices><serial type='tcp'><source mode='bind' "
            "host='127.0.0.1' service='10007'/></serial></devices></domain>")
        serial.ALLOCATED_PORTS.add(("127.0.0.1", 10007))
        self.clean()
        self.assertNotIn(("127.0.0.1", 10007), serial.ALLOCATED_PORTS)

    def test_twice_is_no_error(self):
        """driver-contract M28: a second delete, a half-built guest."""
        self.exist()
        self.clean()
        self.clean()
        self.assertEqual([], self.stage.left())
        self.assertEqual("2", self.instance.system_metadata[
            "clean_attempts"])

    def test_ports_are_kept_where_asked(self):
        """driver-contract M29."""
        self.exist()
        self.clean(vifs=False)
        self.assertEqual([f"port {factories.PORT}"], self.stage.left())

    def test_kept_files_are_not_an_attempt(self):
        self.exist()
        self.clean(files=False)
        self.assertNotIn("clean_attempts", self.instance.system_metadata)
        self.assertFalse(self.instance.cleaned)
        self.stage.save.assert_not_called()

    def test_an_instance_that_nova_has_deleted_already(self):
        self.exist()
        self.stage.save.side_effect = nova_exception.InstanceNotFound(
            instance_id=self.instance.uuid)
        self.clean()
        self.assertEqual([], self.stage.left())

    def test_qemu_that_does_not_die_keeps_all(self):
        """driver-contract M28."""
        self.exist()
        before = self.stage.left()
        self.stage.hypervisor.refuses["destroy"] = \
            nova_exception.InstancePowerOffFailure(reason="D state")
        with self.assertRaises(nova_exception.InstancePowerOffFailure):
            self.clean()
        self.assertEqual(before, self.stage.left())

    def test_the_domain_goes_last(self):
        """A crash in between leaves what Nova finds and deletes again."""
        self.exist()
        self.stage.hypervisor.refuses["undefine"] = exception.HostError(
            action="undefine", subject="it", reason="no")
        with self.assertRaises(exception.HostError):
            self.clean()
        self.assertEqual(["domain instance-7"], self.stage.left())

    def test_what_an_earlier_attempt_has_renamed_goes(self):
        """driver-contract M100; storage F13."""
        doomed = pathlib.Path(f"{self.directory}_del")
        doomed.mkdir()
        (doomed / "old").touch()
        self.directory.mkdir()
        self.assertTrue(destroy.delete_files(
            self.stage.hands, self.instance.uuid))
        self.assertEqual([], self.stage.left())

    def test_half_deleted_it_has_another_name(self):
        """storage F13: nobody takes it for an instance's directory."""
        self.exist()
        with mock.patch.object(privsep, "remove_tree", side_effect=OSError):
            self.assertFalse(destroy.delete_files(
                self.stage.hands, self.instance.uuid))
        self.assertFalse(self.directory.exists())
        self.assertTrue(pathlib.Path(f"{self.directory}_del").exists())

    def test_a_directory_that_cannot_be_renamed(self):
        self.exist()
        with mock.patch.object(os, "rename", side_effect=OSError), \
                self.assertLogs(destroy.LOG.logger, "ERROR"):
            self.assertFalse(destroy.delete_files(
                self.stage.hands, self.instance.uuid))
        self.assertTrue(self.directory.exists())
