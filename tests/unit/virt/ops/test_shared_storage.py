"""driver-contract M93a, M93b, M93c."""

import unittest

from nova_custom_driver.virt.ops import shared_storage
from tests.unit.planner import factories
from tests.unit.virt.ops import stage


class SharedStorageTest(unittest.TestCase):

    def setUp(self):
        self.hands = stage.Stage(self).hands
        self.directory = self.hands.directory(factories.UUID)

    def test_a_file_is_seen_until_it_is_gone(self):
        self.directory.mkdir()
        data = shared_storage.begin(self.hands, factories.UUID)
        self.assertTrue(shared_storage.is_seen(data))
        for _ in range(2):
            shared_storage.end(data)
            self.assertFalse(shared_storage.is_seen(data))
        self.assertEqual([], list(self.directory.iterdir()))

    def test_no_files_to_share(self):
        self.assertIsNone(shared_storage.begin(self.hands, factories.UUID))
