"""The in-tree driver's XML of the guest that the factories make."""

import calendar
import time
import types

from nova.virt.libvirt import config

from tests import factories

CREATED_AT = calendar.timegm(
    time.strptime(factories.a_metadata().created_at, "%Y-%m-%d %H:%M:%S"))


def of(kind, *arguments, **attributes):
    """Return one of the in-tree driver's elements."""
    made = kind(*arguments)
    for name, value in attributes.items():
        if not hasattr(made, name):
            raise AttributeError(f"{kind.__name__} has no {name}")
        setattr(made, name, value)
    return made


def a_guest(**changes):
    """Return what ``factories.a_guest`` is."""
    return of(config.LibvirtConfigGuest, **{
        "virt_type": "qemu", "uuid": factories.UUID,
        "name": "instance-00000001", "memory": 512 << 10, "vcpus": 2,
        "iothreads": 1, "metadata": [a_metadata()],
        "os_type": "hvm", "os_arch": "x86_64", "os_mach_type": "pc",
        "os_boot_dev": ["hd"], "os_smbios": config.LibvirtConfigGuestSMBIOS(),
        "sysinfo": of(
            config.LibvirtConfigGuestSysinfo,
            system_manufacturer="OpenStack Foundation",
            system_product="OpenStack Nova", system_version="34.0.0",
            system_serial=factories.UUID, system_uuid=factories.UUID,
            system_family="Virtual Machine"),
        "features": [config.LibvirtConfigGuestFeatureACPI(),
                     config.LibvirtConfigGuestFeatureAPIC()],
        "clock": config.LibvirtConfigGuestClock(),
        "cpu": of(config.LibvirtConfigGuestCPU, mode="host-model", sockets=2,
                  cores=1, threads=1),
        "devices": the_devices(), **changes})


def a_metadata():
    port = config.LibvirtConfigGuestMetaNovaPort(
        factories.PORT, [config.LibvirtConfigGuestMetaNovaIp(
            "fixed", "10.0.0.7", 4)])
    return of(
        config.LibvirtConfigGuestMetaNovaInstance, package="34.0.0",
        name="web", creationTime=CREATED_AT, roottype="image",
        rootid=factories.IMAGE,
        flavor=of(config.LibvirtConfigGuestMetaNovaFlavor, name="small",
                  id="42", memory=512, disk=10, swap=0, ephemeral=0, vcpus=2,
                  extra_specs={"hw:boot_menu": "yes"}),
        image=of(config.LibvirtConfigGuestMetaImage, uuid=factories.IMAGE,
                 image_meta=types.SimpleNamespace(
                     container_format="bare", disk_format="qcow2", min_disk=0,
                     min_ram=0, properties={"hw_disk_bus": "virtio"})),
        owner=of(config.LibvirtConfigGuestMetaNovaOwner, userid="u1",
                 username="ann", projectid="p1", projectname="shop"),
        ports=of(config.LibvirtConfigGuestMetaNovaPorts, ports=[port]))


def a_log():
    return of(config.LibvirtConfigGuestCharDeviceLog,
              file=str(factories.a_log()))


def a_disk(**changes):
    return of(config.LibvirtConfigGuestDisk, **{
        "driver_name": "qemu", "driver_format": "qcow2",
        "driver_cache": "none", "source_path": str(factories.a_file().path),
        "target_dev": "vda", "target_bus": "virtio", **changes})


def an_interface(**changes):
    return of(config.LibvirtConfigGuestInterface, **{
        "net_type": "ethernet", "mac_addr": factories.MAC, "model": "virtio",
        "target_dev": factories.a_tap().target, "managed": "no", **changes})


def the_devices(*, disks=None, interfaces=None, others=None):
    return [
        *(disks or [a_disk()]), *(interfaces or [an_interface()]),
        *(others or [
            of(config.LibvirtConfigGuestSerial, log=a_log()),
            of(config.LibvirtConfigGuestGraphics, listen="127.0.0.1"),
            config.LibvirtConfigGuestVideo(),
            config.LibvirtConfigGuestInput(),
            of(config.LibvirtConfigGuestUSBHostController, index=0),
            of(config.LibvirtConfigGuestRng, backend="/dev/urandom"),
            of(config.LibvirtConfigMemoryBalloon, model="virtio",
               period=10)])]
