"""storage V1-V7, G2-G5: what os-brick is told, and what it answers.

The answers are those its connectors give, recorded from their code.
"""

import pathlib
import unittest
from unittest import mock

from nova import exception as nova_exception
from os_brick import exception as brick_exception
from os_brick.initiator import connector

from nova_custom_driver import exception
from nova_custom_driver.spec import disk
from nova_custom_driver.virt.volume import brick
from tests.unit.virt.volume import factories

PATH = "/dev/disk/by-path/ip-192.0.2.9:3260-iscsi-iqn.2010-10.org:v1-lun-1"


class BrickTestCase(unittest.TestCase):

    def setUp(self):
        self.factory = self.enterContext(mock.patch.object(
            connector.InitiatorConnector, "factory"))
        self.brick = self.factory.return_value
        self.brick.connect_volume.return_value = {
            "type": "block", "path": PATH}
        self.info = factories.connection("iscsi", target_lun=1)

    def kind(self, kind=brick.Iscsi, **settings):
        return kind(factories.volume_settings(**settings))


class ConnectTest(BrickTestCase):

    def test_a_block_device(self):
        found = self.kind().connect(self.info)
        self.assertEqual(
            disk.BlockSource(path=pathlib.PurePosixPath(PATH)), found.source)
        self.assertEqual(("native", None), (found.io, found.cache))
        self.assertEqual({"target_lun": 1, "device_path": PATH},
                         self.info["data"])

    def test_where_the_operator_wants_qemus_default(self):
        self.assertIsNone(self.kind(default_io=True).connect(self.info).io)

    def test_kinds_that_never_do_native_io(self):
        for kind in (brick.NvmeOf, brick.LightOs):
            self.assertIsNone(self.kind(kind).connect(self.info).io)

    def test_a_path_of_many_is_kept(self):
        self.brick.connect_volume.return_value = {
            "type": "block", "path": "/dev/dm-1", "multipath_id": "36f"}
        self.kind().connect(self.info)
        self.assertEqual("36f", self.info["data"]["multipath_id"])

    def test_what_fails_says_what_and_why(self):
        for error in (brick_exception.VolumeDeviceNotFound(device="x"),
                      brick_exception.BrickException("no route"),
                      OSError("no iscsiadm")):
            self.brick.connect_volume.side_effect = error
            with self.subTest(error), self.assertRaisesRegex(
                    exception.HostError, "connect volume v1 by iscsi"):
                self.kind().connect(self.info)

    def test_options_of_each_kind(self):
        for kind, protocol, expected in (
                (brick.Iscsi, "iscsi", {
                    "use_multipath": True, "device_scan_attempts": 3,
                    "transport": "cxgb3i"}),
                (brick.Iser, "iser", {
                    "use_multipath": False, "device_scan_attempts": 4,
                    "transport": "iser"}),
                (brick.FibreChannel, "fibre_channel", {
                    "use_multipath": True, "device_scan_attempts": 3}),
                (brick.NvmeOf, "nvmeof", {
                    "use_multipath": True, "device_scan_attempts": 6}),
                (brick.LightOs, "lightos", {"device_scan_attempts": 6}),
                (brick.ScaleIo, "scaleio", {"device_scan_attempts": 3}),
                (brick.StorPool, "storpool", {})):
            with self.subTest(protocol):
                self.kind(kind, multipath=True, iscsi_interface="cxgb3i",
                          scan_attempts=3, iser_scan_attempts=4,
                          nvme_scan_attempts=6)
                self.factory.assert_called_with(
                    protocol, "sudo", **expected)


class DisconnectTest(BrickTestCase):

    def test_gently_or_by_force(self):
        for force in (False, True):
            self.kind().disconnect(self.info, force=force)
            self.brick.disconnect_volume.assert_called_with(
                self.info["data"], None, force=force, ignore_errors=force)

    def test_one_that_is_gone(self):
        self.brick.disconnect_volume.side_effect = \
            brick_exception.VolumeDeviceNotFound(device="x")
        self.kind().disconnect(self.info, force=False)

    def test_one_that_stays(self):
        self.brick.disconnect_volume.side_effect = \
            brick_exception.BrickException("in use")
        with self.assertRaisesRegex(exception.HostError, "in use"):
            self.kind().disconnect(self.info, force=False)


class ExtendTest(BrickTestCase):

    def test_its_new_size(self):
        self.brick.extend_volume.return_value = 7 << 30
        self.assertEqual(7 << 30, self.kind().extend(self.info, 0))

    def test_a_host_that_does_not_see_it(self):
        self.brick.extend_volume.return_value = None
        with self.assertRaises(nova_exception.VolumeExtendFailed):
            self.kind().extend(self.info, 0)
