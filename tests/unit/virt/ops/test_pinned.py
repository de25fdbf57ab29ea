"""placement-reporting S2."""

import types
import unittest
from unittest import mock

from nova import objects
from nova.objects import fields

from nova_custom_driver.virt.ops import pinned

NODE = "compute-1.example"


def a_topology(*pinned_cpus):
    cells = [objects.NUMACell(
        id=0, cpuset=set(), pcpuset={4, 5}, pinned_cpus=set(pinned_cpus),
        memory=512, cpu_usage=0, memory_usage=0, mempages=[], siblings=[],
        socket=0)]
    return objects.NUMATopology(cells=cells)


def an_instance(uuid, policy=fields.CPUAllocationPolicy.DEDICATED):
    topology = None if policy is None else types.SimpleNamespace(
        cpu_policy=policy)
    return types.SimpleNamespace(uuid=uuid, numa_topology=topology)


def a_migration(uuid, instance_uuid, dest):
    return types.SimpleNamespace(uuid=uuid, instance_uuid=instance_uuid,
                                 dest_compute=dest)


class PinnedTest(unittest.TestCase):

    def setUp(self):
        self.node = types.SimpleNamespace(host="compute-1",
                                          numa_topology=None)
        self.stub(objects.ComputeNode, "get_by_nodename", self.node)

    def stub(self, kind, name, value):
        return self.enterContext(mock.patch.object(
            kind, name, **({"side_effect": value} if callable(value)
                           else {"return_value": value})))

    def test_the_node_has_pinned_guests(self):
        self.assertFalse(pinned.has_guests(NODE))
        for cpus, found in (((), False), ((4,), True)):
            self.node.numa_topology = a_topology(*cpus)._to_json()
            self.assertIs(found, pinned.has_guests(NODE))

    def test_who_holds_their_processors(self):
        shared = fields.CPUAllocationPolicy.SHARED
        here = (an_instance("pinned"), an_instance("shared", shared),
                an_instance("plain", None))
        away = {"gone": an_instance("gone"),
                "light": an_instance("light", None)}
        self.stub(objects.InstanceList, "get_by_host", here)
        listed = self.stub(
            objects.MigrationList, "get_in_progress_by_host_and_node",
            (a_migration("leaving", "gone", "compute-2"),
             a_migration("leaving-unpinned", "light", "compute-2"),
             a_migration("coming", "pinned", "compute-1"),
             a_migration("undecided", "pinned", None)))
        self.stub(objects.Instance, "get_by_uuid",
                  lambda context, uuid, expected_attrs: away[uuid])
        self.assertEqual(["pinned", "leaving"], pinned.consumers(NODE))
        listed.assert_called_once_with(mock.ANY, "compute-1", NODE)
