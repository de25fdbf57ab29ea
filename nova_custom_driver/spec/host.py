"""What a host is and can do."""

from collections.abc import Mapping
import dataclasses


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class CpuTopology:
    """:ivar cells: NUMA nodes; the rest counts within one of them."""

    cells: int
    sockets: int
    cores: int
    threads: int


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class HostCpu:
    """
    :ivar model: None where libvirt knows none (TCG on odd hosts).
    :ivar address_mode: how the width of physical addresses comes to be
        ("passthrough", "emulate"), with ``address_bits``; None: not said.
    """

    arch: str
    model: str | None
    vendor: str | None
    topology: CpuTopology
    features: frozenset[str]
    address_mode: str | None = None
    address_bits: int | None = None


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class HostThread:
    """One of the host's processors, as its kernel counts them.

    :ivar siblings: the processors of the same core, this one among them.
    :ivar socket: None: libvirt does not say.
    """

    id: int
    siblings: frozenset[int]
    socket: int | None = None


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class HostCell:
    """A NUMA node.

    :ivar pages: {size in KiB: how many there are}; of the smallest size
        those that are not reserved for a larger one.
    """

    id: int
    memory_kib: int
    threads: tuple[HostThread, ...]
    pages: Mapping[int, int] = dataclasses.field(default_factory=dict)


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class GuestArch:
    """An architecture this host can run.

    :ivar machines: every machine type name, aliases included.
    :ivar virt_types: "kvm", "qemu" or both.
    """

    arch: str
    os_type: str
    machines: frozenset[str]
    virt_types: frozenset[str]


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class KernelEncryption:
    """What the kernel says of encrypting guests' memory.

    :ivar enabled: of AMD's "sev", "sev_es" and "sev_snp".
    :ivar tdx_guests: how many Intel TDX can have; None: it does not say.
    """

    enabled: frozenset[str] = frozenset()
    tdx_guests: int | None = None


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Sev:
    """AMD's memory encryption, as a machine offers it.

    :ivar c_bit: position of the bit that marks an encrypted page.
    :ivar reduced_bits: of the physical address, that guests lose.
    """

    c_bit: int
    reduced_bits: int
    max_guests: int = 0
    max_es_guests: int = 0


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class HostFacts:
    """Facts that hold while libvirtd and the kernel stay the same.

    :ivar libvirt_version: major * 1,000,000 + minor * 1,000 + release.
    :ivar qemu_version: counted alike.
    :ivar uuid: of the host's firmware, from libvirt's capabilities.
    :ivar hypervisor_type: "QEMU".
    :ivar cpu_cgroup: whether cpu shares and quotas can be set.
    :ivar cells: NUMA nodes; none where libvirt names none.
    :ivar kernel_major: of Linux; None: not asked.
    """

    hostname: str
    uuid: str
    hypervisor_type: str
    libvirt_version: int
    qemu_version: int
    cpu: HostCpu
    guests: tuple[GuestArch, ...]
    cpu_cgroup: bool = True
    has_smt: bool = False
    cells: tuple[HostCell, ...] = ()
    kernel_major: int | None = None
    kernel_encryption: KernelEncryption = KernelEncryption()


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class DomainFacts:
    """What libvirt says of one (architecture, machine, virt type).

    :ivar machine: canonical name ("pc-i440fx-7.2").
    :ivar firmwares: "bios" and "efi".
    :ivar cpu_models: named models usable in "custom" mode.
    :ivar enums: other device enumerations by path
        ("graphics/type", "rng/model").
    :ivar launch_security: its kinds ("sev-snp"), where libvirt lists them.
    """

    arch: str
    machine: str
    virt_type: str
    emulator: str
    max_vcpus: int
    disk_buses: frozenset[str]
    video_models: frozenset[str]
    firmwares: frozenset[str]
    secure_boot: bool
    cpu_modes: frozenset[str]
    cpu_models: frozenset[str]
    enums: Mapping[str, frozenset[str]] = dataclasses.field(
        default_factory=dict)
    sev: Sev | None = None
    tdx: bool = False
    launch_security: frozenset[str] = frozenset()


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Usage:
    """What the host's guests and processes use at this moment.

    :ivar memory_used_mib: total less free, buffers and page cache.
    :ivar present_cpus: those that could be brought online as well.
    """

    memory_total_mib: int
    memory_used_mib: int
    online_cpus: frozenset[int]
    present_cpus: frozenset[int] = frozenset()


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class DiskUsage:
    """Space where guests' disks are kept, in bytes."""

    total_bytes: int
    free_bytes: int
    used_bytes: int
