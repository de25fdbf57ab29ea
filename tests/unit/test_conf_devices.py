"""placement-reporting R6: options of mediated devices."""

import pathlib
import tempfile
import unittest
from unittest import mock

from nova import exception as nova_exception
from nova.conf import devices as nova_devices
from oslo_config import cfg

from nova_custom_driver import conf_devices
from nova_custom_driver.spec import settings


class MdevSettingsTest(unittest.TestCase):

    def settings(self, text):
        directory = pathlib.Path(self.enterContext(
            tempfile.TemporaryDirectory()))
        (directory / "nova.conf").write_text(text)
        conf = cfg.ConfigOpts()
        nova_devices.register_opts(conf)
        conf([], default_config_files=[str(directory / "nova.conf")])
        return conf_devices.mdev_settings(conf)

    def test_none(self):
        self.assertEqual(settings.MdevSettings(), self.settings(""))

    def test_types_and_their_devices(self):
        found = self.settings("""
            [devices]
            enabled_mdev_types = nvidia-35, nvidia-36
            [mdev_nvidia-35]
            [mdev_nvidia-36]
            device_addresses = 0000:84:00.0, 0000:85:00.0
            mdev_class = CUSTOM_BIG
            max_instances = 4
            """.replace("            ", ""))
        self.assertEqual(settings.MdevSettings(
            types={"nvidia-35": settings.MdevType(),
                   "nvidia-36": settings.MdevType(
                       resource_class="CUSTOM_BIG", max_instances=4)},
            devices={"0000:84:00.0": "nvidia-36",
                     "0000:85:00.0": "nvidia-36"},
            default="nvidia-35"), found)
        self.assertEqual(
            ["nvidia-36", "nvidia-35", None], [
                found.type_of(name) for name in (
                    "pci_0000_84_00_0", "pci_0000_86_00_0", "mtty_mtty")])
        self.assertEqual("CUSTOM_BIG", found.class_of("pci_0000_84_00_0"))

    def test_two_without_devices(self):
        """The second one is left out, and said to be."""
        with self.assertLogs(conf_devices.LOG.logger, "WARNING"):
            found = self.settings("[devices]\nenabled_mdev_types = a, b\n")
        self.assertEqual(({"a"}, "a"), (set(found.types), found.default))

    def test_a_device_of_two_types(self):
        with self.assertRaisesRegex(
                nova_exception.InvalidLibvirtMdevConfig, "a is made of it"):
            self.settings("[devices]\nenabled_mdev_types = a, b\n"
                          "[mdev_a]\ndevice_addresses = 0000:84:00.0\n"
                          "[mdev_b]\ndevice_addresses = 0000:84:00.0\n")

    def test_what_is_no_device(self):
        text = ("[devices]\nenabled_mdev_types = mtty-2\n"
                "[mdev_mtty-2]\ndevice_addresses = mtty_mtty\n")
        root = pathlib.Path(self.enterContext(
            tempfile.TemporaryDirectory()))
        self.enterContext(mock.patch.object(conf_devices, "VIRTUAL", root))
        with self.assertRaisesRegex(
                nova_exception.InvalidLibvirtMdevConfig, "mtty_mtty"):
            self.settings(text)
        (root / "mtty/mtty").mkdir(parents=True)
        self.assertEqual({"mtty_mtty": "mtty-2"},
                         self.settings(text).devices)


class PmemLabelsTest(unittest.TestCase):
    """placement-reporting R5; driver-contract S11."""

    def labels(self, *entries):
        return conf_devices.pmem_labels(mock.Mock(
            libvirt=mock.Mock(pmem_namespaces=list(entries))))

    def test_labels(self):
        self.assertEqual({}, self.labels())
        self.assertEqual(
            {"small": ("a", "b", "d"), "large": ("c",)},
            self.labels("small:a|b", "large:c", "small:d"))

    def test_what_cannot_be_read(self):
        for entries in (("small",), ("small:a|b", "large:b")):
            with self.assertRaises(
                    nova_exception.PMEMNamespaceConfigInvalid):
                self.labels(*entries)
