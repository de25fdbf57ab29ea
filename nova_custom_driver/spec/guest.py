"""A guest: what it shall be, and what it is once its parts exist."""

import dataclasses
import enum

from nova_custom_driver.spec import cpu as cpu_spec
from nova_custom_driver.spec import device
from nova_custom_driver.spec import disk
from nova_custom_driver.spec import firmware as firmware_spec
from nova_custom_driver.spec import metadata as metadata_spec
from nova_custom_driver.spec import nic


class VirtType(enum.StrEnum):
    KVM = "kvm"
    QEMU = "qemu"


class OsType(enum.StrEnum):
    HVM = "hvm"


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Smbios:
    """What the guest reads in its SMBIOS system table."""

    manufacturer: str
    product: str
    version: str
    serial: str | None
    uuid: str
    family: str = "Virtual Machine"


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Boot:
    """The machine and how it starts.

    :ivar arch: None: the host's own, not written.
    :ivar devices: "hd", "cdrom", "fd" in order.
    :ivar smbios: None: QEMU's own table.
    """

    arch: str | None
    machine: str
    firmware: firmware_spec.Firmware
    devices: tuple[str, ...]
    os_type: OsType = OsType.HVM
    kernel: firmware_spec.Kernel | None = None
    menu: bool = False
    smbios: Smbios | None = None


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Features:
    """:ivar hyperv: the enlightenments Windows knows.
    :ivar hyperv_vendor_id: shown to Windows in place of the hypervisor.
    :ivar pmu: None: the hypervisor's default.
    :ivar tb_cache_mib: of TCG's translated code; None: QEMU's default.
    """

    acpi: bool = True
    apic: bool = True
    vmcoreinfo: bool = False
    hidden: bool = False
    hyperv: bool = False
    hyperv_vendor_id: str | None = None
    pmu: bool | None = None
    tb_cache_mib: int | None = None


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Timer:
    name: str
    tickpolicy: str | None = None
    present: bool | None = None


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Clock:
    offset: str = "utc"
    timers: tuple[Timer, ...] = ()


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class GuestPlan:
    """All that is decided about a guest before the host is changed.

    Rooms for later: NUMA and pinning (beside ``cpu``), memory backing,
    launch security, host devices.

    :ivar name: the domain's name; ``uuid`` is the instance's.
    :ivar nics: in the order the guest sees them.
    """

    name: str
    uuid: str
    virt_type: VirtType
    memory_kib: int
    vcpus: int
    cpu: cpu_spec.Cpu | None
    cpu_tuning: cpu_spec.Tuning | None
    cpuset: frozenset[int] | None
    boot: Boot
    features: Features
    clock: Clock
    metadata: metadata_spec.Metadata
    disks: tuple[disk.DiskPlan, ...]
    nics: tuple[nic.NicPlan, ...]
    devices: device.Devices
    perf_events: tuple[str, ...] = ()
    iothreads: int = 1


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Guest:
    """A plan whose disks are stored and whose interfaces have a source."""

    plan: GuestPlan
    disks: tuple[disk.Disk, ...]
    nics: tuple[nic.Nic, ...]
