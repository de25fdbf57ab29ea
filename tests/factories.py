"""Valid values; a test changes only what it is about."""

import pathlib

from nova_custom_driver.spec import cpu
from nova_custom_driver.spec import device
from nova_custom_driver.spec import disk
from nova_custom_driver.spec import firmware
from nova_custom_driver.spec import guest
from nova_custom_driver.spec import metadata
from nova_custom_driver.spec import nic

UUID = "11111111-2222-3333-4444-555555555555"
IMAGE = "99999999-8888-7777-6666-555555555555"
PORT = "ce531f90-199f-48c0-816c-13e38010b442"
MAC = "fa:16:3e:00:00:01"
ROOT = pathlib.PurePosixPath("/srv/instances") / UUID


def a_plan(**changes):
    """Return a disk that is wanted: the root disk."""
    return disk.DiskPlan(**{
        "name": "disk", "target": "vda", "bus": disk.Bus.VIRTIO,
        "content": disk.ImageContent(image_id=IMAGE),
        "size_bytes": 1 << 30, "boot_index": 0, **changes})


def a_file(*, name="disk", format="qcow2"):
    return disk.FileSource(path=ROOT / name, format=format)


def a_disk(*, source=None, **plan):
    """Return a disk that exists."""
    return disk.Disk(plan=a_plan(**plan), source=source or a_file())


def a_config_drive(**plan):
    return a_disk(source=a_file(name="disk.config", format="raw"), **{
        "name": "disk.config", "target": "hda", "bus": disk.Bus.IDE,
        "content": disk.ConfigDriveContent(), "size_bytes": None,
        "device": disk.Device.CDROM, "boot_index": None, **plan})


def a_nic_plan(**changes):
    return nic.NicPlan(**{"vif_id": PORT, "mac": MAC, "model": "virtio",
                          **changes})


def a_tap(**changes):
    return nic.TapSource(**{"target": "tapce531f90-19", **changes})


def a_nic(*, source=None, **plan):
    return nic.Nic(plan=a_nic_plan(**plan), source=source or a_tap())


def a_topology(**changes):
    return cpu.Topology(**{"sockets": 2, "cores": 1, "threads": 1, **changes})


def a_cpu(**changes):
    return cpu.Cpu(**{"mode": cpu.Mode.HOST_MODEL, "topology": a_topology(),
                      **changes})


def a_record(**changes):
    """Return what libvirt chose for a guest with UEFI."""
    return firmware.Record(**{
        "loader": pathlib.PurePosixPath("/usr/share/OVMF/OVMF_CODE_4M.fd"),
        "loader_type": "pflash", "loader_readonly": True,
        "loader_secure": False,
        "nvram": pathlib.PurePosixPath("/var/lib/libvirt/qemu/nvram/g.fd"),
        "nvram_template": pathlib.PurePosixPath(
            "/usr/share/OVMF/OVMF_VARS_4M.fd"), **changes})


def uefi(**changes):
    return firmware.Firmware(**{"kind": firmware.Kind.UEFI, **changes})


def a_kernel(**changes):
    return firmware.Kernel(**{
        "kernel": ROOT / "kernel", "ramdisk": ROOT / "ramdisk",
        "command_line": "root=/dev/vda console=ttyS0", **changes})


def a_smbios(**changes):
    return guest.Smbios(**{
        "manufacturer": "OpenStack Foundation", "product": "OpenStack Nova",
        "version": "34.0.0", "serial": UUID, "uuid": UUID, **changes})


def a_boot(**changes):
    return guest.Boot(**{
        "arch": "x86_64", "machine": "pc", "firmware": firmware.Firmware(),
        "devices": ("hd",), "smbios": a_smbios(), **changes})


def a_flavor(**changes):
    return metadata.Flavor(**{
        "name": "small", "id": "42", "memory_mib": 512, "disk_gib": 10,
        "swap_mib": 0, "ephemeral_gib": 0, "vcpus": 2,
        "extra_specs": {}, **changes})


def an_image(**changes):
    return metadata.Image(**{
        "id": IMAGE, "container_format": "bare", "disk_format": "qcow2",
        "min_disk_gib": 0, "min_ram_mib": 0, "properties": {}, **changes})


def an_owner(**changes):
    return metadata.Owner(**{
        "user_id": "u1", "user_name": "ann", "project_id": "p1",
        "project_name": "shop", **changes})


def a_port(**changes):
    return metadata.Port(**{
        "id": PORT, "addresses": (metadata.Address(
            type="fixed", address="10.0.0.7", version=4),), **changes})


def a_metadata(**changes):
    return metadata.Metadata(**{
        "package_version": "34.0.0", "display_name": "web",
        "created_at": "2026-01-31 12:00:00", "flavor": a_flavor(),
        "image": an_image(), "owner": an_owner(), "ports": (a_port(),),
        **changes})


def a_log(*, name="console.log"):
    return ROOT / name


def an_rng(**changes):
    return device.Rng(**{"path": pathlib.PurePosixPath("/dev/urandom"),
                         **changes})


def the_devices(**changes):
    """Return what a guest has that asks for nothing."""
    return device.Devices(**{
        "serials": (device.SerialPty(log=a_log()),),
        "graphics": (device.Vnc(listen="127.0.0.1"),),
        "video": device.Video(model="virtio"),
        "inputs": (device.Input(kind=device.InputKind.TABLET, bus="usb"),),
        "controllers": (device.UsbController(model=None),),
        "rng": an_rng(), "balloon": device.Balloon(stats_period_seconds=10),
        **changes})


def a_guest_plan(**changes):
    """Return a guest that is wanted, its disks and interfaces too."""
    return guest.GuestPlan(**{
        "name": "instance-00000001", "uuid": UUID,
        "virt_type": guest.VirtType.QEMU, "memory_kib": 512 << 10,
        "vcpus": 2, "cpu": a_cpu(), "cpu_tuning": None, "cpuset": None,
        "boot": a_boot(), "features": guest.Features(),
        "clock": guest.Clock(), "metadata": a_metadata(),
        "disks": (a_plan(),), "nics": (a_nic_plan(),),
        "devices": the_devices(), **changes})


def a_guest(*, disks=None, nics=None, **plan):
    """Return a guest whose parts exist; the plan lists the same parts."""
    disks = (a_disk(),) if disks is None else tuple(disks)
    nics = (a_nic(),) if nics is None else tuple(nics)
    return guest.Guest(
        plan=a_guest_plan(**{"disks": tuple(item.plan for item in disks),
                             "nics": tuple(item.plan for item in nics),
                             **plan}),
        disks=disks, nics=nics)
