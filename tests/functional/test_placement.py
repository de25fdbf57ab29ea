"""What placement knows of the host, and where that puts guests."""

import json

from nova import context
from nova import objects

from tests.functional import base
from tests.functional import images


class PlacementTestCase(base.ChainTestCase):

    def root(self):
        (provider,) = self.get("/resource_providers")["resource_providers"]
        return provider

    def get(self, path):
        return self.placement.get(path, version="1.39").body

    def of_root(self, what):
        return self.get(f"/resource_providers/{self.root()['uuid']}/{what}")

    def a_guest(self):
        return self.images.add(images.DIRECTORY / "guest.raw", "raw")


class ReportTest(PlacementTestCase):

    def test_the_host(self):
        """placement-reporting R1, R2, R4, A1, A2, G12, G13."""
        found = self.of_root("inventories")["inventories"]
        self.assertEqual({"VCPU", "MEMORY_MB", "DISK_GB"}, set(found))
        self.assertEqual(32.0, found["VCPU"]["allocation_ratio"])
        traits = self.of_root("traits")["traits"]
        self.assertLessEqual(
            {"COMPUTE_NODE", "OWNER_NOVA", "COMPUTE_STORAGE_BUS_VIRTIO",
             "COMPUTE_GRAPHICS_MODEL_VGA", "COMPUTE_IMAGE_TYPE_QCOW2",
             "HW_ARCH_X86_64"}, set(traits))
        node = objects.ComputeNode.get_by_nodename(
            context.get_admin_context(), self.root()["name"])
        topology = json.loads(node.numa_topology)
        self.assertGreaterEqual(
            len(topology["nova_object.data"]["cells"]), 1)

    def test_traits_decide(self):
        """placement-reporting A6, T6, T7, Q1."""
        for key, value, expected in (
                ("trait:COMPUTE_STORAGE_BUS_VIRTIO", "required", "ACTIVE"),
                ("trait:COMPUTE_STORAGE_BUS_UML", "required", "ERROR"),
                ("trait:COMPUTE_STORAGE_BUS_VIRTIO", "forbidden", "ERROR")):
            with self.subTest(key=key, value=value):
                flavor = self.flavor(extra_spec={key: value})
                self.boot(self.a_guest(), flavor_id=flavor, expect=expected)
