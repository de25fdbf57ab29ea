"""The fake keeps the promise of the real hypervisor."""

import unittest

from tests.contracts import hypervisor as contract
from tests.fakes import hypervisor


class FakeHypervisorTest(contract.HypervisorContract, unittest.TestCase):

    def setUp(self):
        self.hypervisor = hypervisor.FakeHypervisor()

    def make_deaf(self, domain):
        self.hypervisor.deaf.add(domain.uuid)
