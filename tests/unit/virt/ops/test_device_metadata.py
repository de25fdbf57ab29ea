"""network T1, T2, T4, T6."""

import unittest
from unittest import mock

from nova import objects
from nova.network import model

from nova_custom_driver.virt.ops import device_metadata
from tests.unit.virt.ops import factories

MAC = "fa:16:3e:0b:33:d1"
VOLUME = "0d9f0a5c-6a3c-4a40-9b9d-6a4a52a4a8f0"
XML = f"""
<domain><devices>
  <disk type="file" device="disk">
    <source file="/instances/disk"/><target dev="vda" bus="virtio"/>
    <address type="pci" domain="0x0000" bus="0x04" slot="0x00"
             function="0x0"/>
  </disk>
  <disk type="file" device="disk">
    <source file="/instances/disk.eph0"/><target dev="sda" bus="scsi"/>
    <address type="drive" controller="0" bus="0" target="0" unit="1"/>
  </disk>
  <disk type="file" device="cdrom">
    <target dev="sdb" bus="sata"/>
    <address type="drive" controller="0" bus="0" target="0" unit="1"/>
  </disk>
  <interface type="ethernet">
    <mac address="{MAC}"/><target dev="tap1"/>
    <address type="pci" domain="0x0000" bus="0x01" slot="0x0a"
             function="0x1"/>
  </interface>
  <interface type="ethernet">
    <mac address="fa:16:3e:00:00:02"/><target dev="tap2"/>
  </interface>
</devices></domain>"""


def tags(*, nics=None, disks=None, vlans=None, trusted=None):
    return device_metadata.Tags(nics=nics or {}, disks=disks or {},
                                vlans=vlans or {}, trusted=trusted or {})


def one(**changes):
    """Return the only device found."""
    (device,) = device_metadata.build(XML, tags(**changes)).devices
    return device


def values(device):
    """Return {field: value} of what is set, the bus as (class, address)."""
    found = {name: getattr(device, name) for name in device.fields
             if device.obj_attr_is_set(name)}
    if "bus" in found:
        bus = found["bus"]
        found["bus"] = (type(bus), bus.address
                        if bus.obj_attr_is_set("address") else None)
    return found


class BuildTest(unittest.TestCase):

    def test_an_interface_with_a_tag(self):
        """network T1, T4."""
        device = one(nics={MAC: "public"})
        self.assertIsInstance(device, objects.NetworkInterfaceMetadata)
        self.assertEqual(
            {"mac": MAC, "tags": ["public"], "vf_trusted": False,
             "bus": (objects.PCIDeviceBus, "0000:01:0a.1")}, values(device))

    def test_an_interface_with_a_vlan(self):
        """network T1: without a tag it is shown all the same."""
        device = one(nics={MAC: None}, vlans={MAC: "1000"},
                     trusted={MAC: True})
        self.assertEqual(
            {"mac": MAC, "vlan": 1000, "vf_trusted": True,
             "bus": (objects.PCIDeviceBus, "0000:01:0a.1")}, values(device))

    def test_an_interface_off_the_pci_bus(self):
        device = one(nics={"fa:16:3e:00:00:02": "slow"})
        self.assertFalse(device.obj_attr_is_set("bus"))

    def test_a_disk_on_pci(self):
        """network T2, T4."""
        device = one(disks={"vda": ("root", None)})
        self.assertIsInstance(device, objects.DiskMetadata)
        self.assertEqual(
            {"tags": ["root"], "serial": None,
             "bus": (objects.PCIDeviceBus, "0000:04:00.0")}, values(device))

    def test_a_volume(self):
        """network T2, T4: its id is the disk's serial number."""
        device = one(disks={"sda": ("database", VOLUME)})
        self.assertEqual(
            {"tags": ["database"], "serial": VOLUME,
             "bus": (objects.SCSIDeviceBus, None)}, values(device))

    def test_a_bus_nova_has_no_name_for(self):
        """network T4."""
        device = one(disks={"sdb": ("media", None)})
        self.assertEqual({"tags": ["media"], "serial": None}, values(device))

    def test_disks_come_before_interfaces(self):
        """As in the domain, so that users see what they always saw."""
        found = device_metadata.build(XML, tags(
            nics={MAC: "public"},
            disks={"vda": ("root", None), "sda": ("database", VOLUME)}))
        self.assertEqual([["root"], ["database"], ["public"]],
                         [device.tags for device in found.devices])

    def test_nothing_that_is_tagged(self):
        """network T6."""
        self.assertIsNone(device_metadata.build(XML, tags()))
        self.assertIsNone(device_metadata.build(
            XML, tags(disks={"vdz": ("gone", None)})))

    def test_nova_can_store_it(self):
        """driver-contract X19."""
        found = device_metadata.build(XML, tags(
            nics={MAC: "public"}, disks={"vda": ("root", None)}))
        again = objects.InstanceDeviceMetadata.obj_from_primitive(
            found.obj_to_primitive())
        self.assertEqual(2, len(again.devices))


class TagsTest(unittest.TestCase):

    def test_are_true_if_there_are_any(self):
        self.assertFalse(tags())
        self.assertFalse(tags(trusted={MAC: True}))
        self.assertTrue(tags(nics={MAC: None}))
        self.assertTrue(tags(disks={"vda": ("root", None)}))


class FindTest(unittest.TestCase):
    """network T1, T2: from the two tables that hold what users gave."""

    def find(self, *, vifs=(), bdms=(), network_info=()):
        asked = []

        def answer(kind, rows):
            def get(context, uuid):
                asked.append(kind)
                self.assertEqual(factories.UUID, uuid)
                return rows
            return get

        with mock.patch.object(
                objects.VirtualInterfaceList, "get_by_instance_uuid",
                answer("vifs", vifs)), mock.patch.object(
                objects.BlockDeviceMappingList, "get_by_instance_uuid",
                answer("bdms", bdms)):
            found = device_metadata.find(
                None, objects.Instance(uuid=factories.UUID),
                model.NetworkInfo(network_info))
        return found, asked

    def vif(self, **details):
        return model.VIF(id="a-port", address=MAC, details=details,
                         profile={})

    def test_tags_of_ports_and_disks(self):
        found, _ = self.find(
            network_info=[self.vif()],
            vifs=[objects.VirtualInterface(address=MAC, tag="public"),
                  objects.VirtualInterface(address="m2", tag=None)],
            bdms=[objects.BlockDeviceMapping(
                tag="root", device_name="/dev/vda", volume_id=None),
                objects.BlockDeviceMapping(
                    tag=None, device_name="/dev/vdb", volume_id=VOLUME),
                objects.BlockDeviceMapping(
                    tag="unnamed", device_name=None, volume_id=VOLUME)])
        self.assertEqual({MAC: "public"}, found.nics)
        self.assertEqual({"vda": ("root", None)}, found.disks)

    def test_without_ports_theirs_are_not_asked_for(self):
        found, asked = self.find()
        self.assertEqual(["bdms"], asked)
        self.assertFalse(found)
