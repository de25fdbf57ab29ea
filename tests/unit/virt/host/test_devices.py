"""placement-reporting G12, R6: what libvirt says of the host's devices."""

import dataclasses
import pathlib
import tempfile
import unittest
from unittest import mock

import libvirt
from nova.objects import fields

from nova_custom_driver.spec import node_device as spec
from nova_custom_driver.virt.host import devices
from nova_custom_driver.virt.host import mdevs
from nova_custom_driver.virt.host import pci_devices
from tests.hosts import node_devices
from tests.unit.virt.host import factories

REPRESENTORS = frozenset(("enp130s0f0_0",))


class PciDevicesTest(unittest.TestCase):
    """placement-reporting G12."""

    def setUp(self):
        self.devices = {
            device.address: device for device in pci_devices.pci_devices(
                node_devices.documents("network-card"),
                REPRESENTORS.__contains__)}

    def test_kinds_are_nova_s(self):
        self.assertEqual(
            {fields.PciDeviceType.STANDARD, fields.PciDeviceType.SRIOV_PF,
             fields.PciDeviceType.SRIOV_VF, fields.PciDeviceType.VDPA},
            {kind.value for kind in spec.PciKind})

    def test_a_bridge(self):
        self.assertEqual(
            spec.PciDevice(name="pci_0000_00_1f_0", address="0000:00:1f.0",
                           vendor_id="8086", product_id="2918"),
            self.devices["0000:00:1f.0"])

    def test_a_physical_function(self):
        """Its own interface, not that of a virtual function's other end."""
        found = self.devices["0000:82:00.0"]
        self.assertEqual(
            (spec.PciKind.PHYSICAL_FUNCTION, 1, "MT2113X00000", None),
            (found.kind, found.numa_node, found.card_serial,
             found.parent_address))
        self.assertEqual(
            spec.Network(interface="enp130s0f0np0", mac="0c:42:a1:00:00:01",
                         features=("rx", "switchdev")), found.network)

    def test_a_virtual_function(self):
        found = self.devices["0000:82:00.2"]
        parent = self.devices["0000:82:00.0"]
        self.assertEqual(
            spec.PciDevice(
                name="pci_0000_82_00_2", address="0000:82:00.2",
                vendor_id="15b3", product_id="101e",
                kind=spec.PciKind.VIRTUAL_FUNCTION, numa_node=1,
                network=spec.Network(
                    interface="enp130s0f0v0", mac="fa:16:3e:00:00:01",
                    features=("rx", "tx", "tso")),
                parent_address="0000:82:00.0", virtual_number=0,
                parent_network=parent.network,
                card_serial="MT2113X00000"), found)

    def test_one_that_a_guest_has(self):
        """It has no interface on the host."""
        found = self.devices["0000:82:00.4"]
        self.assertEqual((spec.PciKind.VIRTUAL_FUNCTION, 2, None),
                         (found.kind, found.virtual_number, found.network))

    def test_one_that_speaks_virtio(self):
        found = self.devices["0000:82:00.3"]
        self.assertEqual((spec.PciKind.VDPA, "/dev/vhost-vdpa-0"),
                         (found.kind, found.vdpa_path))

    def test_the_parent_is_gone(self):
        """What stood there is read without it."""
        (found,) = pci_devices.pci_devices(
            [node_devices.documents("network-card", "phys_function")[0]],
            REPRESENTORS.__contains__)
        self.assertEqual(("0000:82:00.0", None, None, None), (
            found.parent_address, found.parent_network, found.card_serial,
            found.virtual_number))


class RepresentorTest(unittest.TestCase):

    def test_told_by_the_kernel(self):
        root = pathlib.Path(self.enterContext(
            tempfile.TemporaryDirectory()))
        for name, port in (("uplink", "p0"), ("other", "pf0vf11"),
                           ("far", "c1pf0vf1"), ("scalable", "pf0sf88")):
            (root / name).mkdir()
            (root / name / "phys_port_name").write_text(port + "\n")
        (root / "simple").mkdir()
        self.assertEqual(
            {"other", "far", "scalable"},
            {name for name in ("uplink", "other", "far", "scalable",
                               "simple", "none")
             if pci_devices.is_representor(name, root)})


class MdevsTest(unittest.TestCase):
    """placement-reporting R6."""

    def test_what_can_be_made(self):
        cards = [mdevs.mdev_parent(document)
                 for document in node_devices.documents(
                     "graphics-cards", "mdev_types")]
        self.assertEqual(
            ["pci_0000_84_00_0", "pci_0000_85_00_0", "mtty_mtty"],
            [card.name for card in cards])
        self.assertEqual(
            (spec.MdevType(name="nvidia-35", api="vfio-pci", available=15),
             spec.MdevType(name="nvidia-36", api="vfio-pci", available=7)),
            cards[0].types)
        self.assertEqual(
            (spec.MdevType(name="mtty-2", api="vfio-pci", available=12),),
            cards[2].types)

    def test_one_that_was_made(self):
        (document,) = node_devices.documents("graphics-cards", "mdev")
        made = spec.Mdev(uuid="4b20d080-1b54-4048-85b3-a6a62d165c01",
                         parent="pci_0000_84_00_0", type="nvidia-35",
                         iommu_group=12)
        self.assertEqual(made, mdevs.mdev(document))
        self.assertEqual(made, mdevs.mdev(document.replace(
            f"<uuid>{made.uuid}</uuid>", "")))


class AddressTest(unittest.TestCase):

    def test_of_a_name(self):
        self.assertEqual("0000:84:00.0",
                         spec.pci_address("pci_0000_84_00_0"))
        self.assertIsNone(spec.pci_address("mtty_mtty"))
        self.assertIsNone(spec.pci_address("net_a_b_c_d"))


class NodeDevicesTest(unittest.TestCase):

    def setUp(self):
        self.asked = []
        self.connection = mock.Mock(devices_seen=1, call=self.call)
        self.devices = devices.NodeDevices(self.connection)

    def call(self, action, subject, work, *, patient):
        self.asked.append(subject)
        return work(mock.Mock(listAllDevices=lambda flags: [
            mock.Mock(XMLDesc=lambda: node_devices.documents(
                "network-card", "pci")[0]),
            mock.Mock(XMLDesc=mock.Mock(side_effect=factories.libvirt_error(
                libvirt.VIR_ERR_NO_NODE_DEVICE)))]))

    def test_one_that_is_taken_out_meanwhile(self):
        """placement-reporting G12."""
        self.assertEqual(1, len(self.devices.pci()))

    def test_read_again_when_something_changed(self):
        """placement-reporting G12: a new device is seen at once."""
        self.devices.pci()
        self.devices.pci()
        self.assertEqual(1, len(self.asked))
        self.connection.devices_seen += 1
        self.devices.pci()
        self.assertEqual(2, len(self.asked))

    def test_always_read_where_changes_are_not_told(self):
        self.connection.devices_seen = None
        self.devices.pci()
        self.devices.pci()
        self.assertEqual(2, len(self.asked))


class Device:
    """A mediated device as libvirt has it."""

    def __init__(self, document, *, active=True, persistent=True):
        self.document = document
        self.calls = []
        self.active = active
        self.persistent = persistent
        self.error = None

    def XMLDesc(self, flags=0):
        return self.document

    def name(self):
        return "mdev"

    def isActive(self):
        return self.active

    def isPersistent(self):
        return self.persistent

    def __getattr__(self, name):
        def call(*args):
            self.calls.append((name, *args))
            if self.error is not None:
                raise self.error
        return call


class MakeMdevsTest(unittest.TestCase):
    """guest-config P3."""

    def setUp(self):
        (self.document,) = node_devices.documents("graphics-cards", "mdev")
        self.made = mdevs.mdev(self.document)
        self.device = Device(self.document)
        self.host = mock.Mock(**{
            "listAllDevices.return_value": [self.device],
            "nodeDeviceDefineXML.return_value": self.device})
        self.devices = devices.NodeDevices(mock.Mock(
            call=lambda _action, _subject, work, **_options:
            work(self.host)))

    def test_the_document(self):
        made = mdevs.creation(self.made)
        read = mdevs.mdev(made.replace(
            "</parent>", "</parent><name>mdev</name>"))
        self.assertEqual(dataclasses.replace(self.made, iommu_group=None),
                         read)

    def test_made_now_and_whenever_the_host_is_started(self):
        self.devices.create_mdev(self.made)
        self.host.nodeDeviceCreateXML.assert_called_once_with(
            mdevs.creation(self.made), 0)
        self.assertEqual([("setAutostart", True)], self.device.calls)

    def test_made_where_libvirt_cannot_keep_it(self):
        self.device.error = factories.libvirt_error(
            libvirt.VIR_ERR_NO_SUPPORT)
        with self.assertLogs(devices.LOG.logger, "WARNING"):
            self.devices.create_mdev(self.made)

    def test_removed_with_its_definition(self):
        self.devices.remove_mdev(self.made.uuid)
        self.assertEqual([("destroy",), ("undefine",)], self.device.calls)

    def test_removed_as_far_as_it_is_there(self):
        self.device.active = self.device.persistent = False
        self.devices.remove_mdev(self.made.uuid)
        self.devices.remove_mdev("another")
        self.assertEqual([], self.device.calls)

    def test_started_each(self):
        """One that fails keeps no other one off."""
        broken = Device(self.document)
        broken.error = factories.libvirt_error(libvirt.VIR_ERR_NO_SUPPORT)
        self.host.listAllDevices.return_value = [broken, self.device]
        with self.assertLogs(devices.LOG.logger, "ERROR"):
            self.devices.start_mdevs()
        self.assertEqual([("create",)], self.device.calls)
