"""Nova's options as the rooms receive them."""

import pathlib
import unittest

import nova.conf

from nova_custom_driver import conf
from nova_custom_driver import exception
from nova_custom_driver.spec import device
from tools.trace import load

CONF = nova.conf.CONF
# (option of [libvirt], value, setting of guests, what it is, rows)
GUESTS = (
    ("virt_type", "qemu", "virt_type", "qemu", "guest-config B1, O4"),
    ("cpu_mode", "none", "cpu_mode", "none", "guest-config C1, O27"),
    ("cpu_models", ["Nehalem", "Haswell"], "cpu_models",
     ("Nehalem", "Haswell"), "guest-config C2, O28"),
    ("cpu_model_extra_flags", ["+PCID", "-mtrr", "ssbd"], "cpu_extra_flags",
     ("+pcid", "-mtrr", "ssbd"), "guest-config C3, O29"),
    ("disk_prefix", "sd", "disk_prefix", "sd", "guest-config O25"),
    ("hw_disk_discard", "unmap", "discard", "unmap", "guest-config D10, O55"),
    ("rng_dev_path", "/dev/hwrng", "rng_device",
     pathlib.PurePosixPath("/dev/hwrng"), "guest-config O32"),
    ("hw_machine_type", ["x86_64=q35", " aarch64 = virt"], "machine_types",
     {"x86_64": "q35", "aarch64": "virt"}, "guest-config F1, O33"),
    ("sysinfo_serial", "hardware", "sysinfo_serial", "hardware",
     "guest-config O34"),
    ("mem_stats_period_seconds", 0, "memory_stats_period_seconds", 0,
     "guest-config O35"),
    ("enabled_perf_events", ["cmt"], "perf_events", ("cmt",),
     "guest-config O39"),
    ("num_pcie_ports", 9, "num_pcie_ports", 9, "guest-config O40"),
    ("tb_cache_size", 64, "tb_cache_mib", 64, "guest-config C20, O44"),
    ("use_virtio_for_bridges", False, "use_virtio_for_bridges", False,
     "guest-config I2, O61"),
    ("rx_queue_size", 512, "rx_queue_size", 512, "guest-config O90"),
    ("tx_queue_size", 1024, "tx_queue_size", 1024, "guest-config O91"),
    ("max_queues", 4, "max_queues", 4, "guest-config I4, O92"),
)
CACHE_MODES = ["file=unsafe", "block=none", "tape=none", "file=fast"]
# (options of [libvirt], the one that is named)
REFUSED = (
    ({"virt_type": "lxc"}, "[libvirt]virt_type"),
    ({"virt_type": "parallels"}, "[libvirt]virt_type"),
    ({"inject_partition": -1}, "[libvirt]inject_partition"),
    ({"cpu_mode": "custom"}, "[libvirt]cpu_mode"),
    ({"cpu_models": ["Nehalem"]}, "[libvirt]cpu_models"),
    ({"cpu_mode": "none", "cpu_models": ["Nehalem"]}, "[libvirt]cpu_models"),
)


class ConfTest(unittest.TestCase):

    def setUp(self):
        CONF([], project="nova", default_config_files=[])
        conf.register(CONF)

    def given(self, group, **options):
        for name, value in options.items():
            CONF.set_override(name, value, group)
            self.addCleanup(CONF.clear_override, name, group)


class GuestSettingsTest(ConfTest):

    def settings(self, *, direct_io=True, **options):
        self.given("libvirt", **options)
        return conf.guest_settings(CONF, direct_io=direct_io)

    def test_options(self):
        for option, value, setting, expected, _rows in GUESTS:
            with self.subTest(option):
                self.assertEqual(expected, getattr(
                    self.settings(**{option: value}), setting))

    def test_defaults_are_nova_s(self):
        """guest-config C1, D10, I5, B6."""
        settings = self.settings()
        self.assertEqual(
            ("kvm", None, (), (), {}, "unique", None, {}, None, None),
            (settings.virt_type, settings.cpu_mode, settings.cpu_models,
             settings.cpu_extra_flags, settings.machine_types,
             settings.sysinfo_serial, settings.disk_prefix,
             settings.cache_modes, settings.rx_queue_size,
             settings.tx_queue_size))

    def test_a_machine_type_without_its_architecture(self):
        """guest-config O33."""
        with self.assertRaisesRegex(exception.UnsupportedConfiguration,
                                    "hw_machine_type=q35"):
            self.settings(hw_machine_type=["q35"])

    def test_cache_modes(self):
        """guest-config D9, O31: what cannot be read is passed over."""
        with self.assertLogs(conf.LOG.logger, "WARNING") as logged:
            settings = self.settings(disk_cachemodes=CACHE_MODES)
        self.assertEqual({"file": "unsafe", "block": "none"},
                         settings.cache_modes)
        self.assertEqual(2, len(logged.output))

    def test_a_cache_for_storage_that_is_not_written_directly(self):
        """guest-config D9."""
        self.assertEqual("none", self.settings().default_cache)
        self.assertEqual("writeback",
                         self.settings(direct_io=False).default_cache)

    def test_disks(self):
        """guest-config D8, D11."""
        self.given("compute", max_disk_devices_to_attach=7)
        self.given(None, preallocate_images="space")
        settings = self.settings()
        self.assertEqual((7, True),
                         (settings.max_disk_devices, settings.native_io))

    def test_apic(self):
        """guest-config C23."""
        self.given("workarounds", libvirt_disable_apic=True)
        self.assertTrue(self.settings().disable_apic)

    def test_pointer(self):
        """guest-config G6."""
        self.given(None, pointer_model="ps2mouse")
        self.assertEqual("ps2mouse", self.settings().pointer_model)

    def test_vnc(self):
        """guest-config G3."""
        self.given("vnc", enabled=True, server_listen="192.0.2.1")
        self.assertEqual(device.Vnc(listen="192.0.2.1"), self.settings().vnc)
        self.given("vnc", enabled=False)
        self.assertIsNone(self.settings().vnc)

    def test_spice(self):
        """guest-config G4."""
        self.assertIsNone(self.settings().spice)
        self.given("spice", enabled=True, agent_enabled=False,
                   server_listen="192.0.2.1", image_compression="auto_lz",
                   jpeg_compression="always", zlib_compression="never",
                   playback_compression=False, streaming_mode="all",
                   require_secure=True)
        settings = self.settings()
        self.assertEqual(device.Spice(
            listen="192.0.2.1", image_compression="auto_lz",
            jpeg_compression="always", zlib_compression="never",
            playback_compression=False, streaming_mode="all", secure=True),
            settings.spice)
        self.assertFalse(settings.spice_agent)

    def test_serial_console(self):
        """guest-config S1."""
        self.given("serial_console", enabled=True,
                   proxyclient_address="192.0.2.1")
        settings = self.settings()
        self.assertEqual(
            (True, "192.0.2.1"),
            (settings.serial_console, settings.serial_console_host))


class OtherSettingsTest(ConfTest):

    def test_connection(self):
        """guest-config O5."""
        self.assertEqual("qemu:///system", conf.host_settings(CONF).uri)
        self.given("libvirt", connection_uri="test:///default")
        self.given("custom_driver", libvirt_call_timeout=7)
        settings = conf.host_settings(CONF)
        self.assertEqual(("test:///default", 7),
                         (settings.uri, settings.call_timeout_seconds))

    def test_images_type(self):
        """guest-config O47: "default" is what use_cow_images says."""
        for given, cow, expected in (
                ("default", True, "qcow2"), ("default", False, "raw"),
                ("flat", True, "raw"), ("raw", True, "raw"),
                ("qcow2", False, "qcow2")):
            with self.subTest(given, cow=cow):
                self.given("libvirt", images_type=given)
                self.given(None, use_cow_images=cow)
                self.assertEqual(expected,
                                 conf.disk_settings(CONF).images_type)

    def test_limits_of_qemu_img(self):
        """guest-config O56, O57."""
        self.given("libvirt", images_cpu_time_limit=9,
                   images_address_space_limit=3)
        settings = conf.disk_settings(CONF)
        self.assertEqual((9, 3 << 30), (
            settings.cpu_time_limit_seconds,
            settings.address_space_limit_bytes))

    def test_snapshots(self):
        """guest-config O22, O30, O60."""
        self.given("libvirt", snapshot_image_format="raw",
                   snapshots_directory="/var/tmp/s", snapshot_compression=True)
        settings = conf.disk_settings(CONF)
        self.assertEqual(("raw", pathlib.Path("/var/tmp/s"), True), (
            settings.snapshot_format, settings.snapshots_directory,
            settings.snapshot_compression))

    def test_rescue(self):
        """guest-config J4, O1, O2, O3."""
        self.given("libvirt", rescue_image_id="i", rescue_kernel_id="k",
                   rescue_ramdisk_id="r")
        settings = conf.disk_settings(CONF)
        self.assertEqual(("i", "k", "r"), (
            settings.rescue_image_id, settings.rescue_kernel_id,
            settings.rescue_ramdisk_id))

    def test_neutron_is_waited_for(self):
        """network W4, W11."""
        settings = conf.network_settings(CONF)
        self.assertEqual((300, True, frozenset()), (
            settings.plug_timeout_seconds, settings.plug_is_fatal,
            settings.reboot_waits_for))
        self.given("workarounds",
                   wait_for_vif_plugged_event_during_hard_reboot=["normal"])
        self.assertEqual({"normal"},
                         conf.network_settings(CONF).reboot_waits_for)


class CheckTest(ConfTest):

    def test_the_defaults_are_fine(self):
        conf.check(CONF)

    def test_what_cannot_be_honoured_is_named(self):
        """driver-contract S5; guest-config B1, C1, C2."""
        for options, name in REFUSED:
            with self.subTest(options):
                self.given("libvirt", **options)
                with self.assertRaises(
                        exception.UnsupportedConfiguration) as caught:
                    conf.check(CONF)
                self.assertIn(name, str(caught.exception))
                self.doCleanups()

    def test_no_option_of_nova_s_is_unknown_to_the_tables(self):
        """driver-contract X17."""
        named = {row.item for key, row in load.load().rows.items()
                 if key.table == "guest-config" and key.row.startswith("O")}
        self.assertEqual(set(CONF.libvirt.keys()), named)
