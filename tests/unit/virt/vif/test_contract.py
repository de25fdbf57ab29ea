"""The fake keeps the promise; the real one is tried on a real switch."""

import unittest

from tests.contracts import vif as contract
from tests.fakes import vif as fakes
from tests.unit.virt.vif import factories


class MemoryContractTest(contract.VifPluggerContract, unittest.TestCase):

    def setUp(self):
        self.plugger = fakes.MemoryPlugger()
        self.instance = factories.an_instance()

    def a_vif(self, **changes):
        return factories.an_ovs_port(**changes)

    def plugged(self):
        return dict(self.plugger.plugged)
