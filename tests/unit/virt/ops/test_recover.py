"""design 3: after a crash the journal is read, and what is left undone."""

import unittest
from unittest import mock

from oslo_utils import uuidutils

from nova_custom_driver import journal
from nova_custom_driver import privsep
from nova_custom_driver.virt.host.base import State
from nova_custom_driver.virt.ops import recover
from tests.contracts import hypervisor as contract
from tests.unit.planner import factories
from tests.unit.virt.ops import stage


class RecoverTest(unittest.TestCase):

    def setUp(self):
        self.stage = stage.Stage(self)
        self.instance = factories.an_instance()
        vif = factories.a_vif()
        directory = self.stage.hands.directory(self.instance.uuid)
        entry = self.stage.hands.journal.entry(self.instance.uuid)
        entry.note(
            journal.Resource(kind=journal.Kind.DIRECTORY,
                             name=str(directory)),
            journal.Resource(kind=journal.Kind.FILE,
                             name=str(self.stage.path / "file")),
            journal.Resource(kind=journal.Kind.DOMAIN, name="instance-7"),
            journal.Resource(
                kind=journal.Kind.VIF, name=vif["id"],
                detail=self.stage.vifs.describe(self.instance, vif)))
        entry.release()
        directory.mkdir()
        (directory / "disk").touch()
        (self.stage.path / "file").touch()
        self.stage.hypervisor.define(contract.XML.format(
            uuid=self.instance.uuid, name="instance-7")).start()
        self.stage.vifs.plug(self.instance, vif)

    def test_all_that_was_made_is_undone(self):
        recover.unfinished(self.stage.hands)
        self.assertEqual([], self.stage.left())

    def test_what_was_not_made_yet_is_no_error(self):
        recover.unfinished(self.stage.hands)
        entry = self.stage.hands.journal.entry(self.instance.uuid)
        entry.note(journal.Resource(kind=journal.Kind.DOMAIN, name="x"))
        entry.release()
        recover.unfinished(self.stage.hands)
        self.assertEqual([], self.stage.left())

    def test_what_cannot_be_undone_stays_in_the_journal(self):
        self.stage.vifs.keeps.add(factories.PORT)
        recover.unfinished(self.stage.hands)
        self.assertEqual([f"port {factories.PORT}",
                          f"journal {self.instance.uuid}"],
                         self.stage.left())
        self.stage.vifs.keeps.clear()
        recover.unfinished(self.stage.hands)
        self.assertEqual([], self.stage.left())


    def test_one_failure_does_not_keep_the_rest(self):
        with mock.patch.object(privsep, "remove_tree", side_effect=OSError):
            recover.unfinished(self.stage.hands)
        self.assertEqual(
            [f"file {self.instance.uuid}", f"journal {self.instance.uuid}"],
            self.stage.left())

    def test_other_guests_are_not_touched(self):
        other = uuidutils.generate_uuid()
        self.stage.hypervisor.define(contract.XML.format(
            uuid=other, name="instance-8")).start()
        recover.unfinished(self.stage.hands)
        self.assertEqual(["domain instance-8"], self.stage.left())


class CutOffRebootTest(unittest.TestCase):
    """design 3: only what the operation has made is undone."""

    def setUp(self):
        self.stage = stage.Stage(self)
        self.instance = factories.an_instance()
        self.domain = self.stage.hypervisor.define(contract.XML.format(
            uuid=self.instance.uuid, name="instance-7"))
        self.cut_off()

    def cut_off(self):
        """Leave a port plugged and in the journal, as a crash would."""
        vif = factories.a_vif()
        entry = self.stage.hands.journal.entry(self.instance.uuid)
        entry.note(journal.Resource(
            kind=journal.Kind.VIF, name=vif["id"],
            detail=self.stage.vifs.describe(self.instance, vif)))
        entry.release()
        self.stage.vifs.plug(self.instance, vif)

    def test_a_guest_that_runs_keeps_its_ports(self):
        for paused in (False, True):
            with self.subTest(paused=paused):
                self.domain.destroy()
                self.cut_off()
                self.domain.start(paused=paused)
                recover.unfinished(self.stage.hands)
                self.assertEqual(
                    ["domain instance-7", f"port {factories.PORT}"],
                    self.stage.left())

    def test_one_that_was_not_started_yet_does_not(self):
        recover.unfinished(self.stage.hands)
        self.assertEqual(["domain instance-7"], self.stage.left())

    def test_nor_one_that_is_gone(self):
        self.domain.undefine()
        recover.unfinished(self.stage.hands)
        self.assertEqual([], self.stage.left())


class SnapshotTest(unittest.TestCase):
    """storage N2, N5: what a snapshot that was cut off leaves."""

    def setUp(self):
        self.stage = stage.Stage(self)
        self.uuid = uuidutils.generate_uuid()
        self.domain = self.stage.hypervisor.define(contract.XML.format(
            uuid=self.uuid, name="instance-7"))
        self.domain.start()

    def note(self, kind, name):
        entry = self.stage.hands.journal.entry(self.uuid)
        entry.note(journal.Resource(kind=kind, name=name))
        entry.release()

    def test_a_guest_that_was_stopped_for_it_goes_on(self):
        self.note(journal.Kind.SAVED_MEMORY, "instance-7")
        self.domain.save()
        for _ in range(2):
            recover.unfinished(self.stage.hands)
            self.assertEqual(State.RUNNING, self.domain.state())

    def test_a_copy_is_ended(self):
        self.note(journal.Kind.MIRROR, "vda")
        recover.unfinished(self.stage.hands)
        self.assertEqual([("vda", None)], self.stage.hypervisor.mirrors)
        self.assertEqual({}, self.stage.hands.journal.unfinished())

    def test_of_a_guest_that_is_gone(self):
        self.note(journal.Kind.SAVED_MEMORY, "instance-7")
        self.note(journal.Kind.MIRROR, "vda")
        self.domain.destroy()
        self.domain.undefine()
        recover.unfinished(self.stage.hands)
        self.assertEqual({}, self.stage.hands.journal.unfinished())
