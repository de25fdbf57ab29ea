"""Guests get other flavors, with their disks, and can go back."""

import base64
import subprocess

from nova import exception as nova_exception

from tests.functional import base
from tests.functional import images

STAMP = base64.b64encode(b"stamp=kept\n").decode()


class ResizeTest(base.ChainTestCase):

    options = {(None, "allow_resize_to_same_host"): True}

    def a_guest(self):
        """Return a server that has written on its disk."""
        server = self.boot(
            self.images.add(images.DIRECTORY / "guest.qcow2", "qcow2"),
            flavor_id=self.flavor(swap=32, ephemeral=1), user_data=STAMP,
            config_drive=True)
        self.console(server).wait_for("stamped")
        return server

    def resize(self, server, **flavor):
        self.act(server, "resize", {"flavorRef": self.flavor(**flavor)})
        return self.wait_for_status(server, "VERIFY_RESIZE")

    def seen(self, server):
        """Return {disk: bytes} as the guest sees them."""
        guest = self.console(server)
        guest.wait_for("ready")
        return {fact["name"]: int(fact["bytes"])
                for fact in guest.facts("disk")}

    def names(self, server):
        return {path.name for path in
                (self.instances_path / server["id"]).iterdir()}

    def test_a_larger_flavor(self):
        """driver-contract M76, M77, M78; storage Z1, Z3, Z5, Z6, B8, B10."""
        server = self.resize(self.a_guest(), vcpus=2, memory_mb=192, disk=2,
                             ephemeral=1, swap=64)
        seen = self.seen(server)
        self.assertEqual((2 << 30, 1 << 30, 64 << 20),
                         (seen["vda"], seen["vdb"], seen["vdc"]))
        guest = self.console(server)
        self.assertEqual("2", guest.fact("cpus")["count"])
        # Written in the last sector of the smaller disk, which stays there.
        self.assertIn(b"kept", self.sector(server, (1 << 30) - 512))
        self.act(server, "confirmResize")
        server = self.wait_for_status(server, "ACTIVE")
        self.assertEqual([], list(self.instances_path.glob("*_resize")))
        self.assertEqual(1, len(self.console(server).facts("booted")))

    def sector(self, server, offset):
        path = self.instances_path / server["id"] / "disk"
        found = subprocess.run(
            ["qemu-io", "-U", "-r", "-f", "qcow2", "-c",
             f"read -v {offset} 512", path], check=True, capture_output=True)
        return found.stdout

    def test_back_to_what_it_was(self):
        """driver-contract M79, M93a, M93b, M93c; storage Z7."""
        server = self.a_guest()
        names = self.names(server)
        server = self.resize(server, vcpus=2, memory_mb=192, disk=2,
                             ephemeral=1)
        self.seen(server)
        self.act(server, "revertResize")
        server = self.wait_for_status(server, "ACTIVE")
        seen = self.seen(server)
        self.assertEqual(1 << 30, seen["vda"])
        guest = self.console(server)
        self.assertEqual("kept", guest.fact("disk", name="vda")["stamp"])
        self.assertEqual("1", guest.fact("cpus")["count"])
        self.assertEqual(names, self.names(server))
        self.assertEqual([], list(self.instances_path.glob("*_resize")))

    def test_one_that_is_off_stays_off(self):
        """storage Z5."""
        server = self.a_guest()
        self.act(server, "os-stop")
        server = self.wait_for_status(server, "SHUTOFF")
        server = self.resize(server, memory_mb=192, disk=1, ephemeral=1)
        self.assertFalse(self.domain(server).isActive())
        self.act(server, "confirmResize")
        self.wait_for_status(server, "SHUTOFF")

    def test_a_smaller_disk_is_refused(self):
        """storage Z1."""
        server = self.a_guest()
        running = self.domain(server).ID()
        self.act(server, "resize", {
            "flavorRef": self.flavor(disk=1, ephemeral=0)})
        self.wait_until(lambda: self.api.get_server(server["id"])[
            "OS-EXT-STS:task_state"] is None, "the refusal")
        self.assertEqual("ACTIVE",
                         self.api.get_server(server["id"])["status"])
        self.assertEqual(running, self.domain(server).ID())

    def test_deleted_before_it_is_confirmed(self):
        server = self.resize(self.a_guest(), disk=2, ephemeral=1)
        self.delete(server)
        self.assertEqual([], self.leftovers())

    def test_a_failed_copy_leaves_the_guest_its_disks(self):
        """storage Z3."""
        server = self.a_guest()
        names = self.names(server)
        self.stub_out(
            "nova_custom_driver.imagebackend.instance_directory.copy",
            self.fail_to_copy)
        self.act(server, "resize", {
            "flavorRef": self.flavor(disk=2, ephemeral=1)})
        self.wait_until(
            lambda: (found := self.api.get_server(server["id"]))["status"]
            == "ERROR" and found["OS-EXT-STS:task_state"] is None,
            "the failure")
        self.assertEqual(names, self.names(server))
        self.act(server, "reboot", {"type": "HARD"})
        self.wait_until(lambda: self.api.get_server(server["id"])[
            "status"] == "ACTIVE", "the hard reboot")
        self.seen(server)
        self.assertEqual("kept", self.console(server).fact(
            "disk", name="vda")["stamp"])

    def fail_to_copy(self, path, directory):
        raise nova_exception.DiskNotFound(location=path)
