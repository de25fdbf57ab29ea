"""Cinder's volumes, as block devices and files of this host."""

import pathlib

from nova.tests import fixtures as nova_fixtures
from oslo_utils import uuidutils

from nova_custom_driver.virt.xml import read
from tests.functional import base
from tests.functional import images
from tests.functional.services import loop

MIB = 1 << 20


class VolumesTestCase(base.ChainTestCase):

    def setUp(self):
        super().setUp()
        self.cinder.VOLUME_CONNECTION_INFO = dict(
            self.cinder.VOLUME_CONNECTION_INFO)

    def a_volume(self, size_bytes=32 * MIB, **data):
        """Return the id of a volume that is a block device."""
        device = self.useFixture(loop.Loop(size_bytes))
        volume_id = uuidutils.generate_uuid()
        self.lead(volume_id, device, **data)
        return volume_id

    def lead(self, volume_id, device, **data):
        self.cinder.VOLUME_CONNECTION_INFO[volume_id] = {
            "driver_volume_type": "local",
            "data": {"device_path": device.path, **data}}

    def a_guest(self, **fields):
        server = self.boot(
            self.images.add(images.DIRECTORY / "guest.qcow2", "qcow2"),
            **fields)
        self.console(server).wait_for("ready")
        return server

    def attach(self, server, volume_id):
        self.api.post_server_volume(server["id"], {
            "volumeAttachment": {"volumeId": volume_id}})
        self.wait_until(lambda: self.state(volume_id) == "in-use",
                        "the volume to be attached")

    def detach(self, server, volume_id):
        self.api.delete_server_volume(server["id"], volume_id)
        self.wait_until(lambda: not self.attached(server),
                        "the volume to be detached")

    def attached(self, server):
        return [each["volumeId"] for each
                in self.api.get_server_volumes(server["id"])]

    def state(self, volume_id):
        return self.cinder.volumes.get(volume_id, {}).get("status") or (
            "in-use" if self.cinder.volume_to_attachment.get(volume_id)
            else "available")

    def disks(self, server, **kind):
        """Return {serial number: target} of the domain's disks."""
        flags = 2 if kind.get("stored") else 0
        return {disk.serial: disk.target for disk
                in read.disks(self.domain(server).XMLDesc(flags))
                if disk.serial}


class AttachTest(VolumesTestCase):

    def test_to_a_running_guest_and_off_again(self):
        """driver-contract M53, M54, M55; storage V14, G1, G2, G3."""
        server = self.a_guest()
        volume_id = self.a_volume()
        self.attach(server, volume_id)
        self.wait_until(lambda: self.disks(server), "the disk")
        for stored in (False, True):
            self.assertEqual({volume_id: "vdb"},
                             self.disks(server, stored=stored))
        (disk,) = [disk for disk in read.disks(self.domain(server).XMLDesc())
                   if disk.serial]
        self.assertEqual(("block", f"ua-{volume_id}"),
                         (disk.kind, disk.alias))
        self.detach(server, volume_id)
        for stored in (False, True):
            self.assertEqual({}, self.disks(server, stored=stored))

    def test_to_a_guest_that_is_off_and_starts_with_it(self):
        """storage G2, G3, G8."""
        server = self.a_guest()
        self.act(server, "os-stop")
        server = self.wait_for_status(server, "SHUTOFF")
        volume_id = self.a_volume()
        self.attach(server, volume_id)
        self.wait_until(lambda: self.disks(server), "the disk")
        self.act(server, "os-start")
        server = self.wait_for_status(server, "ACTIVE")
        guest = self.console(server)
        guest.wait_for("ready")
        self.assertEqual(str(32 * MIB),
                         guest.fact("disk", name="vdb")["bytes"])
        self.act(server, "reboot", {"type": "HARD"})
        self.wait_until(
            lambda: len(self.console(server).facts("booted")) == 1,
            "the reboot")
        self.assertEqual({volume_id: "vdb"}, self.disks(server))

    def test_one_that_cannot_be_connected_is_not_attached(self):
        server = self.a_guest()
        volume_id = self.a_volume(encrypted=True)
        self.api.post_server_volume(server["id"], {
            "volumeAttachment": {"volumeId": volume_id}})
        self.wait_until(lambda: not self.attached(server), "the refusal")
        self.assertEqual({}, self.disks(server))


class BootTest(VolumesTestCase):

    def test_from_a_volume(self):
        """storage S5, V14; guest-config D24; driver-contract M26."""
        volume_id = nova_fixtures.CinderFixture.IMAGE_BACKED_VOL
        self.lead(volume_id, self.useFixture(loop.Loop(
            content=images.DIRECTORY / "guest.raw")))
        server = self.boot("", block_device_mapping_v2=[{
            "boot_index": 0, "uuid": volume_id, "source_type": "volume",
            "destination_type": "volume"}])
        guest = self.console(server)
        guest.wait_for("ready")
        size = pathlib.Path(images.DIRECTORY, "guest.raw").stat().st_size
        self.assertEqual(str(size),
                         guest.fact("disk", name="vda")["bytes"])
        self.assertFalse(
            (self.instances_path / server["id"] / "disk").exists())

    def test_with_one_beside_the_image(self):
        volume_id = self.a_volume()
        server = self.a_guest(block_device_mapping_v2=[
            {"boot_index": 0, "source_type": "image",
             "destination_type": "local", "uuid": self.images.add(
                 images.DIRECTORY / "guest.qcow2", "qcow2")},
            {"boot_index": -1, "uuid": volume_id, "source_type": "volume",
             "destination_type": "volume"}])
        self.assertEqual(str(32 * MIB), self.console(server).fact(
            "disk", name="vdb")["bytes"])
