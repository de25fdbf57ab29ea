"""A host and a guest on it; a test changes only what it is about."""

import dataclasses
import pathlib

from nova import exception as nova_exception
from nova import objects

from nova_custom_driver import units
from nova_custom_driver.spec import host
from nova_custom_driver.spec import settings
from nova_custom_driver.virt.host import base

objects.register_all()

UUID = "7f0c1d8a-5f7f-4f6e-8c39-0f8a1d3b5e77"


def host_facts(*, arch="x86_64", features=("aes", "sse2"), guests=None,
               **changes):
    return host.HostFacts(**{
        "hostname": "compute-1", "uuid": UUID, "hypervisor_type": "QEMU",
        "libvirt_version": 10_000_000, "qemu_version": 8_002_002,
        "cpu": host.HostCpu(
            arch=arch, model="EPYC", vendor="AMD",
            topology=host.CpuTopology(cells=2, sockets=1, cores=4,
                                      threads=2),
            features=frozenset(features)),
        "guests": guests if guests is not None else (guest_arch(arch),),
        **changes})


def guest_arch(arch="x86_64", virt_types=("qemu", "kvm"), os_type="hvm"):
    return host.GuestArch(arch=arch, os_type=os_type,
                          machines=frozenset(("pc", "q35")),
                          virt_types=frozenset(virt_types))


def domain_facts(*, buses=("virtio",), videos=("vga",),
                 modes=("host-model", "host-passthrough", "custom"),
                 **changes):
    return host.DomainFacts(**{
        "arch": "x86_64", "machine": "pc-q35-8.2", "virt_type": "kvm",
        "emulator": "/usr/bin/qemu-system-x86_64", "max_vcpus": 288,
        "disk_buses": frozenset(buses), "video_models": frozenset(videos),
        "firmwares": frozenset(("bios", "efi")), "secure_boot": True,
        "cpu_modes": frozenset(modes), "cpu_models": frozenset(("EPYC",)),
        **changes})


def disk_settings(**changes):
    path = pathlib.Path("/instances")
    return settings.DiskSettings(**{
        "instances_path": path, "cache_directory": path / "_base",
        "snapshots_directory": path / "snapshots", "images_type": "qcow2",
        **changes})


def guest_settings(**changes):
    return settings.GuestSettings(**{
        "instances_path": pathlib.PurePosixPath("/instances"),
        "virt_type": "kvm", **changes})


def resource_settings(**changes):
    return settings.ResourceSettings(**{
        "reserved_memory_mib": 512, "reserved_disk_mib": 0,
        "reserved_cpus": 0, "cpu_shared_set": None, **changes})


def usage(**changes):
    return host.Usage(**{
        "memory_total_mib": 64_000, "memory_used_mib": 1_500,
        "online_cpus": frozenset(range(8)), **changes})


def disk_usage(*, total_gib=100, free_gib=60, used_gib=40):
    return host.DiskUsage(
        total_bytes=int(total_gib * units.BYTES_PER_GIB),
        free_bytes=int(free_gib * units.BYTES_PER_GIB),
        used_bytes=int(used_gib * units.BYTES_PER_GIB))


@dataclasses.dataclass
class Guest:
    """What these operations ask a domain for."""

    uuid: str = UUID
    text: str = "<domain/>"
    values: dict = dataclasses.field(default_factory=dict)
    state: base.State = base.State.RUNNING

    def xml(self, *, inactive=False):
        return self.text

    def stats(self):
        return base.DomainStats(uuid=self.uuid, state=self.state,
                                values=self.values)


class Host:
    """What these operations ask a hypervisor for."""

    def __init__(self, *guests, facts=None, usage=None, pci=()):
        self._guests = {guest.uuid: guest for guest in guests}
        self._facts = facts
        self._usage = usage
        self._pci = pci

    def find(self, uuid):
        try:
            return self._guests[uuid]
        except KeyError:
            raise nova_exception.InstanceNotFound(
                instance_id=uuid) from None

    def all_stats(self):
        return tuple(guest.stats() for guest in self._guests.values())

    def facts(self):
        return self._facts

    def usage(self):
        return self._usage

    def guests_memory_kib(self):
        return 3 << 20

    def pci_devices(self):
        return self._pci
