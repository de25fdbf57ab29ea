"""The switch tests plug into is theirs, or is left as it was."""

import unittest
from unittest import mock

from tests.functional.services import openvswitch


class OpenVSwitchTest(unittest.TestCase):

    def setUp(self):
        self.running = openvswitch.OpenVSwitch()
        self.addCleanup(self.running.cleanUp)
        self.running.setUp()

    def test_one_that_runs_is_used_and_left_running(self):
        with mock.patch.object(openvswitch, "RUNNING",
                               self.running.socket), \
                openvswitch.OpenVSwitch() as used:
            self.assertEqual(self.running.socket, used.socket)
            used.add_bridge("br-ncd-used")
            self.assertIn("br-ncd-used", self.running.vsctl("list-br"))
        self.assertTrue(openvswitch.answers(self.running.socket))
        self.assertEqual("", self.running.vsctl("list-br"))

    def test_one_that_was_started_is_stopped(self):
        with openvswitch.OpenVSwitch() as started:
            self.assertTrue(openvswitch.answers(started.socket))
        self.assertFalse(started.socket.exists())
        self.assertFalse(started.socket.parent.exists())
