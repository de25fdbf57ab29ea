"""storage G3: one request, and whoever asks again joins."""

import unittest

from nova_custom_driver.virt.host import unplug

XML = """
<domain><devices>
  <disk><target dev="vdb"/><alias name="ua-v1"/></disk>
  <interface><alias name="net0"/></interface>
</devices></domain>
"""


class UnplugsTest(unittest.TestCase):

    def setUp(self):
        self.unplugs = unplug.Unplugs()

    def test_who_asks_again_joins(self):
        self.assertTrue(self.unplugs.begin("u", "a"))
        self.assertFalse(self.unplugs.begin("u", "a"))
        self.assertTrue(self.unplugs.begin("u", "b"))
        self.unplugs.end("u", "a")
        self.assertTrue(self.unplugs.begin("u", "a"))

    def test_a_refusal_ends_it(self):
        self.unplugs.begin("u", "a")
        self.assertFalse(self.unplugs.take_refusal("u", "a"))
        self.unplugs.refuse("u", "a")
        self.assertTrue(self.unplugs.take_refusal("u", "a"))
        self.assertTrue(self.unplugs.begin("u", "a"))
        self.assertFalse(self.unplugs.take_refusal("u", "a"))

    def test_what_nobody_asked_for_is_no_refusal(self):
        self.unplugs.refuse("u", "a")
        self.assertFalse(self.unplugs.take_refusal("u", "a"))

    def test_a_guest_that_has_stopped(self):
        for uuid in ("u", "w"):
            self.unplugs.begin(uuid, "a")
        self.unplugs.forget("u")
        self.assertTrue(self.unplugs.begin("u", "a"))
        self.assertFalse(self.unplugs.begin("w", "a"))

    def test_which_devices_there_are(self):
        self.assertEqual([True, True, False], [
            unplug.has(XML, alias) for alias in ("ua-v1", "net0", "vdb")])
