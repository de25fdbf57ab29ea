"""placement-reporting R5; driver-contract S11."""

import json
import unittest
from unittest import mock

from nova import exception as nova_exception
from nova import objects

from nova_custom_driver.spec import node_device
from nova_custom_driver.virt.host import pmem as host_pmem
from nova_custom_driver.virt.ops import pmem

objects.register_all()
LIST = json.dumps([
    {"dev": "namespace0.0", "mode": "devdax", "name": "ns_0",
     "size": 4292870144,
     "daxregion": {"id": 0, "align": 2097152,
                   "devices": [{"chardev": "dax0.0"}]}},
    {"dev": "namespace0.1", "mode": "devdax", "size": 4292870144,
     "daxregion": {"id": 0, "align": 2097152,
                   "devices": [{"chardev": "dax0.1"}]}}])


def a_namespace(name):
    return node_device.PmemNamespace(
        name=name, path=f"/dev/{name}", size_bytes=1 << 32,
        align_bytes=1 << 21)


class NamespacesTest(unittest.TestCase):

    def test_those_with_a_name(self):
        self.assertEqual(
            (node_device.PmemNamespace(
                name="ns_0", path="/dev/dax0.0", size_bytes=4292870144,
                align_bytes=2097152),), host_pmem.parse(LIST))

    def test_none(self):
        self.assertEqual((), host_pmem.parse(""))

    def test_no_ndctl(self):
        with mock.patch.object(
                host_pmem.privileged, "get_pmem_namespaces",
                side_effect=FileNotFoundError("ndctl")), \
                self.assertRaisesRegex(
                    nova_exception.GetPMEMNamespacesFailed, "ndctl"):
            host_pmem.namespaces()


class DevicesTest(unittest.TestCase):

    def devices(self, **labels):
        return pmem.devices(map(a_namespace, ("ns_0", "ns_1", "ns_2")),
                            labels)

    def test_one_that_is_not_there(self):
        with self.assertRaisesRegex(
                nova_exception.PMEMNamespaceConfigInvalid, "ns_9"):
            self.devices(small=("ns_0", "ns_9"))

    def test_a_class_for_each_label(self):
        found = pmem.resources(
            self.devices(**{"4GB": ("ns_0", "ns_2"), "small": ("ns_1",)}),
            "node")
        self.assertEqual(
            {"CUSTOM_PMEM_NAMESPACE_4GB": {"ns_0", "ns_2"},
             "CUSTOM_PMEM_NAMESPACE_SMALL": {"ns_1"}},
            {name: {each.identifier for each in resources}
             for name, resources in found.items()})
        (small,) = found["CUSTOM_PMEM_NAMESPACE_SMALL"]
        self.assertEqual(
            ("node", "small", "/dev/ns_1", 1 << 32, 1 << 21),
            (small.provider_uuid, small.metadata.label,
             small.metadata.devpath, small.metadata.size,
             small.metadata.align))
        self.assertEqual(
            {"total": 2, "reserved": 0, "min_unit": 1, "max_unit": 2,
             "step_size": 1, "allocation_ratio": 1.0},
            pmem.inventories(found)["CUSTOM_PMEM_NAMESPACE_4GB"])
