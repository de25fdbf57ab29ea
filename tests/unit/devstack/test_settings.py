"""What the plugin says of tempest is what the driver can do."""

import pathlib
import tempfile
import unittest

from nova.virt import driver as nova_driver

from nova_custom_driver.virt import driver
from tests.unit.devstack import machine

# {tempest's [compute-feature-enabled]: the method that makes it work}
FEATURES = {
    "cold_migration": "migrate_disk_and_power_off",
    "interface_attach": "attach_interface",
    "live_migration": "live_migration",
    "rescue": "rescue",
    "resize": "migrate_disk_and_power_off",
    "shelve": "snapshot",
    "shelve_migrate": "snapshot",
    "snapshot": "snapshot",
    "stable_rescue": "rescue",
    "swap_volume": "swap_volume",
}
# What a method that is there refuses.
REFUSED = {"attach_encrypted_volume", "volume_multiattach"}


class TempestTest(unittest.TestCase):

    def test_what_is_off_is_what_the_driver_cannot_do(self):
        directory = self.enterContext(tempfile.TemporaryDirectory())
        off = machine.Machine(
            pathlib.Path(directory), machine.STAND_INS).shell(
            "run_phase source; echo $NOVA_CUSTOM_DRIVER_TEMPEST_OFF").split()
        missing = {
            feature for feature, method in FEATURES.items()
            if getattr(driver.CustomDriver, method)
            is getattr(nova_driver.ComputeDriver, method)}
        self.assertEqual(
            missing | REFUSED, set(off),
            "change NOVA_CUSTOM_DRIVER_TEMPEST_OFF in devstack/settings")
