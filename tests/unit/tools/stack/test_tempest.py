"""What tempest runs, and what counts against this driver."""

import pathlib
import tempfile

import testtools

from tools.stack.tempest import results
from tools.stack.tempest import selection

ISSUES = range(4, 20)


class SelectionTest(testtools.TestCase):

    def setUp(self):
        super().setUp()
        self.selection = selection.selection({
            "meant": [r"tempest\.api\.compute\."],
            "excluded": [{"tests": r"tempest\.api\.compute\.volumes",
                          "reason": "no volumes", "issue": 5}]})

    def test_choose(self):
        self.assertEqual(["tempest.api.compute.servers.test_a"],
                         self.selection.choose([
                             "tempest.api.compute.servers.test_a",
                             "tempest.api.compute.volumes.test_b",
                             "tempest.api.image.test_c"]))

    def test_why_not(self):
        self.assertEqual(5, self.selection.why_not(
            "tempest.api.compute.volumes.test_b").issue)

    def test_every_entry_has_a_reason_and_no_closed_door(self):
        for each in selection.load().excluded:
            self.assertGreater(len(each.reason), 10)
            self.assertTrue(each.issue is None or each.issue in ISSUES)

    def test_smoke_is_of_what_is_meant(self):
        table = selection.load()
        for line in selection.SMOKE.read_text().splitlines():
            if not line.startswith("#"):
                self.assertTrue(table.choose([line]) or table.why_not(line),
                                line)

    def test_plain(self):
        self.assertEqual("a.b.test_c", selection.plain(
            "a.b.test_c[id-1,smoke]"))


class ResultsTest(testtools.TestCase):

    def test_worse(self):
        there = {"a": "pass", "b": "fail", "c": "pass", "d": "skip"}
        self.assertEqual(["a", "c", "e"], list(results.worse(
            {"a": "fail", "b": "fail", "c": "skip", "d": "skip",
             "e": "fail", "f": "pass"}, there)))

    def test_summary(self):
        said = results.summary({"a": "fail", "b": "pass", "c": "pass"},
                               {"a": "pass", "b": "fail"})
        self.assertIn("2 passed, 1 failed, 0 skipped", said)
        self.assertIn("2 of 3 have a record", said)
        self.assertIn("a: passes with the in-tree driver", said)
        self.assertIn("b: passes here", said)

    def test_a_record_is_read_as_it_was_written(self):
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        path = pathlib.Path(directory.name, "record")
        self.assertEqual({}, results.read(path))
        results.write(path, {"b": "fail", "a": "pass"}, "# What.")
        self.assertEqual("# What.\npass a\nfail b\n", path.read_text())
        self.assertEqual({"a": "pass", "b": "fail"}, results.read(path))

    def test_the_record_in_the_repository(self):
        self.assertLessEqual(set(results.read(results.RECORD).values()),
                             {"pass", "fail", "skip"})
