"""placement-reporting G12."""

import json
import unittest
from unittest import mock

from lxml import etree
from nova.virt.libvirt import host as in_tree

from nova_custom_driver.virt.host import pci_devices
from nova_custom_driver.virt.ops import pci_report
from tests.hosts import node_devices

UPLINK, REPRESENTOR = "enp130s0f0np0", "enp130s0f0_0"
PF_MAC = "0c:42:a1:00:00:01"


class Device:
    """A device as libvirt gives it to the in-tree driver."""

    def __init__(self, document):
        self._document = document
        self._root = etree.fromstring(document)

    def name(self):
        return self._root.findtext("name")

    def parent(self):
        return self._root.findtext("parent")

    def XMLDesc(self, flags):
        return self._document


class RecordTest(unittest.TestCase):

    def records(self, host):
        return json.loads(pci_report.document(pci_devices.pci_devices(
            node_devices.documents(host), lambda name: name == REPRESENTOR)))

    def test_a_virtual_function(self):
        self.assertEqual({
            "dev_id": "pci_0000_82_00_2", "address": "0000:82:00.2",
            "product_id": "101e", "vendor_id": "15b3", "numa_node": 1,
            "label": "label_15b3_101e", "dev_type": "type-VF",
            "parent_addr": "0000:82:00.0", "parent_ifname": UPLINK,
            "capabilities": {
                "network": ["rx", "tx", "tso"],
                "sriov": {"pf_mac_address": PF_MAC, "vf_num": 0},
                "vpd": {"card_serial_number": "MT2113X00000"}}},
            self.records("network-card")[2])

    def test_as_in_tree_says(self):
        for host in ("network-card", "graphics-cards"):
            ours = self.records(host)
            for record in ours:
                # The in-tree driver gives VDPA devices no serial number.
                if record["dev_type"] == "vdpa":
                    del record["capabilities"]
            self.assertEqual(self.in_tree(host), ours)

    def in_tree(self, host):
        kinds = {kind: [Device(document) for document
                        in node_devices.documents(host, kind)]
                 for kind in ("pci", "net", "vdpa")}
        made = mock.Mock(spec=in_tree.Host)
        for name in ("_get_pcinet_info", "_get_vf_parent_pci_vpd_info",
                     "_get_pf_details"):
            setattr(made, name, getattr(in_tree.Host, name).__get__(made))
        made._get_vpd_card_serial_number = (
            in_tree.Host._get_vpd_card_serial_number)
        with mock.patch.multiple(
                in_tree.pci_utils,
                get_mac_by_pci_address=lambda address: PF_MAC,
                get_ifname_by_pci_address=lambda address, pf_interface:
                    UPLINK,
                get_vf_num_by_pci_address=lambda address:
                    int(address[-1]) - 2):
            return [in_tree.Host._get_pcidev_info(
                made, device.name(), device, kinds["net"], kinds["vdpa"],
                kinds["pci"]) for device in kinds["pci"]]
