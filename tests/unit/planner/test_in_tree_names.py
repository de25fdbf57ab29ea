"""Disks are called as the in-tree driver calls them: driver-contract M59,
guest-config D1-D5, D19, D28, D29, storage.md S1.
"""

import unittest

from hypothesis import assume
from hypothesis import given
from hypothesis import settings
from hypothesis import strategies as st

from tests.unit.planner import factories
from tests.unit.planner import in_tree

KVM_BUSES = ("virtio", "scsi", "sata", "usb")
buses = st.none() | st.sampled_from(KVM_BUSES)


def local(**more):
    return st.fixed_dictionaries(
        {"device_name": st.none(), "disk_bus": buses,
         "device_type": st.just("disk"), "boot_index": st.just(-1)} | more)


@st.composite
def unnamed(draw):
    """Mappings as Nova has them named: none has a name but the root."""
    image = draw(st.booleans())
    volumes = [
        {"mount_device": None, "disk_bus": draw(buses),
         "device_type": "disk", "boot_index": 0 if number == 0 and not image
         else None, "connection_info": {"serial": f"volume{number}"}}
        for number in range(draw(st.integers(0 if image else 1, 4)))]
    return {
        "root_device_name": draw(st.sampled_from(
            [None, "/dev/vda", "/dev/sda"])),
        "image": [draw(local(boot_index=st.just(0)))] if image else [],
        "ephemerals": draw(st.lists(local(size=st.just(1)), max_size=3)),
        "swap": draw(st.none() | local(swap_size=st.just(8))),
        "block_device_mapping": volumes}


class InTreeTest(unittest.TestCase):

    @settings(max_examples=200)
    @given(unnamed(), buses, st.booleans(), st.sampled_from([0, 16]))
    def test_same_names(self, info, disk_bus, config_drive, swap):
        image = {"hw_disk_bus": disk_bus} if disk_bus else {}
        plan_of = {
            "image": image, "block_device_info": info,
            "flavor": {"swap": swap}, "config_drive": config_drive,
            "instance": {"config_drive": str(config_drive or "")}}
        request = factories.a_request(**plan_of)
        expected = in_tree.disks(request)
        # It gives the instance's root name to a root disk on any bus, and
        # may then give it out again.
        targets = [target for target, _bus, _kind in expected.values()]
        assume(len(targets) == len(set(targets)))
        self.assertEqual(expected, {
            plan.name: (plan.target, plan.bus.value, plan.device.value)
            for plan in factories.a_plan(**plan_of).disks})
