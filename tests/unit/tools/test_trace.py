"""The tool that tells which requirements no test proves can say no."""

import contextlib
import io
import pathlib
import tempfile
import unittest

from tools.trace import __main__ as command
from tools.trace import load
from tools.trace import markdown
from tools.trace import names
from tools.trace import reasons
from tools.trace import tables

CELLAR = """
# Cellar

Text | that is no table.

## 1. Disks

| # | File | Meaning |
|---|---|---|
| F1 | disk | the root disk |
| F2 | disk.eph0 | values a\\|b |
| F3a | disk.swap | swap |

| Exception | Outcome |
|---|---|
| TooSmall | a row without an id |
"""
ROOM = """
## 1. CPU

| # | Input |
|---|---|
| C1 | cpu_mode |
| C2 | cpu_models |
| C10 | policy |
"""
PLACEMENT = """
| # | Class |
|---|---|
| C1 | VCPU |
"""

# In parts: together they would be names of this repository's rows.
SHORT = "placement" + " C1"
LONG = "placement-reporting" + " C1"


class CheckoutTest(unittest.TestCase):
    """A checkout with three tables, and neither tests nor reasons."""

    def setUp(self):
        self.root = pathlib.Path(self.enterContext(
            tempfile.TemporaryDirectory()))
        self.requirements = self.root / "doc/source/requirements"
        self.requirements.mkdir(parents=True)
        self.tests = self.root / "tests"
        self.tests.mkdir()
        for table, text in (("cellar", CELLAR), ("guest-room", ROOM),
                            ("placement-reporting", PLACEMENT)):
            (self.requirements / f"{table}.md").write_text(text)
        (self.requirements / "reasons.toml").touch()

    def give_reason(self, table, rows, **parts):
        with (self.requirements / "reasons.toml").open("a") as file:
            file.write("[[reason]]\n")
            for key, value in {"table": table, "rows": rows,
                               "why": "so it is", **parts}.items():
                file.write(f'{key} = "{value}"\n')

    def write_test(self, text):
        (self.tests / "test_it.py").write_text(text)

    def name(self, docstring):
        self.write_test("class ItTest:\n    def test_it(self):\n"
                        f'        """{docstring}"""\n')

    def proved(self):
        return " ".join(map(str, sorted(load.load(self.root).proofs)))


class NamesTest(CheckoutTest):

    def assert_named(self, expected, docstring):
        self.name(docstring)
        self.assertEqual(expected, self.proved())

    def test_one(self):
        self.assert_named("guest-room C1", "Is chosen: guest-room C1.")

    def test_list(self):
        self.assert_named("cellar F1 cellar F3a", "cellar F1, F3a.")
        self.assert_named("cellar F1 cellar F3a", "cellar F1 and F3a.")

    def test_range(self):
        self.assert_named("guest-room C1 guest-room C2",
                          "guest-room C1-C2")
        self.assert_named("guest-room C10 guest-room C2",
                          "guest-room C2 to C10")

    def test_numbers_count_as_numbers(self):
        self.assert_named("guest-room C10 guest-room C2",
                          "guest-room C2-C10")

    def test_two_tables(self):
        self.assert_named("cellar F1 guest-room C1",
                          "guest-room C1; cellar F1: both")

    def test_short_name(self):
        self.assert_named(LONG, SHORT)
        self.assert_named(LONG, LONG)

    def test_words_after_a_list_end_it(self):
        self.assert_named("guest-room C1",
                          "guest-room C1; without the 15 s of C2")

    def test_other_words(self):
        self.assert_named("", "design 3, cellar, my-cellar F1, cellar F")

    def test_unknown_row(self):
        self.name("cellar F9")
        with self.assertRaisesRegex(
                names.UnknownRow, r"test_it\.py:3: cellar has no row F9"):
            self.proved()

    def test_range_the_wrong_way_round(self):
        self.name("guest-room C10-C1")
        with self.assertRaisesRegex(names.UnknownRow, "no range"):
            self.proved()


class EvidenceTest(CheckoutTest):

    def test_class_of_tests(self):
        self.write_test('class ItTest:\n    """cellar F1"""\n'
                        "    def test_it(self):\n        pass\n")
        self.assertEqual("cellar F1", self.proved())

    def test_case_of_a_table(self):
        self.write_test('CASES = [("guest-room C1, C2", 7)]\n')
        self.assertEqual("guest-room C1 guest-room C2", self.proved())

    def test_what_proves_nothing(self):
        self.write_test('"""cellar F1"""\n\n# cellar F1\n'
                        'def a_disk():\n    """cellar F1"""\n'
                        'class Base:\n    """cellar F1"""\n'
                        'WORDS = "of cellar F1 here"\n')
        self.assertEqual("", self.proved())


class ReportTest(CheckoutTest):

    def run_command(self):
        output, errors = io.StringIO(), io.StringIO()
        with contextlib.redirect_stdout(output), \
                contextlib.redirect_stderr(errors):
            status = command.main(self.root)
        return status, output.getvalue() + errors.getvalue()

    def test_open_rows(self):
        self.name("cellar F1; guest-room C1-C10")
        self.give_reason("cellar", "F2", later="issue 7")
        status, text = self.run_command()
        self.assertEqual(1, status)
        self.assertIn("cellar, 1. Disks:\n    F3a   disk.swap\n", text)
        self.assertNotIn("F2", text)
        self.assertTrue(text.endswith(
            "7 rows, 4 proved, 1 with a reason, 2 open\n"), text)

    def test_nothing_open(self):
        self.name(f"cellar F1-F3a; guest-room C1-C10; {SHORT}")
        self.assertEqual(
            (0, "7 rows, 7 proved, 0 with a reason, 0 open\n"),
            self.run_command())

    def test_reason_for_what_is_proved(self):
        self.name(f"cellar F1-F3a; guest-room C1-C10; {SHORT}")
        self.give_reason("cellar", "F1", later="issue 7")
        self.assertEqual(0, self.run_command()[0])
        self.give_reason("cellar", "F2")
        status, text = self.run_command()
        self.assertEqual(1, status)
        self.assertIn("cellar F2 is proved", text)

    def test_nonsense(self):
        self.give_reason("cellar", "F9")
        status, text = self.run_command()
        self.assertEqual(2, status)
        self.assertIn("cellar has no row F9", text)

    def test_status_of_a_row(self):
        self.name("cellar F1")
        self.give_reason("cellar", "F2", later="issue 7")
        self.give_reason("cellar", "F3a")
        trace = load.load(self.root)
        self.assertEqual(
            ["tested (1)", "later: so it is", "so it is", "open"],
            [trace.status(tables.RowKey(*key)) for key in (
                ("cellar", "F1"), ("cellar", "F2"), ("cellar", "F3a"),
                ("guest-room", "C1"))])


class ReasonsTest(CheckoutTest):

    def assert_malformed(self, message):
        with self.assertRaisesRegex(reasons.MalformedReason, message):
            load.load(self.root)

    def test_two_for_a_row(self):
        self.give_reason("cellar", "F1-F2")
        self.give_reason("cellar", "F2")
        self.assert_malformed("cellar F2 has two reasons")

    def test_without_text(self):
        self.give_reason("cellar", "F1", why=" ")
        self.assert_malformed("why")

    def test_misspelt_part(self):
        self.give_reason("cellar", "F1", latter="issue 7")
        self.assert_malformed("latter")


class TablesTest(CheckoutTest):

    def test_an_id_twice(self):
        with (self.requirements / "cellar.md").open("a") as file:
            file.write("| F1 | again |\n")
        with self.assertRaisesRegex(tables.MalformedTable, "F1 is twice"):
            load.load(self.root)

    def test_no_table(self):
        for path in self.requirements.glob("*.md"):
            path.unlink()
        with self.assertRaises(tables.MalformedTable):
            load.load(self.root)

    def test_escaped_bar(self):
        self.assertEqual(["F2", "disk.eph0", r"values a\|b"],
                         tables.cells(CELLAR.splitlines()[10]))


class MarkdownTest(CheckoutTest):

    def test_rows_with_an_id_end_with_their_status(self):
        self.name("cellar F1")
        shown = list(markdown.with_status(
            CELLAR, "cellar", load.load(self.root)))
        self.assertEqual([
            "| # | File | Meaning | Status |", "|---|---|---|---|",
            "| F1 | disk | the root disk | tested (1) |",
            r"| F2 | disk.eph0 | values a\|b | open |",
        ], [line.replace("| --- | --- | --- | --- |", "|---|---|---|---|")
            for line in shown[7:11]])
        self.assertIn("| TooSmall | a row without an id |", shown)

    def test_nothing_is_markup_but_code_and_emphasis(self):
        for text, expected in (
                ("<uuid>_disk", r"\<uuid\>\_disk"),
                ("`<uuid>_disk`", "`<uuid>_disk`"),
                ("*.part, *.converted", r"\*.part, \*.converted"),
                ("a *new_one* and **no tsc, none**",
                 r"a *new\_one* and **no tsc, none**"),
                ("[libvirt]uri", r"\[libvirt\]uri")):
            with self.subTest(text):
                self.assertEqual(expected, markdown.escaped(text))


class RepositoryTest(unittest.TestCase):

    def test_its_tables_tests_and_reasons_can_be_read(self):
        self.assertGreater(len(load.load().rows), 700)
