"""The life of a guest after it was made."""

import base64
import time

from nova_custom_driver.virt.xml import read
from tests.functional import base
from tests.functional import images


class LifeTest(base.ChainTestCase):

    def setUp(self):
        super().setUp()
        self.image = self.images.add(
            images.DIRECTORY / "guest.raw", "raw")

    def booted(self, **fields):
        """Return a server whose guest is up."""
        server = self.boot(self.image, **fields)
        self.console(server).wait_for("ready")
        return server

    def test_stop_presses_the_power_button(self):
        """driver-contract M31, M32; E1."""
        server = self.booted()
        self.act(server, "os-stop")
        self.wait_for_status(server, "SHUTOFF")
        self.assertTrue(self.console(server).facts("power-button"))
        self.assertFalse(self.domain(server).isActive())
        self.act(server, "os-start")
        self.wait_for_status(server, "ACTIVE")
        # libvirt begins a new log at each start.
        self.console(server).wait_for("ready")
        self.assertEqual([], self.console(server).facts("power-button"))

    def test_a_deaf_guest_is_switched_off_in_time(self):
        """driver-contract M31: shutdown_timeout, then hard."""
        self.flags(shutdown_timeout=4)
        server = self.booted(config_drive=True, user_data=base64.b64encode(
            b"ignore-power-button\n").decode())
        began = time.monotonic()
        self.act(server, "os-stop")
        self.wait_for_status(server, "SHUTOFF")
        self.assertGreater(time.monotonic() - began, 4)
        self.assertTrue(self.console(server).facts("power-button"))
        self.assertEqual([], self.console(server).facts("power-off"))

    def test_reboots(self):
        """driver-contract M30."""
        server = self.booted()
        number = self.domain(server).ID()
        self.act(server, "reboot", {"type": "SOFT"})
        self.wait_for_status(server, "ACTIVE")
        self.assertGreater(self.domain(server).ID(), number)
        self.console(server).wait_for("ready")
        number = self.domain(server).ID()
        self.act(server, "reboot", {"type": "HARD"})
        self.wait_for_status(server, "ACTIVE")
        self.assertGreater(self.domain(server).ID(), number)
        self.console(server).wait_for("ready")

    def test_pause_and_suspend(self):
        """driver-contract M33a, M33b, M34, M35."""
        server = self.booted()
        self.act(server, "pause")
        self.wait_for_status(server, "PAUSED")
        guest = self.console(server)
        before = len(guest.facts("alive"))
        time.sleep(2.5)
        self.assertLessEqual(len(guest.facts("alive")), before + 1)
        self.act(server, "unpause")
        self.wait_for_status(server, "ACTIVE")
        guest.wait_for("alive", count=before + 2)
        self.act(server, "suspend")
        self.wait_for_status(server, "SUSPENDED")
        self.assertFalse(self.domain(server).isActive())
        self.act(server, "resume")
        self.wait_for_status(server, "ACTIVE")
        self.console(server).wait_for("alive")
        # It went on; it did not boot again.
        self.assertEqual([], self.console(server).facts("booted"))

    def test_a_guest_that_powers_off_is_seen_by_its_event(self):
        """driver-contract E1, M5; without the 15 s of E4."""
        server = self.booted(config_drive=True, user_data=base64.b64encode(
            b"power-off-after=1\n").decode())
        began = time.monotonic()
        self.wait_for_status(server, "SHUTOFF")
        self.assertLess(time.monotonic() - began, 10)

    def test_consoles_and_diagnostics(self):
        """driver-contract M44, M45, M46, M49, M50."""
        server = self.booted()
        output = self.api.api_post(
            f"/servers/{server['id']}/action",
            {"os-getConsoleOutput": {}}).body["output"]
        self.assertIn("NCD-GUEST ready", output)
        found = self.api.api_post(
            f"/servers/{server['id']}/remote-consoles",
            {"remote_console": {"protocol": "vnc", "type": "novnc"}})
        self.assertIn("token", found.body["remote_console"]["url"])
        diagnostics = self.api.api_get(
            f"/servers/{server['id']}/diagnostics").body
        self.assertEqual("libvirt", diagnostics["driver"])
        self.assertEqual("running", diagnostics["state"])
        self.assertEqual(128, diagnostics["memory_details"]["maximum"])
        self.assertGreater(diagnostics["cpu_details"][0]["time"], 0)
        self.assertGreater(
            diagnostics["disk_details"][0]["read_bytes"], 0)
        with base.microversion(self.api, "2.1"):
            flat = self.api.api_get(
                f"/servers/{server['id']}/diagnostics").body
        self.assertGreater(flat["vda_read"], 0)
        self.assertEqual(128 << 10, flat["memory"])

    def test_the_service_comes_back_to_running_guests(self):
        """driver-contract M1, M2, M3, M36."""
        server = self.booted()
        number = self.domain(server).ID()
        self.compute = self.restart_compute_service(self.compute)
        self.assertEqual(number, self.domain(server).ID())
        self.act(server, "os-stop")
        self.wait_for_status(server, "SHUTOFF")
        # The new service is stopped before other things are cleaned up.
        self.delete(server)

    def test_deleting_what_is_gone_already(self):
        """driver-contract M16, M17, M28."""
        server = self.boot(self.image)
        domain = self.domain(server)
        self.assertIn(domain.name(), self.driver.list_instances())
        self.assertIn(server["id"], self.driver.list_instance_uuids())
        domain.destroy()
        domain.undefine()
        self.assertNotIn(server["id"], self.driver.list_instance_uuids())
        self.assertEqual([], [name for name in self.driver.list_instances()
                              if name.startswith(base.PREFIX)])
        self.delete(server)
        self.assertEqual([], self.leftovers())

    def test_registered_defaults(self):
        """driver-contract X12: the image_hw_* keys of section 5."""
        server = self.boot(self.image)
        instance = self.instance(server)
        self.assertEqual("pc", instance.system_metadata[
            "image_hw_machine_type"])
        self.assertEqual("virtio", instance.system_metadata[
            "image_hw_disk_bus"])
        self.assertEqual("usbtablet", instance.system_metadata[
            "image_hw_pointer_model"])


class MachinesTest(base.ChainTestCase):

    def test_uefi_on_q35_keeps_its_variables(self):
        """guest-config F1, F2, F5, D2."""
        image = self.images.add(
            images.DIRECTORY / "guest.qcow2", "qcow2",
            hw_machine_type="q35", hw_firmware_type="uefi")
        server = self.boot(image, config_drive=True,
                           flavor_id=self.flavor(memory_mb=256))
        guest = self.console(server)
        guest.wait_for("ready")
        self.assertEqual("uefi", guest.fact("firmware").text)
        # Debian's cloud kernel has no driver for q35's SATA.
        disks = {disk.target: disk for disk
                 in read.disks(self.domain(server).XMLDesc())}
        self.assertEqual(("sata", "cdrom"),
                         (disks["sda"].bus, disks["sda"].device))
        before = self.firmware(server)
        self.act(server, "reboot", {"type": "HARD"})
        self.wait_for_status(server, "ACTIVE")
        self.console(server).wait_for("ready")
        self.assertEqual(before, self.firmware(server))

    def test_secure_boot(self):
        """guest-config F3, F5."""
        image = self.images.add(
            images.DIRECTORY / "guest.qcow2", "qcow2", hw_machine_type="q35",
            hw_firmware_type="uefi", os_secure_boot="required")
        server = self.boot(image, flavor_id=self.flavor(memory_mb=256))
        before = self.firmware(server)
        self.assertTrue(before.loader_secure)
        self.act(server, "reboot", {"type": "HARD"})
        self.wait_for_status(server, "ACTIVE")
        self.assertEqual(before, self.firmware(server))

    def firmware(self, server):
        return read.firmware_record(self.domain(server).XMLDesc())

    def test_kernel_and_ramdisk(self):
        """guest-config B12, B13; storage F7."""
        kernel = self.images.add(images.DIRECTORY / "vmlinuz", "aki",
                                 container_format="aki")
        ramdisk = self.images.add(images.DIRECTORY / "initrd.gz", "ari",
                                  container_format="ari")
        image = self.images.add(images.DIRECTORY / "guest.raw", "raw",
                                kernel_id=kernel, ramdisk_id=ramdisk)
        server = self.boot(image)
        guest = self.console(server)
        guest.wait_for("ready")
        self.assertIn("root=/dev/vda", guest.fact("cmdline").text)
        self.assertIn("no_timer_check", guest.fact("cmdline").text)

    def test_scsi_disks_on_q35(self):
        """guest-config D1, D2, D6."""
        image = self.images.add(
            images.DIRECTORY / "guest.qcow2", "qcow2", hw_machine_type="q35",
            hw_disk_bus="scsi", hw_cdrom_bus="scsi",
            hw_scsi_model="virtio-scsi")
        guest = self.console(self.boot(
            image, config_drive=True, flavor_id=self.flavor(swap=64)))
        guest.wait_for("ready")
        # Linux scans SCSI disks in any order.
        self.assertIn(str(64 << 20),
                      [disk["bytes"] for disk in guest.facts("disk")])
        self.assertEqual("/dev/sr0", guest.fact("config-drive")["device"])

    def test_agent_watchdog_and_tag(self):
        """guest-config S5, S9; network T1."""
        image = self.images.add(
            images.DIRECTORY / "guest.raw", "raw", hw_qemu_guest_agent="yes",
            hw_watchdog_action="reset")
        network = self.neutron.network_1["id"]
        server = self.boot(
            image, config_drive=True,
            networks=[{"uuid": network, "tag": "front"}],
            block_device_mapping_v2=[{
                "uuid": image, "source_type": "image",
                "destination_type": "local", "boot_index": 0,
                "delete_on_termination": True, "tag": "system"}])
        guest = self.console(server)
        guest.wait_for("ready")
        # Debian's cloud kernel has no driver for it, but sees the i6300ESB.
        self.assertTrue(guest.fact("pci", id="8086:25ab"))
        self.assertEqual("org.qemu.guest_agent.0", guest.fact("port")["name"])
        devices = {device["tags"][0]: device for device
                   in guest.json("meta_data.json")["devices"]}
        nic = guest.fact("nic")
        self.assertEqual(nic["mac"], devices["front"]["mac"])
        self.assertIn(devices["front"]["address"], nic["pci"])
        disk = guest.fact("disk", name="vda")
        self.assertIn(devices["system"]["address"], disk["pci"])
        network_data = guest.json("network_data.json")
        self.assertEqual(nic["mac"],
                         network_data["links"][0]["ethernet_mac_address"])
