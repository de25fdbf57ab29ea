"""storage.md section 11, guest-config D4."""

import unittest

from nova import context as nova_context
from nova import objects
from nova.tests.unit import fake_block_device
from nova.virt import driver as nova_driver

from nova_custom_driver.planner import block_devices
from tests.unit.planner import factories

VOLUME = {
    "id": 1, "source_type": "volume", "destination_type": "volume",
    "volume_id": factories.VOLUME, "device_name": "/dev/vdb",
    "disk_bus": "virtio", "device_type": "disk", "boot_index": -1,
    "connection_info": '{"driver_volume_type": "rbd", "data": {}}'}
IMAGE = {
    "id": 2, "source_type": "image", "destination_type": "local",
    "image_id": factories.IMAGE, "device_name": "/dev/vda",
    "boot_index": 0, "device_type": "disk"}
EPHEMERAL = {
    "id": 3, "source_type": "blank", "destination_type": "local",
    "guest_format": "ext4", "volume_size": 5, "device_name": "/dev/vdc",
    "device_type": "disk", "boot_index": -1, "delete_on_termination": True}
SWAP = {
    "id": 4, "source_type": "blank", "destination_type": "local",
    "guest_format": "swap", "volume_size": 64, "device_name": "/dev/vdd",
    "device_type": "disk", "boot_index": -1, "delete_on_termination": True}


def bdm(**fields):
    return fake_block_device.fake_bdm_object(
        nova_context.RequestContext("u", "p", is_admin=False), fields)


def from_nova(*bdms):
    return block_devices.read(nova_driver.get_block_device_info(
        factories.an_instance(), objects.BlockDeviceMappingList(
            objects=[bdm(**fields) for fields in bdms])))


class ReadTest(unittest.TestCase):

    def test_nothing(self):
        for info in (None, {}, {"root_device_name": None, "image": None,
                                "ephemerals": None, "swap": None,
                                "block_device_mapping": None}):
            found = block_devices.read(info)
            self.assertEqual(((), None, None), (
                tuple(found), found.root_name, found.root))

    def test_what_nova_makes_of_its_objects(self):
        found = from_nova(VOLUME, IMAGE, EPHEMERAL, SWAP)
        self.assertEqual("vda", found.root_name)
        self.assertEqual(["vda", "vdc", "vdd", "vdb"],
                         [device.name for device in found])
        self.assertEqual(frozenset(("vda", "vdb", "vdc", "vdd")),
                         found.names())
        self.assertEqual((5, "ext4"), (found.ephemerals[0].size,
                                       found.ephemerals[0].guest_format))
        self.assertEqual(64, found.swap.size)
        self.assertEqual(
            block_devices.Device(
                name="vdb", bus="virtio", device_type="disk",
                boot_index=None, guest_format=None, size=0,
                volume_id=factories.VOLUME,
                connection={"driver_volume_type": "rbd", "data": {}}),
            found.volumes[0])

    def test_swap_that_is_to_be_named(self):
        self.assertEqual(64, from_nova(
            IMAGE, SWAP | {"device_name": None}).swap.size)

    def test_swap_of_no_size_is_none(self):
        self.assertIsNone(block_devices.read(
            {"swap": {"device_name": "/dev/vdb", "swap_size": 0}}).swap)

    def test_the_image_is_the_root_before_a_volume(self):
        first = VOLUME | {"boot_index": 0}
        self.assertEqual("vda", from_nova(first, IMAGE).root.name)
        self.assertEqual("vdb", from_nova(first).root.name)
        self.assertIsNone(from_nova(VOLUME).root)


class DeviceTest(unittest.TestCase):

    def test_novas_own_object(self):
        found = block_devices.device(bdm(**VOLUME))
        self.assertEqual(
            ("vdb", "virtio", None, factories.VOLUME),
            (found.name, found.bus, found.boot_index, found.volume_id))

    def test_an_object_just_made_has_few_fields(self):
        found = block_devices.device(objects.BlockDeviceMapping(
            disk_bus="scsi"))
        self.assertEqual((None, "scsi", None), (
            found.name, found.bus, found.volume_id))

    def test_volume_id_of_the_connection(self):
        for connection in ({"serial": "v"}, {"data": {"volume_id": "v"}}):
            self.assertEqual("v", block_devices.device(
                {"connection_info": connection}).volume_id)
