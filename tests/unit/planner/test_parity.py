"""Guests of the in-tree driver find their disks where they were:
guest-config D1, D2, D4, D19, D20, D25; storage.md S1, F1-F5.
"""

import unittest

from tests.unit.planner import factories
from tests.unit.planner import in_tree

ROOT = {"device_name": "/dev/vda", "disk_bus": "virtio",
        "device_type": "disk", "boot_index": 0}


def a_local(**changes):
    """Return an ephemeral or swap disk as the API maps it."""
    return {"device_name": None, "disk_bus": None, "device_type": "disk",
            "boot_index": -1, "guest_format": None} | changes


def a_volume(number=1, **changes):
    return {"connection_info": {"serial": f"volume{number}"},
            "mount_device": None, "disk_bus": None, "device_type": "disk",
            "boot_index": None} | changes


def mapped(*volumes, **changes):
    return {"root_device_name": "/dev/vda", "image": [], "ephemerals": [],
            "swap": None, "block_device_mapping": list(volumes)} | changes


class ParityTest(unittest.TestCase):

    def assert_parity(self, info, expected, *, boot, domain=None, **wanted):
        """Fail unless both drivers say the same, and it is as expected.

        :param expected: {name: (target, bus, kind)}
        :param boot: kinds of devices, in the order they are tried.
        """
        # The in-tree driver asks the instance, not its flavor.
        wanted |= {"block_device_info": info, "instance": {
            "config_drive": "True" if wanted.get("config_drive") else "",
            "ephemeral_gb": wanted.get("flavor", {}).get("ephemeral_gb", 0)}}
        request = factories.a_request(**wanted)
        plan = factories.a_plan(domain=domain, **wanted)
        ours = {disk.name: (disk.target, disk.bus.value, disk.device.value)
                for disk in plan.disks}
        self.assertEqual(expected, ours)
        self.assertEqual(in_tree.disks(request), ours)
        self.assertEqual(boot, plan.boot.devices)
        self.assertEqual(in_tree.boot_devices(request), plan.boot.devices)

    def test_only_a_flavor(self):
        """guest-config D1, D25; storage S1, F2."""
        self.assert_parity(
            mapped(), {"disk": ("vda", "virtio", "disk"),
                       "disk.local": ("vdb", "virtio", "disk"),
                       "disk.swap": ("vdc", "virtio", "disk"),
                       "disk.config": ("hda", "ide", "cdrom")},
            boot=("hd",), flavor={"ephemeral_gb": 1, "swap": 64},
            config_drive=True)

    def test_an_iso_image(self):
        """guest-config D19."""
        iso = {"disk_format": "iso"}
        self.assert_parity(
            mapped(root_device_name=None),
            {"disk": ("hda", "ide", "cdrom")}, boot=("cdrom",), image=iso)
        self.assert_parity(
            mapped(a_volume(), root_device_name="/dev/hda",
                   image=[ROOT | {"device_name": "/dev/hda"}]),
            {"disk": ("hda", "ide", "cdrom"),
             "volume1": ("vda", "virtio", "disk")},
            boot=("cdrom",), image=iso)

    def test_ephemeral_disks_and_swap(self):
        """guest-config D4; storage S1."""
        self.assert_parity(
            mapped(image=[ROOT],
                   ephemerals=[a_local(size=1), a_local(
                       size=1, disk_bus="sata")],
                   swap=a_local(swap_size=8)),
            {"disk": ("vda", "virtio", "disk"),
             "disk.eph0": ("vdb", "virtio", "disk"),
             "disk.eph1": ("sda", "sata", "disk"),
             "disk.swap": ("vdc", "virtio", "disk")}, boot=("hd",))

    def test_scsi(self):
        self.assert_parity(
            mapped(a_volume(), root_device_name="/dev/sda",
                   swap=a_local(swap_size=8)),
            {"disk": ("sda", "scsi", "disk"),
             "disk.swap": ("sdb", "scsi", "disk"),
             "volume1": ("sdc", "scsi", "disk")}, boot=("hd",),
            image={"hw_disk_bus": "scsi", "hw_scsi_model": "virtio-scsi"})

    def test_the_cdrom_of_q35(self):
        q35 = {"hw_machine_type": "q35"}
        self.assert_parity(
            mapped(image=[ROOT]),
            {"disk": ("vda", "virtio", "disk"),
             "disk.config": ("sda", "sata", "cdrom")}, boot=("hd",),
            image=q35, domain=factories.q35_facts(), config_drive=True)
        self.assert_parity(
            mapped(root_device_name=None),
            {"disk": ("sda", "sata", "cdrom")}, boot=("cdrom",),
            image=q35 | {"disk_format": "iso"}, domain=factories.q35_facts())

    def test_the_order_of_boot(self):
        """guest-config D4, D20."""
        self.assert_parity(
            mapped(a_volume(1, boot_index=2),
                   a_volume(2, boot_index=0, device_type="cdrom",
                            disk_bus="ide"),
                   a_volume(3, boot_index=1, device_type="floppy",
                            disk_bus="fdc"),
                   a_volume(4), root_device_name="/dev/hda"),
            {"volume1": ("vda", "virtio", "disk"),
             "volume2": ("hda", "ide", "cdrom"),
             "volume3": ("fda", "fdc", "floppy"),
             "volume4": ("vdb", "virtio", "disk")},
            boot=("cdrom", "fd", "hd"))
