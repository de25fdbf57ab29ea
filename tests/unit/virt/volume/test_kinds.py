"""storage V8, V9, V10, V13, V14, V16, G11: kinds that need no os-brick."""

import pathlib
import unittest
from unittest import mock

from nova import exception as nova_exception
from nova.privsep import fs
from os_brick import exception as brick_exception
from os_brick.initiator import connector
from oslo_concurrency import processutils

from nova_custom_driver import exception
from nova_custom_driver.spec import disk
from nova_custom_driver.virt.volume import path
from nova_custom_driver.virt.volume import rbd
from nova_custom_driver.virt.volume import registry
from nova_custom_driver.virt.volume import share
from tests.unit.imagebackend import factories as directories
from tests.unit.virt.volume import factories

CEPH = {"name": "volumes/volume-1", "hosts": ["192.0.2.7", "192.0.2.8"],
        "ports": ["6789", 6790]}


class RbdTest(unittest.TestCase):

    def source(self, settings=None, **data):
        kind = rbd.Rbd(factories.volume_settings(**(settings or {})))
        return kind.connect(
            factories.connection("rbd", **CEPH, **data)).source

    def test_an_image_and_its_monitors(self):
        self.assertEqual(
            disk.RbdSource(
                pool="volumes", image="volume-1",
                monitors=(("192.0.2.7", "6789"), ("192.0.2.8", "6790"))),
            self.source())

    def test_whose_key_is_used(self):
        ours = {"rbd_user": "nova", "rbd_secret_uuid": "s-nova"}
        for data, expected in (
                ({"auth_enabled": True, "auth_username": "cinder",
                  "secret_uuid": "s-cinder"}, ("cinder", "s-cinder")),
                ({"auth_enabled": True, "auth_username": "cinder",
                  "secret_uuid": None}, ("nova", "s-nova")),
                ({"auth_enabled": False}, ("nova", "s-nova"))):
            found = self.source(ours, **data)
            self.assertEqual(expected, (found.user, found.secret_uuid))

    def test_ceph_has_extended_it(self):
        kind = rbd.Rbd(factories.volume_settings())
        self.assertEqual(5, kind.extend({}, 5))


class PathTest(unittest.TestCase):

    def test_a_device_and_a_file(self):
        info = factories.connection("local", device_path="/dev/vg/v1")
        for kind, source in ((path.Device, disk.BlockSource),
                             (path.File, disk.FileSource)):
            found = kind(factories.volume_settings()).connect(info).source
            self.assertIsInstance(found, source)
            self.assertEqual(("/dev/vg/v1", "raw"),
                             (str(found.path), found.format))

    def test_cannot_be_extended(self):
        kind = path.Device(factories.volume_settings())
        with self.assertRaises(nova_exception.ExtendVolumeNotSupported):
            kind.extend(factories.connection("local"), 5)


class ShareTest(directories.DirectoryTestCase):

    def setUp(self):
        super().setUp()
        self.mount = self.enterContext(mock.patch.object(fs, "mount"))
        self.umount = self.enterContext(mock.patch.object(fs, "umount"))
        self.is_mount = self.enterContext(mock.patch.object(
            share.os.path, "ismount", return_value=False))
        self.info = factories.connection(
            "nfs", export="nas:/exports", name="volume-1",
            options="-o ro")

    def nfs(self, **settings):
        return share.Nfs(factories.volume_settings(
            nfs_directory=self.path, **settings))

    def directory(self):
        (found,) = self.path.iterdir()
        return found

    def test_mounted_once(self):
        found = self.nfs(nfs_options="vers=4").connect(self.info)
        self.mount.assert_called_once_with(
            "nfs", "nas:/exports", str(self.directory()),
            ["-o", "vers=4", "-o", "ro"])
        self.assertEqual(
            disk.FileSource(path=pathlib.PurePosixPath(
                self.directory() / "volume-1"), format="raw"), found.source)
        self.assertEqual("native", found.io)
        self.is_mount.return_value = True
        self.nfs().connect(self.info)
        self.mount.assert_called_once()

    def test_a_format_that_cinder_names(self):
        self.info["data"]["format"] = "qcow2"
        self.assertEqual("qcow2",
                         self.nfs().connect(self.info).source.format)

    def test_one_that_cannot_be_mounted(self):
        self.mount.side_effect = processutils.ProcessExecutionError(
            stderr="access denied")
        with self.assertRaisesRegex(exception.HostError,
                                    "nas:/exports.*access denied"):
            self.nfs().connect(self.info)
        self.assertEqual([], list(self.path.iterdir()))

    def test_unmounted_when_nobody_uses_it(self):
        self.nfs().connect(self.info)
        self.is_mount.return_value = True
        self.umount.side_effect = processutils.ProcessExecutionError(
            stderr="target is busy")
        self.nfs().disconnect(self.info, force=False)
        self.assertTrue(self.directory().exists())
        self.umount.side_effect = None
        self.nfs().disconnect(self.info, force=False)
        self.assertEqual([], list(self.path.iterdir()))
        self.is_mount.return_value = False
        self.nfs().disconnect(self.info, force=False)

    def test_windows_shares(self):
        kind = share.Smb(factories.volume_settings(smb_directory=self.path))
        found = kind.connect(self.info)
        self.assertEqual(("writeback", None), (found.cache, found.io))
        self.assertIn("username=guest", self.mount.call_args.args[3])
        with self.assertRaises(nova_exception.ExtendVolumeNotSupported):
            kind.extend(self.info, 5)


class RegistryTest(unittest.TestCase):

    def setUp(self):
        self.volumes = registry.Volumes(factories.volume_settings())

    def test_a_kind_is_made_once(self):
        self.assertIs(self.volumes.kind("rbd"), self.volumes.kind("rbd"))
        info = factories.connection("local", device_path="/dev/x")
        self.assertEqual(
            "/dev/x", str(self.volumes.connect(info).source.path))
        self.volumes.disconnect(info)
        with self.assertRaises(nova_exception.ExtendVolumeNotSupported):
            self.volumes.extend(info, 5)

    def test_one_that_nobody_has(self):
        with self.assertRaises(nova_exception.VolumeDriverNotFound):
            self.volumes.connect(factories.connection("warp"))

    def test_one_that_this_machine_lacks(self):
        with mock.patch.object(
                connector.InitiatorConnector, "factory",
                side_effect=brick_exception.InvalidConnectorProtocol("x")), \
                self.assertRaises(nova_exception.VolumeDriverNotSupported):
            self.volumes.kind("iscsi")

    def test_what_cinder_learns_of_this_host(self):
        """driver-contract M53."""
        with mock.patch.object(
                connector, "get_connector_properties",
                return_value={"host": "here"}) as get:
            self.assertEqual({"host": "here"}, self.volumes.connector())
        get.assert_called_once_with(
            "sudo", "192.0.2.1", False, enforce_multipath=False, host="here")
