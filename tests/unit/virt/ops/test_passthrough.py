"""driver-contract M34, M35: suspended without the host's devices."""

import unittest
from unittest import mock

from nova import exception as nova_exception

from nova_custom_driver.virt.host.base import State
from nova_custom_driver.virt.ops import passthrough
from nova_custom_driver.virt.ops import power
from nova_custom_driver.virt.xml import passthrough as read
from tests.unit.planner import factories
from tests.unit.virt.ops import stage
from tests.unit.virt.ops import test_spawn

XML = """<domain><uuid>{uuid}</uuid><name>instance-7</name>
<memory>1</memory><devices>
<hostdev mode="subsystem" type="pci" managed="yes">
<source><address domain="0x0000" bus="0x84" slot="0x00" function="0x1"/>
</source></hostdev></devices></domain>"""


class PassthroughTest(unittest.TestCase):

    def setUp(self):
        self.stage = stage.Stage(self)
        self.uuid = factories.UUID
        self.domain = self.stage.hypervisor.define(
            XML.format(uuid=self.uuid))
        self.domain.start()

    def has(self, *, inactive=False):
        return len(read.of(self.domain.xml(inactive=inactive)))

    def test_saved_without_them(self):
        """Its definition goes on to name them."""
        seen = []
        with mock.patch.object(
                self.domain, "save", lambda: seen.append(
                    (self.has(), self.has(inactive=True)))):
            power.suspend(self.stage.hands, self.uuid)
        self.assertEqual([(0, 1)], seen)

    def test_given_back_once(self):
        device = read.of(self.domain.xml())
        ((_what, lent),) = device.items()
        self.domain.unplug(lent.xml, lent.alias, 1)
        self.assertEqual(0, self.has())
        passthrough.give_back(self.domain)
        passthrough.give_back(self.domain)
        self.assertEqual(1, self.has())

    def test_a_guest_that_clings_runs_on_with_it(self):
        self.stage.hypervisor.clinging.add(self.uuid)
        with self.assertRaises(nova_exception.InstanceFaultRollback):
            power.suspend(self.stage.hands, self.uuid)
        self.assertEqual((State.RUNNING, 1),
                         (self.domain.state(), self.has()))

    def test_a_failed_save_gives_them_back(self):
        self.stage.hypervisor.refuses["save"] = test_spawn.refusal("save")
        with self.assertRaises(nova_exception.InstanceFaultRollback):
            power.suspend(self.stage.hands, self.uuid)
        self.assertEqual(1, self.has())

    def test_one_that_was_taken_out_meanwhile(self):
        ((_what, lent),) = read.of(self.domain.xml()).items()
        self.domain.unplug(lent.xml, lent.alias, 1)
        self.stage.hypervisor.refuses["plug_back"] = \
            nova_exception.DeviceNotFound(device="0000:84:00.1")
        with self.assertLogs(passthrough.LOG.logger, "WARNING"):
            passthrough.give_back(self.domain)
