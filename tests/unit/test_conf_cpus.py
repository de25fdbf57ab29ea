"""driver-contract S2; placement-reporting U1 to U3."""

import unittest

import nova.conf

from nova_custom_driver import conf_cpus
from nova_custom_driver import exception

CONF = nova.conf.CONF


class CheckTest(unittest.TestCase):

    def check(self, *, shared=None, dedicated=None, legacy=None, reserved=0):
        for group, name, value in (
                ("compute", "cpu_shared_set", shared),
                ("compute", "cpu_dedicated_set", dedicated),
                (None, "vcpu_pin_set", legacy),
                (None, "reserved_host_cpus", reserved)):
            CONF.set_override(name, value, group)
            self.addCleanup(CONF.clear_override, name, group)
        conf_cpus.check(CONF)

    def refuse(self, text, **options):
        with self.assertRaisesRegex(exception.UnsupportedConfiguration, text):
            self.check(**options)

    def test_what_goes_together(self):
        self.check()
        self.check(reserved=2)
        self.check(shared="0-1", dedicated="2-3")

    def test_a_processor_in_both_sets(self):
        self.refuse(r"\[2\] are in cpu_shared_set", shared="0-2",
                    dedicated="2-3")

    def test_reserved_twice(self):
        self.refuse("reserved_host_cpus=1", shared="0-2", reserved=1)
        self.refuse("reserved_host_cpus=1", dedicated="0-2", reserved=1)

    def test_the_old_option(self):
        self.refuse("vcpu_pin_set=0-1", legacy="0-1", dedicated="2-3")
        with self.assertLogs(conf_cpus.LOG.logger, "WARNING"):
            self.check(legacy="0-1", shared="2-3", reserved=1)
