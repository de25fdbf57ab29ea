"""guest-config D1-D12, D14, D19, D20, D25, D28, D29; storage.md S1, F1-F5,
B11; driver-contract M59.
"""

import unittest

from hypothesis import assume
from hypothesis import given
from hypothesis import strategies as st
from nova import exception as nova_exception

from nova_custom_driver import exception
from nova_custom_driver.planner import disks
from nova_custom_driver.spec import disk as spec
from tests.unit.planner import factories

GIB = 1 << 30
MIB = 1 << 20


def plans(**changes):
    return factories.a_plan(**changes).disks


def named(name, **changes):
    return next(plan for plan in plans(**changes) if plan.name == name)


def targets(**changes):
    return {plan.name: plan.target for plan in plans(**changes)}


def a_volume(number=1, **changes):
    return {"connection_info": {"serial": f"volume{number}"},
            "mount_device": None, "boot_index": None,
            "disk_bus": None, "device_type": None} | changes


def mapped(*volumes, **more):
    return {"block_device_mapping": list(volumes)} | more


class RootTest(unittest.TestCase):

    def test_a_copy_of_the_image(self):
        self.assertEqual(
            (spec.DiskPlan(
                name="disk", target="vda", bus=spec.Bus.VIRTIO,
                content=spec.ImageContent(image_id=factories.IMAGE),
                size_bytes=10 * GIB, boot_index=0),), plans())

    def test_as_large_as_its_image(self):
        plan = named("disk", flavor={"root_gb": 0})
        self.assertIsNone(plan.size_bytes)

    def test_the_name_given_to_the_instance(self):
        """guest-config D29."""
        self.assertEqual({"disk": "sda"}, targets(
            block_device_info={"root_device_name": "/dev/sda"}))

    def test_the_name_given_to_the_image(self):
        plan = named("disk", block_device_info={
            "root_device_name": "/dev/vda", "image": [
                {"device_name": "/dev/vdc", "disk_bus": "virtio",
                 "boot_index": 1}]})
        self.assertEqual(("vdc", 1), (plan.target, plan.boot_index))

    def test_an_iso_is_a_cdrom(self):
        for image in ([], [{"device_name": "/dev/hdb", "disk_bus": "virtio",
                            "device_type": "disk", "boot_index": 0}]):
            plan = named("disk", image={"disk_format": "iso"},
                         block_device_info={"image": image})
            self.assertEqual((spec.Device.CDROM, spec.Bus.IDE, 0),
                             (plan.device, plan.bus, plan.boot_index))

    def test_an_image_whose_format_is_not_known(self):
        # Nova evacuates with what is left of an image that is gone.
        request = factories.a_request()
        del request.image_meta._obj_disk_format
        self.assertFalse(disks.is_iso(request.image_meta))

    def test_an_image_before_a_root_volume(self):
        self.assertEqual(
            {"disk": "vda", "volume1": "vdb"},
            targets(block_device_info=mapped(
                a_volume(boot_index=0),
                image=[{"device_name": None, "boot_index": 0}])))

    def test_none_beside_a_root_volume(self):
        self.assertEqual({"volume1": "vda"}, targets(
            block_device_info=mapped(a_volume(boot_index=0))))

    def test_beside_a_volume_that_is_no_root(self):
        self.assertEqual({"disk": "vda", "volume1": "vdb"}, targets(
            block_device_info=mapped(a_volume())))


class EphemeralTest(unittest.TestCase):

    def test_the_flavors_alone(self):
        plan = named("disk.local", flavor={"ephemeral_gb": 3},
                     instance={"os_type": "linux"})
        self.assertEqual(
            ("vdb", 3 * GIB, spec.EphemeralContent(
                label="ephemeral0", os_type="linux")),
            (plan.target, plan.size_bytes, plan.content))

    def test_those_that_are_mapped(self):
        found = plans(
            flavor={"ephemeral_gb": 3}, instance={"os_type": "linux"},
            block_device_info={"ephemerals": [
                {"size": 1, "guest_format": "xfs"},
                {"size": 2, "device_name": "/dev/vdf"}]})
        self.assertEqual(
            [("disk", "vda", 10 * GIB), ("disk.eph0", "vdb", GIB),
             ("disk.eph1", "vdf", 2 * GIB)],
            [(plan.name, plan.target, plan.size_bytes) for plan in found])
        self.assertEqual(
            [spec.EphemeralContent(label="ephemeral0", os_type="linux",
                                   filesystem="xfs"),
             spec.EphemeralContent(label="ephemeral1", os_type="linux")],
            [plan.content for plan in found[1:]])


class SwapTest(unittest.TestCase):

    def test_the_flavors(self):
        plan = named("disk.swap", flavor={"swap": 64})
        self.assertEqual(
            ("vdb", 64 * MIB, spec.SwapContent(), None),
            (plan.target, plan.size_bytes, plan.content, plan.boot_index))

    def test_the_mapped_one_wins(self):
        plan = named("disk.swap", flavor={"swap": 64}, block_device_info={
            "swap": {"device_name": "/dev/vdq", "swap_size": 32}})
        self.assertEqual(("vdq", 32 * MIB), (plan.target, plan.size_bytes))


class VolumeTest(unittest.TestCase):

    def test_is_called_by_its_id(self):
        plan = named("volume1", block_device_info=mapped(a_volume(
            mount_device="/dev/vdd", disk_bus="virtio")),
            settings={"discard": "unmap", "native_io": True,
                      "default_cache": "writeback"},
            extra_specs={"quota:disk_read_iops_sec": "5"})
        self.assertEqual(spec.DiskPlan(
            name="volume1", target="vdd", bus=spec.Bus.VIRTIO,
            content=spec.VolumeContent(volume_id="volume1"),
            serial="volume1", alias="ua-volume1"), plan)

    def test_one_whose_id_is_not_known(self):
        found = plans(block_device_info=mapped(
            a_volume(boot_index=0, connection_info=None),
            a_volume(connection_info=None)))
        self.assertEqual(
            [("volume.root", spec.VolumeContent(volume_id="")),
             ("volume.1", spec.VolumeContent(volume_id=""))],
            [(plan.name, plan.content) for plan in found])

    def test_a_lun_shows_its_own_serial(self):
        plan = named("volume1", block_device_info=mapped(
            a_volume(device_type="lun", disk_bus="scsi")))
        self.assertEqual((spec.Device.LUN, None), (plan.device, plan.serial))

    def test_the_root_volume_is_named_first(self):
        self.assertEqual(
            {"disk.eph0": "vdb", "disk.swap": "vdc", "volume1": "vdd",
             "volume2": "vda"},
            targets(block_device_info=mapped(
                a_volume(1), a_volume(2, boot_index=0),
                ephemerals=[{"size": 1}],
                swap={"device_name": None, "swap_size": 1})))

    def test_the_root_volume_takes_the_instances_root_name(self):
        self.assertEqual({"volume1": "vdk"}, targets(
            block_device_info=mapped(a_volume(boot_index=0),
                                     root_device_name="/dev/vdk")))

    def test_one_without_a_bus_is_where_its_name_says(self):
        found = {plan.name: plan.bus for plan in plans(
            image={"hw_disk_bus": "sata"}, block_device_info=mapped(
                a_volume(1, mount_device="/dev/vdb"), a_volume(2)))}
        self.assertEqual(
            {"disk": spec.Bus.SATA, "volume1": spec.Bus.VIRTIO,
             "volume2": spec.Bus.SATA}, found)


class ConfigDriveTest(unittest.TestCase):

    def test_a_cdrom_and_last(self):
        found = plans(config_drive=True, block_device_info=mapped(a_volume()))
        self.assertEqual(["disk", "volume1", "disk.config"],
                         [plan.name for plan in found])
        self.assertEqual(
            (spec.Device.CDROM, "hda", spec.ConfigDriveContent(), None),
            (found[-1].device, found[-1].target, found[-1].content,
             found[-1].size_bytes))

    def test_a_disk(self):
        plan = named("disk.config", config_drive=True,
                     settings={"config_drive_format": "vfat"})
        self.assertEqual((spec.Device.DISK, "vdb"),
                         (plan.device, plan.target))

    def test_on_q35_it_is_sata(self):
        self.assertEqual("sda", named(
            "disk.config", config_drive=True, domain=factories.q35_facts(),
            settings={"machine_types": {"x86_64": "q35"}}).target)

    def test_of_an_unknown_format(self):
        with self.assertRaisesRegex(
                nova_exception.ConfigDriveUnknownFormat, "zip"):
            plans(config_drive=True,
                  settings={"config_drive_format": "zip"})


class DriverTest(unittest.TestCase):

    def test_cache(self):
        for modes, default, expected in (
                ({}, "writeback", "writeback"),
                ({"file": "directsync"}, "none", "directsync"),
                ({"network": "unsafe"}, "none", "none")):
            self.assertEqual(expected, named("disk", settings={
                "cache_modes": modes, "default_cache": default}).cache)

    def test_native_io_bypasses_the_page_cache(self):
        for native, cache, expected in (
                (False, "none", None), (True, "none", "native"),
                (True, "directsync", "native"),
                (True, "writeback", "threads")):
            self.assertEqual(expected, named("disk", settings={
                "native_io": native, "default_cache": cache}).io)

    def test_discard(self):
        self.assertEqual("unmap", named(
            "disk", settings={"discard": "unmap"}).discard)

    def test_no_serial(self):
        self.assertIsNone(named("disk").serial)


class IoTuneTest(unittest.TestCase):

    @given(st.dictionaries(st.sampled_from(disks.LIMITS),
                           st.integers(0, 1 << 62), min_size=1))
    def test_limits_pass_through(self, limits):
        found = plans(
            flavor={"swap": 1}, extra_specs={
                f"quota:disk_{name}": str(value)
                for name, value in limits.items()})
        self.assertEqual([spec.IoTune(**limits)] * 2,
                         [plan.iotune for plan in found])

    def test_no_limits(self):
        self.assertIsNone(named("disk").iotune)

    def test_refuses_what_is_no_number(self):
        with self.assertRaisesRegex(exception.InvalidGuestRequest,
                                    "quota:disk_total_iops_sec=1k"):
            plans(extra_specs={"quota:disk_total_iops_sec": "1k"})


class UnitTest(unittest.TestCase):
    """guest-config D6."""

    def units(self, *volumes, model="virtio-scsi", image=(), **changes):
        return {plan.name: plan.unit for plan in plans(
            image={"hw_scsi_model": model, "hw_disk_bus": "scsi"},
            block_device_info=mapped(*volumes, image=image), **changes)}

    def test_counted_from_the_root_disk(self):
        self.assertEqual(
            {"disk": 0, "disk.swap": 1, "volume1": 2},
            self.units(a_volume(), flavor={"swap": 1}))

    def test_zero_is_a_root_volumes(self):
        self.assertEqual(
            {"disk.swap": 1, "volume1": 2, "volume2": 0},
            self.units(a_volume(1), a_volume(2, boot_index=0),
                       flavor={"swap": 1}))

    def test_zero_is_kept_for_a_root_volume_on_another_bus(self):
        self.assertEqual(
            {"disk.swap": 1, "volume1": None}, self.units(
                a_volume(boot_index=0, disk_bus="virtio"),
                flavor={"swap": 1}))

    def test_zero_is_not_kept_for_an_image_on_another_bus(self):
        self.assertEqual(
            {"disk": None, "volume1": 0}, self.units(
                a_volume(disk_bus="scsi"), image=[
                    {"disk_bus": "virtio", "boot_index": 0}]))

    def test_the_config_drive_before_volumes_as_in_tree(self):
        self.assertEqual(
            {"disk": 0, "volume1": 2, "disk.config": 1},
            self.units(a_volume(), config_drive=True,
                       settings={"config_drive_format": "vfat"}))

    def test_other_buses_have_none(self):
        self.assertEqual({"disk": 0, "volume1": None},
                         self.units(a_volume(disk_bus="virtio")))

    def test_other_controllers_are_libvirts_to_fill(self):
        self.assertEqual({"disk": None}, self.units(model="lsilogic"))


names = st.none() | st.sampled_from(
    ["/dev/vda", "/dev/vdb", "/dev/sda", "/dev/sdb", "/dev/hda", "vdc"])
buses = st.none() | st.sampled_from(
    ["virtio", "scsi", "sata", "usb", "ide", "xen", "nonsense"])
kinds = st.none() | st.sampled_from(["disk", "cdrom", "lun", "what"])
mappings = st.fixed_dictionaries(
    {"disk_bus": buses, "device_type": kinds, "size": st.just(1)})
ephemerals = st.tuples(mappings, names).map(
    lambda pair: pair[0] | {"device_name": pair[1]})
volumes = st.tuples(mappings, names, st.none() | st.integers(-1, 2)).map(
    lambda parts: parts[0] | {"mount_device": parts[1],
                              "boot_index": parts[2]})


@st.composite
def block_devices(draw):
    return {
        "root_device_name": draw(names),
        "image": draw(st.lists(ephemerals, max_size=1)),
        "ephemerals": draw(st.lists(ephemerals, max_size=3)),
        "swap": draw(st.none() | ephemerals.map(
            lambda device: device | {"swap_size": 1})),
        "block_device_mapping": [
            volume | {"connection_info": {"serial": f"volume{number}"}}
            for number, volume in enumerate(
                draw(st.lists(volumes, max_size=5)))]}


class TargetsTest(unittest.TestCase):

    def plans(self, info):
        try:
            return plans(block_device_info=info, config_drive=True,
                         flavor={"swap": 1, "ephemeral_gb": 1})
        except nova_exception.TooManyDiskDevices:
            # IDE is small.
            assume(False)

    @given(block_devices())
    def test_no_two_disks_share_a_target_or_a_name(self, info):
        found = self.plans(info)
        for field in ("target", "name"):
            values = [getattr(plan, field) for plan in found]
            self.assertEqual(len(values), len(set(values)), values)

    @given(block_devices())
    def test_planned_twice_is_planned_alike(self, info):
        self.assertEqual(self.plans(info), self.plans(info))
