"""A step is done once, or each time; a failure is no end."""

import pathlib
import tempfile

import testtools

from tests.unit.tools.stack import factories
from tools.stack.steps import data
from tools.stack.steps import step


class StepTest(testtools.TestCase):

    def setUp(self):
        super().setUp()
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.stack = factories.stack(directory.name)
        pathlib.Path(self.stack.data, "done").mkdir(parents=True)
        self.done = []

    def carry_out(self, **changes):
        return step.carry_out(
            step.Step(name="one", do=self.done.append, **changes), self.stack)

    def test_once(self):
        self.assertTrue(self.carry_out())
        self.assertFalse(self.carry_out())
        self.assertEqual([self.stack], self.done)

    def test_again_of_another_recipe(self):
        self.carry_out(recipe=lambda: "1")
        self.assertFalse(self.carry_out(recipe=lambda: "1"))
        self.assertTrue(self.carry_out(recipe=lambda: "2"))

    def test_each_time(self):
        self.carry_out(once=False)
        self.carry_out(once=False)
        self.assertEqual(2, len(self.done))

    def test_what_failed_is_done_again(self):
        def fail(_settings):
            raise ValueError
        with testtools.ExpectedException(ValueError):
            step.carry_out(step.Step(name="one", do=fail), self.stack)
        self.assertTrue(self.carry_out())

    def test_every_user_may_use_its_databases(self):
        sql = data.sql("word")
        for database, user in data.DATABASES.items():
            self.assertIn(f"GRANT ALL ON {database}.* TO "
                          f"'{user}'@'127.0.0.1';", sql)
