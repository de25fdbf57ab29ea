"""placement-reporting E1 to E4."""

import pathlib
import tempfile
import unittest

from nova_custom_driver.spec import host
from nova_custom_driver.virt.host import domain_capabilities
from nova_custom_driver.virt.host import memory_encryption

DOMAIN = """
<domainCapabilities>
  <path>/usr/bin/qemu-system-x86_64</path>
  <machine>pc-q35-9.2</machine>
  <features>
    <sev supported='{sev}'>
      <cbitpos>51</cbitpos>
      <reducedPhysBits>1</reducedPhysBits>
      <maxGuests>410</maxGuests>
      <maxESGuests>99</maxESGuests>
    </sev>
    <tdx supported='{tdx}'/>
    <launchSecurity supported='{launch}'>
      <enum name='sectype'>
        <value>sev</value>
        <value>sev-snp</value>
      </enum>
    </launchSecurity>
  </features>
</domainCapabilities>
"""


class KernelTest(unittest.TestCase):

    def setUp(self):
        self.path = pathlib.Path(self.enterContext(
            tempfile.TemporaryDirectory()))
        self.capacity = self.path / "misc.capacity"

    def kernel(self):
        return memory_encryption.kernel(self.path, self.capacity)

    def test_what_is_enabled(self):
        """placement-reporting E1, E2, E3."""
        for name, value in (("sev", "Y"), ("sev_es", "1"), ("sev_snp", "N")):
            (self.path / name).write_text(value + "\n")
        self.assertEqual({"sev", "sev_es"}, self.kernel().enabled)

    def test_nothing(self):
        self.assertEqual(host.KernelEncryption(), self.kernel())

    def test_tdx(self):
        """placement-reporting E4."""
        self.capacity.write_text("sev 410\ntdx 31\n")
        self.assertEqual(31, self.kernel().tdx_guests)
        self.capacity.write_text("sev 410\n")
        self.assertIsNone(self.kernel().tdx_guests)

    def test_tdx_without_end(self):
        with self.assertLogs(memory_encryption.LOG.logger, "WARNING"):
            self.assertIsNone(memory_encryption.tdx_guests("tdx max\n"))


class DomainTest(unittest.TestCase):

    def facts(self, sev="no", tdx="no", launch="no"):
        return domain_capabilities.domain_facts(
            DOMAIN.format(sev=sev, tdx=tdx, launch=launch), "x86_64", "kvm")

    def test_sev(self):
        """placement-reporting E1, E2."""
        self.assertEqual(
            host.Sev(c_bit=51, reduced_bits=1, max_guests=410,
                     max_es_guests=99), self.facts(sev="yes").sev)
        self.assertIsNone(self.facts().sev)

    def test_others(self):
        """placement-reporting E3, E4."""
        self.assertTrue(self.facts(tdx="yes").tdx)
        self.assertFalse(self.facts().tdx)
        self.assertEqual({"sev", "sev-snp"},
                         self.facts(launch="yes").launch_security)
        self.assertEqual(set(), self.facts().launch_security)
