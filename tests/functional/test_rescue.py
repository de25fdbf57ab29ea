"""A guest is rescued by another image, and comes back."""

import base64

from tests.functional import base
from tests.functional import images

STAMP = base64.b64encode(b"stamp=mended\n").decode()


class RescueTest(base.ChainTestCase):

    def a_guest(self, **properties):
        """Return (server whose disk is stamped, id of a rescue image)."""
        server = self.boot(
            self.images.add(images.DIRECTORY / "guest.qcow2", "qcow2"),
            user_data=STAMP, config_drive=True)
        self.console(server).wait_for("stamped")
        return server, self.images.add(
            images.DIRECTORY / "guest.raw", "raw", **properties)

    def rescue(self, server, image_id):
        self.act(server, "rescue", {"rescue_image_ref": image_id,
                                    "adminPass": "pass-word"})
        server = self.wait_for_status(server, "RESCUE")
        guest = self.console(server)
        guest.wait_for("ready")
        return server, guest

    def unrescue(self, server):
        self.act(server, "unrescue")
        server = self.wait_for_status(server, "ACTIVE")
        self.console(server).wait_for("ready")
        return server, self.console(server)

    def assert_nothing_of_it_is_left(self, server):
        names = {path.name for path in
                 (self.instances_path / server["id"]).iterdir()}
        self.assertEqual({"disk", "disk.config", "disk.info", "console.log"},
                         names)
        self.assertNotIn("rescue", (
            self.instances_path / server["id"] / "disk.info").read_text())

    def test_the_rescue_image_comes_first(self):
        """driver-contract M40, M41; storage R1, R4, R5, D4, F6."""
        server, image_id = self.a_guest()
        server, guest = self.rescue(server, image_id)
        # The rescue image's guest has stamped its own disk, which is vda.
        size = (images.DIRECTORY / "guest.raw").stat().st_size
        self.assertEqual(str(size), guest.fact("disk", name="vda")["bytes"])
        self.assertEqual("mended", guest.fact("disk", name="vdb")["stamp"])
        (data,) = [fact for fact in guest.facts("config-drive-json")
                   if fact["name"] == "meta_data.json"]
        self.assertIn("pass-word", data.text)
        server, guest = self.unrescue(server)
        self.assertEqual(str(1 << 30),
                         guest.fact("disk", name="vda")["bytes"])
        self.assertEqual("mended", guest.fact("disk", name="vda")["stamp"])
        self.assertEqual([], [
            fact for fact in guest.facts("disk") if fact["name"] == "vdb"])
        self.assert_nothing_of_it_is_left(server)

    def test_a_stable_rescue_leaves_the_disks_in_place(self):
        """storage R2."""
        server, image_id = self.a_guest(
            hw_rescue_device="disk", hw_rescue_bus="virtio")
        server, guest = self.rescue(server, image_id)
        self.assertEqual(str(1 << 30),
                         guest.fact("disk", name="vda")["bytes"])
        self.assertEqual("mended", guest.fact("disk", name="vda")["stamp"])
        self.assertIn('<boot order="1"/>',
                      self.domain(server).XMLDesc().replace("'", '"'))
        server, guest = self.unrescue(server)
        self.assertEqual("mended", guest.fact("disk", name="vda")["stamp"])
        self.assert_nothing_of_it_is_left(server)

    def test_a_rescue_that_fails_leaves_the_guest_as_it_was(self):
        server, image_id = self.a_guest(
            hw_rescue_device="disk", hw_rescue_bus="xen")
        self.act(server, "rescue", {"rescue_image_ref": image_id})
        server = self.wait_for_status(server, "ERROR")
        self.assert_nothing_of_it_is_left(server)
        self.act(server, "reboot", {"type": "HARD"})
        self.wait_until(
            lambda: self.api.get_server(server["id"])["status"] == "ACTIVE",
            "the hard reboot")
        self.console(server).wait_for("ready")
