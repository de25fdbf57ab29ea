"""Configuration, as the rooms that must not read it receive it.

``nova_custom_driver.conf`` makes these from Nova's options; every name says
which.  Frozen, so what an operation was given cannot change under it.
"""

from collections.abc import Mapping
import dataclasses
import pathlib

from nova_custom_driver.spec import device
from nova_custom_driver.spec import node_device

URANDOM = pathlib.PurePosixPath("/dev/urandom")


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class GuestSettings:
    """What the planner follows beside flavor and image.

    :ivar machine_types: {arch: machine} of ``[libvirt]hw_machine_type``.
    :ivar cache_modes: {source kind: mode} of ``[libvirt]disk_cachemodes``.
    :ivar default_cache: mode where ``cache_modes`` is silent; "none" if
        the instances path takes O_DIRECT, else "writeback".
    :ivar tpm: whether guests may have one, by swtpm.
    :ivar tpm_secret_security: who may hold a TPM's secret ("user", "host",
        "deployment").
    :ivar machine_id: of the host's operating system; None: it has none.
    :ivar release: (vendor, product, package version) of Nova.
    """

    instances_path: pathlib.PurePosixPath
    virt_type: str
    cpu_mode: str | None = None
    cpu_models: tuple[str, ...] = ()
    cpu_extra_flags: tuple[str, ...] = ()
    cpu_shared_set: frozenset[int] | None = None
    machine_types: Mapping[str, str] = dataclasses.field(default_factory=dict)
    sysinfo_serial: str = "unique"
    machine_id: str | None = None
    release: tuple[str, str, str] = ("OpenStack", "OpenStack Nova", "0")
    disk_prefix: str | None = None
    cache_modes: Mapping[str, str] = dataclasses.field(default_factory=dict)
    default_cache: str = "none"
    discard: str | None = None
    native_io: bool = False
    max_disk_devices: int = -1
    config_drive_format: str = "iso9660"
    use_virtio_for_bridges: bool = True
    rx_queue_size: int | None = None
    tx_queue_size: int | None = None
    max_queues: int | None = None
    rng_device: pathlib.PurePosixPath = URANDOM
    memory_stats_period_seconds: int = 10
    pointer_model: str | None = "usbtablet"
    vnc: device.Vnc | None = None
    spice: device.Spice | None = None
    spice_agent: bool = False
    serial_console: bool = False
    serial_console_host: str = "127.0.0.1"
    num_pcie_ports: int = 0
    tb_cache_mib: int | None = None
    disable_apic: bool = False
    perf_events: tuple[str, ...] = ()
    tpm: bool = False
    tpm_secret_security: frozenset[str] = frozenset()


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class DiskSettings:
    """What disk backends and the base cache follow.

    :ivar images_type: the backend ("qcow2", "raw"); "flat" and "default"
        are resolved already.
    :ivar preallocate: ``preallocate_images=space``.
    :ivar mkfs_commands: lines of ``[DEFAULT]virt_mkfs``.
    :ivar snapshot_format: None: that of the disk.
    :ivar live_snapshots: whether guests run on meanwhile.
    """

    instances_path: pathlib.Path
    cache_directory: pathlib.Path
    images_type: str
    force_raw_images: bool = True
    preallocate: bool = False
    deep_inspection: bool = True
    vmdk_allowed_types: tuple[str, ...] = ()
    default_ephemeral_format: str | None = None
    mkfs_commands: tuple[str, ...] = ()
    cpu_time_limit_seconds: int = 30
    address_space_limit_bytes: int = 2 << 30
    mkisofs_command: str = "genisoimage"
    snapshots_directory: pathlib.Path = pathlib.Path("/var/tmp")
    snapshot_format: str | None = None
    snapshot_compression: bool = False
    live_snapshots: bool = True
    rescue_image_id: str | None = None
    rescue_kernel_id: str | None = None
    rescue_ramdisk_id: str | None = None


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class VolumeSettings:
    """How volumes are reached, under ``[libvirt]`` if not said otherwise.

    :ivar address: ``[DEFAULT]my_block_storage_ip``.
    :ivar multipath: ``volume_use_multipath``; ``enforce_multipath`` refuses
        a volume that has one path only.
    :ivar default_io: QEMU's default I/O mode instead of native AIO.
    """

    root_helper: str
    host: str
    address: str
    multipath: bool = False
    enforce_multipath: bool = False
    iscsi_interface: str | None = None
    iser_multipath: bool = False
    scan_attempts: int = 5
    iser_scan_attempts: int = 5
    nvme_scan_attempts: int = 5
    default_io: bool = False
    rbd_user: str | None = None
    rbd_secret_uuid: str | None = None
    nfs_directory: pathlib.Path = pathlib.Path("/mnt")
    nfs_options: str | None = None
    smb_directory: pathlib.Path = pathlib.Path("/mnt")
    smb_options: str | None = None


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class HostSettings:
    """How libvirt is reached.

    :ivar call_timeout_seconds: after which a call counts as hung.
    """

    uri: str
    host: str
    call_timeout_seconds: float
    keepalive_interval_seconds: int = 5
    keepalive_count: int = 5


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class ConsoleSettings:
    """Where the proxies reach this host's consoles."""

    vnc_host: str
    spice_host: str


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class MdevType:
    """:ivar max_instances: on all devices together; None: no limit."""

    resource_class: str = "VGPU"
    max_instances: int | None = None


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class MdevSettings:
    """Which type of mediated device is made of which device.

    :ivar types: {name: what is configured of it}, of those enabled.
    :ivar devices: {PCI address, or libvirt's name of a device that is none:
        type}.
    :ivar default: type of the devices not named; None: they are not used.
    """

    types: Mapping[str, MdevType] = dataclasses.field(default_factory=dict)
    devices: Mapping[str, str] = dataclasses.field(default_factory=dict)
    default: str | None = None

    def type_of(self, device: str) -> str | None:
        """Return the type made of a device; None: it is not used.

        :param device: libvirt's name of it.
        """
        address = node_device.pci_address(device)
        if address is None:
            # The default is for hardware: a device without is asked for.
            return self.devices.get(device)
        return self.devices.get(address, self.default)

    def class_of(self, device: str) -> str:
        """Return the resource class of what is made of a device."""
        kind = self.type_of(device)
        return self.types[kind].resource_class if kind else "VGPU"


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class ResourceSettings:
    """What of the host guests may have.

    :ivar cpu_shared_set: None: every processor that is online, or none if
        there are dedicated ones.
    :ivar cpu_set_is_legacy: ``cpu_shared_set`` is ``vcpu_pin_set``, whose
        processors pinned guests may have as well.
    :ivar dedicated_cpus_sleep: dedicated processors that are in nobody's
        use may be offline (``[libvirt]cpu_power_management``).
    :ivar file_backed_memory_mib: the memory there is, in files; 0: the
        host's own.
    :ivar reserved_pages: {NUMA node: {page size in KiB: pages}}.
    :ivar physnet_nodes: {physical network: NUMA nodes of its card}.
    :ivar tunnel_nodes: NUMA nodes of the card of tunneled networks.
    :ivar tdx_guests: how many guests Intel TDX may encrypt; None: as many
        as the kernel says.
    :ivar reserve_for_base_cache: whether what the base cache takes is
        reserved for it.
    :ivar mdev: which mediated devices guests may have.
    """

    reserved_memory_mib: int
    reserved_disk_mib: int
    reserved_cpus: int
    cpu_shared_set: frozenset[int] | None
    cpu_set_is_legacy: bool = False
    cpu_dedicated_set: frozenset[int] = frozenset()
    dedicated_cpus_sleep: bool = False
    file_backed_memory_mib: int = 0
    reserved_pages: Mapping[int, Mapping[int, int]] = dataclasses.field(
        default_factory=dict)
    physnet_nodes: Mapping[str, frozenset[int]] = dataclasses.field(
        default_factory=dict)
    tunnel_nodes: frozenset[int] = frozenset()
    tdx_guests: int | None = None
    reserve_for_base_cache: bool = False
    mdev: MdevSettings = MdevSettings()


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class NetworkSettings:
    """How Neutron is waited for.

    :ivar plug_timeout_seconds: 0: its event is never waited for.
    :ivar reboot_waits_for: vnic types waited for on hard reboot as well.
    """

    plug_timeout_seconds: int
    plug_is_fatal: bool
    reboot_waits_for: frozenset[str] = frozenset()
