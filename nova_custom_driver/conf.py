"""Options of our own, and Nova's as the settings our rooms receive.

Whatever ``[DEFAULT]``, ``[libvirt]``, ``[compute]``, ``[vnc]`` and the like
already say keeps its name, meaning and default; only what is new stands in
``[custom_driver]``.
"""

from collections.abc import Mapping
import pathlib
from typing import Any

from nova import utils as nova_utils
from nova import version
import nova.conf
from nova.virt import hardware
from oslo_config import cfg
from oslo_log import log as logging

from nova_custom_driver import exception
from nova_custom_driver.spec import device
from nova_custom_driver.spec import settings

GROUP = cfg.OptGroup(
    "custom_driver", title="nova-custom-driver",
    help="Options of the compute driver nova_custom_driver.CustomDriver.")

OPTIONS = [
    cfg.IntOpt(
        "libvirt_call_timeout", default=60, min=1,
        help="Seconds after which a call to libvirt that has not come back "
             "counts as hung. The operation fails with "
             "HypervisorUnavailable, and the service goes on."),
    cfg.IntOpt(
        "operation_workers", default=4, min=1,
        help="How many steps of one operation (disks, interfaces) may run "
             "side by side."),
    cfg.StrOpt(
        "metrics_file",
        help="File that receives the durations of operations and their steps "
             "as Prometheus text, for the textfile collector of the node "
             "exporter. Unset: none is written."),
]

MACHINE_ID = pathlib.Path("/etc/machine-id")
LOG = logging.getLogger(__name__)
SOURCE_KINDS = frozenset(("file", "block", "network", "mount"))
CACHE_MODES = frozenset(
    ("default", "none", "writethrough", "writeback", "directsync", "unsafe"))


def register(conf: cfg.ConfigOpts) -> None:
    """Make the options known; registering twice is no error."""
    conf.register_group(GROUP)
    conf.register_opts(OPTIONS, GROUP)


def list_opts() -> list[tuple[cfg.OptGroup, list[cfg.Opt]]]:
    """Return the options for ``oslo-config-generator``."""
    return [(GROUP, OPTIONS)]


def check(conf: cfg.ConfigOpts) -> None:
    """Refuse a configuration this driver cannot honour.

    :raises UnsupportedConfiguration: naming the option.
    """
    if conf.libvirt.virt_type not in ("kvm", "qemu"):
        raise exception.UnsupportedConfiguration(
            option="[libvirt]virt_type", value=conf.libvirt.virt_type,
            reason="this driver runs guests by kvm and qemu")
    if conf.libvirt.inject_partition != -2:
        raise exception.UnsupportedConfiguration(
            option="[libvirt]inject_partition",
            value=conf.libvirt.inject_partition,
            reason="files are not injected into images; use a config drive, "
                   "and set -2")
    if conf.libvirt.swtpm_enabled:
        raise exception.UnsupportedConfiguration(
            option="[libvirt]swtpm_enabled", value=True,
            reason="guests with a TPM are not supported yet")
    if conf.compute.cpu_dedicated_set:
        raise exception.UnsupportedConfiguration(
            option="[compute]cpu_dedicated_set",
            value=conf.compute.cpu_dedicated_set,
            reason="pinned guests are not supported yet")
    if conf.libvirt.file_backed_memory:
        raise exception.UnsupportedConfiguration(
            option="[libvirt]file_backed_memory",
            value=conf.libvirt.file_backed_memory,
            reason="memory backed by files is not supported yet")
    if conf.libvirt.cpu_mode == "custom" and not conf.libvirt.cpu_models:
        raise exception.UnsupportedConfiguration(
            option="[libvirt]cpu_mode", value="custom",
            reason="cpu_models names no model")
    if conf.libvirt.cpu_models and conf.libvirt.cpu_mode != "custom":
        raise exception.UnsupportedConfiguration(
            option="[libvirt]cpu_models", value=conf.libvirt.cpu_models,
            reason="models are used with cpu_mode=custom only")


def guest_settings(conf: cfg.ConfigOpts, *,
                   direct_io: bool) -> settings.GuestSettings:
    """Return what the planner follows.

    :param direct_io: whether the instances path takes O_DIRECT.
    """
    libvirt = conf.libvirt
    return settings.GuestSettings(
        instances_path=pathlib.PurePosixPath(conf.instances_path),
        virt_type=libvirt.virt_type,
        cpu_mode=libvirt.cpu_mode,
        cpu_models=tuple(libvirt.cpu_models or ()),
        cpu_extra_flags=tuple(
            flag.lower() for flag in libvirt.cpu_model_extra_flags or ()),
        cpu_shared_set=cpu_shared_set(),
        machine_types=_machine_types(libvirt.hw_machine_type or ()),
        sysinfo_serial=libvirt.sysinfo_serial,
        machine_id=_machine_id(),
        release=(version.vendor_string(), version.product_string(),
                 version.version_string_with_package()),
        disk_prefix=libvirt.disk_prefix,
        cache_modes=_cache_modes(libvirt.disk_cachemodes or ()),
        default_cache="none" if direct_io else "writeback",
        discard=libvirt.hw_disk_discard,
        native_io=conf.preallocate_images == "space",
        max_disk_devices=conf.compute.max_disk_devices_to_attach,
        config_drive_format=conf.config_drive_format,
        use_virtio_for_bridges=libvirt.use_virtio_for_bridges,
        rx_queue_size=libvirt.rx_queue_size,
        tx_queue_size=libvirt.tx_queue_size,
        max_queues=libvirt.max_queues,
        rng_device=pathlib.PurePosixPath(libvirt.rng_dev_path),
        memory_stats_period_seconds=libvirt.mem_stats_period_seconds,
        pointer_model=conf.pointer_model,
        vnc=_vnc(conf), spice=_spice(conf),
        spice_agent=conf.spice.enabled and conf.spice.agent_enabled,
        serial_console=conf.serial_console.enabled,
        serial_console_host=conf.serial_console.proxyclient_address,
        num_pcie_ports=libvirt.num_pcie_ports,
        perf_events=tuple(libvirt.enabled_perf_events or ()),
        tb_cache_mib=libvirt.tb_cache_size,
        tpm=libvirt.swtpm_enabled,
        tpm_secret_security=frozenset(libvirt.supported_tpm_secret_security),
        disable_apic=conf.workarounds.libvirt_disable_apic)


def disk_settings(conf: cfg.ConfigOpts) -> settings.DiskSettings:
    """Return what disk backends and the base cache follow."""
    instances = pathlib.Path(conf.instances_path)
    return settings.DiskSettings(
        instances_path=instances,
        cache_directory=instances / conf.image_cache.subdirectory_name,
        images_type=_images_type(conf),
        force_raw_images=conf.force_raw_images,
        preallocate=conf.preallocate_images == "space",
        deep_inspection=not conf.workarounds.disable_deep_image_inspection,
        vmdk_allowed_types=tuple(conf.compute.vmdk_allowed_types),
        default_ephemeral_format=conf.default_ephemeral_format,
        mkfs_commands=tuple(conf.virt_mkfs),
        cpu_time_limit_seconds=conf.libvirt.images_cpu_time_limit,
        address_space_limit_bytes=(
            conf.libvirt.images_address_space_limit << 30),
        mkisofs_command=conf.mkisofs_cmd,
        snapshots_directory=pathlib.Path(conf.libvirt.snapshots_directory),
        rescue_image_id=conf.libvirt.rescue_image_id,
        rescue_kernel_id=conf.libvirt.rescue_kernel_id,
        rescue_ramdisk_id=conf.libvirt.rescue_ramdisk_id,
        snapshot_format=conf.libvirt.snapshot_image_format,
        snapshot_compression=conf.libvirt.snapshot_compression,
        live_snapshots=not conf.workarounds.disable_libvirt_livesnapshot)


def volume_settings(conf: cfg.ConfigOpts) -> settings.VolumeSettings:
    """Return how volumes are reached."""
    libvirt = conf.libvirt
    return settings.VolumeSettings(
        root_helper=nova_utils.get_root_helper(), host=conf.host,
        address=conf.my_block_storage_ip,
        multipath=libvirt.volume_use_multipath,
        enforce_multipath=libvirt.volume_enforce_multipath,
        iscsi_interface=libvirt.iscsi_iface,
        iser_multipath=libvirt.iser_use_multipath,
        scan_attempts=libvirt.num_volume_scan_tries,
        iser_scan_attempts=libvirt.num_iser_scan_tries,
        nvme_scan_attempts=libvirt.num_nvme_discover_tries,
        default_io=libvirt.use_default_aio_mode_for_volumes,
        rbd_user=libvirt.rbd_user, rbd_secret_uuid=libvirt.rbd_secret_uuid,
        nfs_directory=pathlib.Path(libvirt.nfs_mount_point_base),
        nfs_options=libvirt.nfs_mount_options,
        smb_directory=pathlib.Path(libvirt.smbfs_mount_point_base),
        smb_options=libvirt.smbfs_mount_options)


def host_settings(conf: cfg.ConfigOpts) -> settings.HostSettings:
    """Return how libvirt is reached."""
    return settings.HostSettings(
        uri=conf.libvirt.connection_uri or "qemu:///system", host=conf.host,
        call_timeout_seconds=conf.custom_driver.libvirt_call_timeout)


def network_settings(conf: cfg.ConfigOpts) -> settings.NetworkSettings:
    """Return how Neutron is waited for."""
    return settings.NetworkSettings(
        plug_timeout_seconds=conf.vif_plugging_timeout,
        plug_is_fatal=conf.vif_plugging_is_fatal,
        reboot_waits_for=frozenset(
            conf.workarounds.wait_for_vif_plugged_event_during_hard_reboot))


def console_settings(conf: cfg.ConfigOpts) -> settings.ConsoleSettings:
    """Return where the proxies reach this host's consoles."""
    return settings.ConsoleSettings(
        vnc_host=str(conf.vnc.server_proxyclient_address),
        spice_host=str(conf.spice.server_proxyclient_address))


def _images_type(conf: cfg.ConfigOpts) -> str:
    name = conf.libvirt.images_type
    if name == "default":
        return "qcow2" if conf.use_cow_images else "raw"
    return "raw" if name == "flat" else str(name)


def _machine_id() -> str | None:
    try:
        return MACHINE_ID.read_text().strip() or None
    except OSError:
        return None


def cpu_shared_set() -> frozenset[int] | None:
    """Return the processors guests share; None: no option names them."""
    shared = hardware.get_vcpu_pin_set() if nova.conf.CONF.vcpu_pin_set \
        else hardware.get_cpu_shared_set()
    return frozenset(shared) if shared else None


def _machine_types(lines: Any) -> Mapping[str, str]:
    """:raises UnsupportedConfiguration: a line is not ``arch=machine``."""
    types = {}
    for line in lines:
        arch, equals, machine = line.partition("=")
        if not (arch and equals and machine):
            raise exception.UnsupportedConfiguration(
                option="[libvirt]hw_machine_type", value=line,
                reason="each entry reads architecture=machine")
        types[arch.strip()] = machine.strip()
    return types


def _cache_modes(lines: Any) -> Mapping[str, str]:
    modes = {}
    for line in lines:
        kind, _, mode = line.partition("=")
        if kind not in SOURCE_KINDS or mode not in CACHE_MODES:
            LOG.warning("Ignoring '%s' in [libvirt]disk_cachemodes: an entry "
                        "reads kind=mode, with a kind of %s and a mode of %s",
                        line, ", ".join(sorted(SOURCE_KINDS)),
                        ", ".join(sorted(CACHE_MODES)))
            continue
        modes[kind] = mode
    return modes


def _vnc(conf: cfg.ConfigOpts) -> device.Vnc | None:
    if not conf.vnc.enabled:
        return None
    return device.Vnc(listen=conf.vnc.server_listen)


def _spice(conf: cfg.ConfigOpts) -> device.Spice | None:
    spice = conf.spice
    if not spice.enabled:
        return None
    return device.Spice(
        listen=spice.server_listen,
        image_compression=spice.image_compression,
        jpeg_compression=spice.jpeg_compression,
        zlib_compression=spice.zlib_compression,
        playback_compression=spice.playback_compression,
        streaming_mode=spice.streaming_mode,
        secure=spice.require_secure)
