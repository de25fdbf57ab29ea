"""storage G1, G7, V1-V14: how a guest sees a volume."""

import pathlib
import unittest

from nova import exception as nova_exception

from nova_custom_driver.planner import volumes
from nova_custom_driver.spec import disk as spec
from tests.unit.planner import factories

BLOCK = spec.BlockSource(path=pathlib.PurePosixPath("/dev/sdb"))
RBD = spec.RbdSource(pool="p", image="i", monitors=())


def plan(data=None, **connection):
    return factories.a_plan(block_device_info={"block_device_mapping": [{
        "mount_device": "/dev/vdb", "disk_bus": "virtio",
        "device_type": "disk", "boot_index": None,
        "connection_info": {
            "driver_volume_type": "iscsi", "serial": "v1",
            "data": data or {}, **connection}}]}).disks[-1]


class VolumeTest(unittest.TestCase):

    def test_a_plain_one(self):
        self.assertEqual(
            spec.DiskPlan(
                name="v1", target="vdb", bus=spec.Bus.VIRTIO, serial="v1",
                content=spec.VolumeContent(volume_id="v1"), alias="ua-v1"),
            plan())

    def test_all_that_cinder_may_ask_for(self):
        found = plan({
            "discard": True, "access_mode": "ro", "logical_block_size": 4096,
            "physical_block_size": "4096", "qos_specs": {
                "total_bytes_sec": "100", "size_iops_sec": 8,
                "minIOPS": 3}}, multiattach=True)
        self.assertEqual(
            ("unmap", True, True), (found.discard, found.readonly,
                                    found.shareable))
        self.assertEqual(spec.BlockSizes(logical=4096, physical=4096),
                         found.block_sizes)
        self.assertEqual(
            spec.IoTune(total_bytes_sec=100, size_iops_sec=8), found.iotune)

    def test_what_asks_for_nothing(self):
        found = plan({"discard": "yes", "access_mode": "rw",
                      "qos_specs": {"minIOPS": 3}})
        self.assertEqual((None, False, None), (
            found.discard, found.readonly, found.iotune))

    def test_specs_that_are_none(self):
        with self.assertLogs(volumes.LOG.logger, "WARNING"):
            self.assertIsNone(plan({"qos_specs": "fast"}).iotune)

    def test_a_mode_nobody_knows(self):
        with self.assertRaises(nova_exception.InvalidVolumeAccessMode):
            plan({"access_mode": "wo"})


class ConnectedTest(unittest.TestCase):

    def test_the_kind_decides_unless_the_operator_does(self):
        for source, cache, modes, expected in (
                (BLOCK, None, {}, "none"),
                (BLOCK, "writeback", {}, "writeback"),
                (BLOCK, "writeback", {"block": "directsync"}, "directsync"),
                (BLOCK, None, {"network": "writeback"}, "none"),
                (RBD, None, {"network": "writeback"}, "writeback")):
            found = volumes.connected(plan(), source, "native", cache, modes)
            self.assertEqual((expected, "native"), (found.cache, found.io))

    def test_what_many_write_to_is_never_cached(self):
        shared = plan(multiattach=True)
        self.assertEqual("none", volumes.connected(
            shared, BLOCK, None, None, {"block": "writeback"}).cache)
