"""Guests boot, and what they see is what was asked for."""

import base64

from nova_custom_driver.virt.xml import read
from tests.functional import base
from tests.functional import images


class SpawnTest(base.ChainTestCase):

    def test_a_guest_boots(self):
        """storage F1, B2, C1, C9; guest-config B3, B4, B6;
        driver-contract M26.
        """
        server = self.boot(self.images.add(
            images.DIRECTORY / "guest.qcow2", "qcow2"))
        guest = self.console(server)
        guest.wait_for("ready")
        self.assertEqual(str(1 << 30),
                         guest.fact("disk", name="vda")["bytes"])
        self.assertEqual("bios", guest.fact("firmware").text)
        self.assertEqual("1", guest.fact("cpus")["count"])
        dmi = guest.fact("dmi")
        self.assertEqual(server["id"], dmi["uuid"])
        self.assertEqual(server["id"], dmi["serial"])
        self.assertEqual([], guest.facts("nic"))
        self.assertTrue(guest.fact("rng")["name"].startswith("virtio_rng"))
        self.delete(server)
        self.assertEqual([], self.leftovers())


class DisksTest(base.ChainTestCase):

    def test_ephemeral_and_swap(self):
        """storage F3, F4, C3, C4, C5, B10."""
        server = self.boot(
            self.images.add(images.DIRECTORY / "guest.raw", "raw"),
            flavor_id=self.flavor(ephemeral=1, swap=64))
        guest = self.console(server)
        guest.wait_for("ready")
        ephemeral = guest.fact("disk", name="vdb")
        self.assertEqual(str(1 << 30), ephemeral["bytes"])
        self.assertEqual("ephemeral0", ephemeral["label"])
        swap = guest.fact("disk", name="vdc")
        self.assertEqual(str(64 << 20), swap["bytes"])
        self.assertEqual("swap", swap["type"])


class RawDisksTest(DisksTest):
    """storage B1."""

    options = {("libvirt", "images_type"): "raw"}

    def test_needs_no_base(self):
        server = self.boot(self.images.add(
            images.DIRECTORY / "guest.qcow2", "qcow2"))
        disk = self.instances_path / server["id"] / "disk"
        self.assertEqual(1 << 30, disk.stat().st_size)
        self.console(server).wait_for("ready")


class FlatDisksTest(base.ChainTestCase):
    """storage B1: the other name of raw."""

    options = {("libvirt", "images_type"): "flat"}

    def test_is_raw(self):
        server = self.boot(self.images.add(
            images.DIRECTORY / "guest.raw", "raw"))
        (disk,) = read.disks(self.domain(server).XMLDesc())
        self.assertEqual("raw", disk.format)


class ConfigDriveTest(base.ChainTestCase):
    """storage D1-D3; guest-config J3."""

    device = "/dev/sr0"

    def test_holds_what_the_user_gave(self):
        self.api.post_keypair({"keypair": {
            "name": "key", "type": "ssh", "public_key": PUBLIC_KEY}})
        data = b"#!/bin/sh\necho hello\n"
        with self._api_of("2.1") as api:
            server = self.wait_for_status(self.post(
                self.images.add(images.DIRECTORY / "guest.raw", "raw"),
                networks=[], api=api, config_drive=True, key_name="key",
                user_data=base64.b64encode(data).decode(),
                metadata={"colour": "blue"},
                personality=[{
                    "path": "/etc/motd",
                    "contents": base64.b64encode(b"welcome").decode()}]),
                "ACTIVE")
        guest = self.console(server)
        guest.wait_for("ready")
        self.assertEqual(self.device, guest.fact("config-drive")["device"])
        self.assertEqual(data, guest.user_data())
        found = guest.json("meta_data.json")
        self.assertEqual(server["id"], found["uuid"])
        self.assertEqual({"colour": "blue"}, found["meta"])
        self.assertEqual({"key": PUBLIC_KEY}, found["public_keys"])
        self.assertEqual("/etc/motd", found["files"][0]["path"])
        injected = guest.fact("injected")
        self.assertEqual(b"welcome", base64.b64decode(injected["base64"]))

    def _api_of(self, microversion):
        return base.microversion(self.api, microversion)


class VfatConfigDriveTest(ConfigDriveTest):

    options = {(None, "config_drive_format"): "vfat"}
    device = "/dev/vdb"


PUBLIC_KEY = (
    "ssh-ed25519 "
    "AAAAC3NzaC1lZDI1NTE5AAAAIOMqqnkVzrm0SdG6UOoqKLsabgH5C9okWi0dh2l9GKJl "
    "test")
