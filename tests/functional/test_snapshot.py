"""Images made of guests: what was on the disk is on the image."""

import base64
import json
import subprocess

from nova import exception as nova_exception

from tests.functional import base
from tests.functional import images


class SnapshotTestCase(base.ChainTestCase):

    def a_stamped_guest(self, **fields):
        """Return a server that has written on its disk."""
        server = self.boot(
            self.images.add(images.DIRECTORY / "guest.qcow2", "qcow2"),
            user_data=base64.b64encode(b"stamp=kept\n").decode(),
            config_drive=True, **fields)
        self.console(server).wait_for("stamped")
        return server

    def take(self, server):
        """Return the id of a new image of the server, once it is active."""
        self.act(server, "createImage", {"name": "kept"})
        self.wait_for_status(server, server["status"])
        (image_id,) = [
            image["id"] for image in self.glance.detail(None)
            if image["name"] == "kept"]
        self.assertEqual("active", self.glance.show(None, image_id)["status"])
        return image_id

    def assert_kept(self, image_id):
        """A guest of the image finds on its disk what was written."""
        guest = self.console(self.boot(image_id))
        guest.wait_for("ready")
        self.assertEqual("kept", guest.fact("disk", name="vda")["stamp"])

    def assert_did_not_boot_again(self, server):
        # libvirt empties the log when a saved guest goes on.
        self.assertEqual([], self.console(server).facts("booted"))

    def information(self, image_id):
        found = subprocess.run(
            ["qemu-img", "info", "--output=json", self.images.path(image_id)],
            check=True, capture_output=True)
        return json.loads(found.stdout)


class LiveSnapshotTest(SnapshotTestCase):

    def test_the_guest_runs_on(self):
        """driver-contract M64; storage N1, N2, N3, N5."""
        server = self.a_stamped_guest()
        running = self.domain(server).ID()
        image_id = self.take(server)
        self.assertEqual(running, self.domain(server).ID())
        self.assertTrue(self.domain(server).isPersistent())
        self.assertEqual(1, len(self.console(server).facts("booted")))
        record = self.glance.show(None, image_id)
        self.assertEqual("qcow2", record["disk_format"])
        found = self.information(image_id)
        self.assertEqual("qcow2", found["format"])
        self.assertNotIn("backing-filename", found)
        self.assert_kept(image_id)

    def test_a_paused_guest_stays_paused(self):
        """storage N2."""
        server = self.a_stamped_guest()
        self.act(server, "pause")
        server = self.wait_for_status(server, "PAUSED")
        image_id = self.take(server)
        self.act(server, "unpause")
        self.wait_for_status(server, "ACTIVE")
        self.assert_kept(image_id)

    def test_a_suspended_guest_goes_on_later(self):
        """storage N2."""
        server = self.a_stamped_guest()
        self.act(server, "suspend")
        server = self.wait_for_status(server, "SUSPENDED")
        image_id = self.take(server)
        self.act(server, "resume")
        self.wait_for_status(server, "ACTIVE")
        self.assert_did_not_boot_again(server)
        self.assert_kept(image_id)

    def test_an_image_deleted_meanwhile(self):
        """driver-contract M64."""
        server = self.a_stamped_guest()
        self.glance.update = self._gone
        self.act(server, "createImage", {"name": "kept"})
        self.wait_for_status(server, "ACTIVE")
        self.assertEqual([], list(
            self.instances_path.glob("snapshots/*")))
        self.assertIsNone(self.glance.images.get(self.taken))

    def _gone(self, context, image_id, metadata, data=None,
              purge_props=False):
        self.taken = image_id
        del self.glance.images[image_id]
        raise nova_exception.ImageNotFound(image_id=image_id)


class StoppedSnapshotTest(SnapshotTestCase):
    """storage N2: with live snapshots switched off."""

    options = {("workarounds", "disable_libvirt_livesnapshot"): True}

    def test_the_guest_goes_on_where_it_was(self):
        server = self.a_stamped_guest()
        image_id = self.take(server)
        self.assertTrue(self.domain(server).isActive())
        self.assert_did_not_boot_again(server)
        self.assert_kept(image_id)

    def test_of_a_guest_that_is_off(self):
        server = self.a_stamped_guest()
        self.act(server, "os-stop")
        server = self.wait_for_status(server, "SHUTOFF")
        image_id = self.take(server)
        self.assertFalse(self.domain(server).isActive())
        self.assert_kept(image_id)


class CompressedSnapshotTest(SnapshotTestCase):
    """storage N1, N5."""

    options = {("libvirt", "snapshot_compression"): True,
               ("libvirt", "images_type"): "raw",
               ("libvirt", "snapshot_image_format"): "qcow2"}

    def test_is_smaller(self):
        server = self.a_stamped_guest()
        image_id = self.take(server)
        self.assertEqual("qcow2", self.information(image_id)["format"])
        self.assertLess(
            self.images.path(image_id).stat().st_size,
            (images.DIRECTORY / "guest.qcow2").stat().st_size)
        self.assert_kept(image_id)
