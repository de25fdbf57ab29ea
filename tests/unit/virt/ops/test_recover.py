"""design 3: after a crash the journal is read, and what is left undone."""

import unittest

from nova_custom_driver import journal
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
