"""Which disks a guest gets."""

import dataclasses

from nova import exception as nova_exception
from nova.objects import image_meta as image_meta_object

from nova_custom_driver import units
from nova_custom_driver.planner import block_devices
from nova_custom_driver.planner import disk_names
from nova_custom_driver.planner import request as request_module
from nova_custom_driver.planner import volumes
from nova_custom_driver.spec import disk as spec
from nova_custom_driver.spec import host as host_spec
from nova_custom_driver.spec import settings as settings_spec

CONFIG_DRIVES = {"iso9660": spec.Device.CDROM, "vfat": spec.Device.DISK}
# Cache modes that bypass the page cache, without which native AIO blocks.
DIRECT = frozenset(("none", "directsync"))
LIMITS = tuple(field.name for field in dataclasses.fields(spec.IoTune))
NOWHERE = block_devices.Device(
    name=None, bus=None, device_type=None, boot_index=None,
    guest_format=None, size=0, volume_id=None)


def plan_disks(request: request_module.GuestRequest, machine_name: str,
               domain: host_spec.DomainFacts,
               settings: settings_spec.GuestSettings
               ) -> tuple[spec.DiskPlan, ...]:
    """Return the guest's disks: root, ephemerals, swap, volumes, config
    drive.  Their order is the order of their names on a bus.

    :raises nova.exception.UnsupportedHardware: no such bus here.
    :raises nova.exception.TooManyDiskDevices: more than the bus, or
        ``max_disk_devices_to_attach``, allows.
    """
    plans = _Planner(request, machine_name, domain, settings).plans()
    if request.image_property("hw_scsi_model") != "virtio-scsi":
        return plans
    return _with_units(plans)


def plan_attached(request: request_module.GuestRequest, machine_name: str,
                  domain: host_spec.DomainFacts,
                  settings: settings_spec.GuestSettings,
                  device: block_devices.Device, unit: int
                  ) -> spec.DiskPlan:
    """Return the disk of a volume that is attached to an existing guest.

    :param unit: its place, should it be on a SCSI controller of ours.
    :raises: as :func:`plan_disks`.
    """
    plan = _Planner(request, machine_name, domain, settings).attached(device)
    if plan.bus is spec.Bus.SCSI \
            and request.image_property("hw_scsi_model") == "virtio-scsi":
        return dataclasses.replace(plan, unit=unit)
    return plan


def is_iso(image_meta: image_meta_object.ImageMeta) -> bool:
    """Return whether the guest boots from a CD's image."""
    return bool(image_meta.obj_attr_is_set("disk_format")
                and image_meta.disk_format == "iso")


class _Planner:
    """Gives every disk its place; lives for one plan."""

    def __init__(self, request: request_module.GuestRequest,
                 machine_name: str, domain: host_spec.DomainFacts,
                 settings: settings_spec.GuestSettings) -> None:
        self._request = request
        self._machine = machine_name
        self._domain = domain
        self._settings = settings
        self._devices = block_devices.read(request.block_device_info)
        self._names = disk_names.Names(settings, self._devices.names())

    def plans(self) -> tuple[spec.DiskPlan, ...]:
        rescue = self._request.rescue
        if rescue is None:
            return self._own()
        if rescue.stable:
            return (*self._own(), self._rescue_last(rescue))
        return (self._rescue_first(rescue), self._root_beside(),
                *self._config_drive("disk.config.rescue"))

    def attached(self, device: block_devices.Device) -> spec.DiskPlan:
        return self._volume(_on_its_bus(device, self._domain), "volume")

    def _own(self) -> tuple[spec.DiskPlan, ...]:
        # The root disk's name comes first, even if it is a volume's.
        root_volume = self._root_volume()
        root = () if root_volume else (self._root(),)
        return (*root, *self._ephemerals(), *self._swap(),
                *self._volumes(root_volume), *self._config_drive())

    def _root(self) -> spec.DiskPlan:
        given = self._devices.root or dataclasses.replace(
            NOWHERE, boot_index=0)
        kind = spec.Device.DISK
        if is_iso(self._request.image_meta):
            kind = spec.Device.CDROM
            given = dataclasses.replace(given, device_type=None, bus=None)
        size = self._request.flavor.root_gb * units.BYTES_PER_GIB
        return self._plan(
            self._named(given), name="disk", kind=kind,
            size_bytes=size or None,
            content=spec.ImageContent(
                image_id=self._request.instance.image_ref))

    def _root_volume(self) -> spec.DiskPlan | None:
        device = self._devices.root_volume
        if device is None or self._devices.images:
            return None
        return self._volume(self._named(device), "volume.root")

    def _named(self, root: block_devices.Device) -> block_devices.Device:
        return dataclasses.replace(
            root, name=root.name or self._devices.root_name)

    def _ephemerals(self) -> list[spec.DiskPlan]:
        os_type = self._request.instance.os_type
        if self._devices.ephemerals:
            return [
                self._plan(
                    device, name=f"disk.eph{index}",
                    size_bytes=device.size * units.BYTES_PER_GIB,
                    content=spec.EphemeralContent(
                        label=f"ephemeral{index}", os_type=os_type,
                        filesystem=device.guest_format))
                for index, device in enumerate(self._devices.ephemerals)]
        size = self._request.flavor.ephemeral_gb * units.BYTES_PER_GIB
        if not size:
            return []
        return [self._plan(
            NOWHERE, name="disk.local", size_bytes=size,
            content=spec.EphemeralContent(label="ephemeral0",
                                          os_type=os_type))]

    def _swap(self) -> list[spec.DiskPlan]:
        device = self._devices.swap
        size_mib = device.size if device else self._request.flavor.swap
        if not size_mib:
            return []
        return [self._plan(
            device or NOWHERE, name="disk.swap", content=spec.SwapContent(),
            size_bytes=size_mib * units.BYTES_PER_MIB)]

    def _volumes(self, root: spec.DiskPlan | None) -> list[spec.DiskPlan]:
        return [
            root if root and device is self._devices.root_volume
            else self._volume(_on_its_bus(device, self._domain),
                              f"volume.{index}")
            for index, device in enumerate(self._devices.volumes)]

    def _volume(self, device: block_devices.Device,
                otherwise: str) -> spec.DiskPlan:
        """:param otherwise: name of one whose id is not known."""
        plan = self._plan(
            device, name=device.volume_id or otherwise,
            content=spec.VolumeContent(volume_id=device.volume_id or ""))
        return volumes.volume(plan, device)

    def _rescue_first(self, rescue: request_module.Rescue) -> spec.DiskPlan:
        return self._plan(
            dataclasses.replace(NOWHERE, boot_index=0), name="disk.rescue",
            content=spec.ImageContent(image_id=rescue.image_id))

    def _root_beside(self) -> spec.DiskPlan:
        size = self._request.flavor.root_gb * units.BYTES_PER_GIB
        return self._plan(
            NOWHERE, name="disk", size_bytes=size or None,
            content=spec.ImageContent(
                image_id=self._request.instance.image_ref))

    def _rescue_last(self, rescue: request_module.Rescue) -> spec.DiskPlan:
        device, bus = disk_names.rescue_place(
            rescue.image_meta, self._machine, self._domain)
        return dataclasses.replace(
            self._plan(
                dataclasses.replace(NOWHERE, bus=bus, device_type=device),
                name="disk.rescue",
                content=spec.ImageContent(image_id=rescue.image_id)),
            boot_first=True)

    def _config_drive(self, name: str = "disk.config"
                      ) -> list[spec.DiskPlan]:
        if not self._request.config_drive:
            return []
        format_name = self._settings.config_drive_format
        if format_name not in CONFIG_DRIVES:
            raise nova_exception.ConfigDriveUnknownFormat(format=format_name)
        return [self._plan(
            NOWHERE, name=name, kind=CONFIG_DRIVES[format_name],
            content=spec.ConfigDriveContent())]

    def _plan(self, given: block_devices.Device, *, name: str,
              content: spec.Content, size_bytes: int | None = None,
              kind: spec.Device = spec.Device.DISK) -> spec.DiskPlan:
        device = disk_names.kind(given.device_type, kind)
        bus = disk_names.bus(given, device, self._request.image_meta,
                             self._machine, self._domain)
        cache = self._settings.cache_modes.get(
            "file", self._settings.default_cache)
        return spec.DiskPlan(
            name=name, content=content, size_bytes=size_bytes, device=device,
            bus=bus, boot_index=given.boot_index, cache=cache,
            target=self._target(given.name, bus),
            io=self._io(cache), discard=self._settings.discard,
            iotune=_iotune(self._request))

    def _target(self, wanted: str | None, bus: spec.Bus) -> str:
        return ((wanted and self._names.reserve(wanted))
                or self._names.free(bus))

    def _io(self, cache: str) -> str | None:
        if not self._settings.native_io:
            return None
        return "native" if cache in DIRECT else "threads"


def _on_its_bus(volume: block_devices.Device,
                domain: host_spec.DomainFacts) -> block_devices.Device:
    """Return a volume with a bus: without one, that its name was chosen for.
    """
    if volume.bus is not None:
        return volume
    return dataclasses.replace(
        volume, bus=disk_names.bus_of_name(volume.name, domain))


def _with_units(plans: tuple[spec.DiskPlan, ...]
                ) -> tuple[spec.DiskPlan, ...]:
    """Number the SCSI disks: 0 is a root volume's, and volumes come last,
    as on hosts of the in-tree driver, so that no guest's disk moves.
    """
    scsi = [plan for plan in plans if plan.bus is spec.Bus.SCSI]
    ordered = sorted(scsi, key=lambda plan: (
        not _is_root_volume(plan),
        isinstance(plan.content, spec.VolumeContent)))
    first = int(any(_is_root_volume(plan) for plan in plans)
                and not any(_is_root_volume(plan) for plan in scsi))
    units_of = {plan.target: unit
                for unit, plan in enumerate(ordered, start=first)}
    return tuple(dataclasses.replace(plan, unit=units_of.get(plan.target))
                 for plan in plans)


def _is_root_volume(plan: spec.DiskPlan) -> bool:
    return (isinstance(plan.content, spec.VolumeContent)
            and plan.boot_index == 0)


def _iotune(request: request_module.GuestRequest) -> spec.IoTune | None:
    limits = spec.IoTune(**{
        name: request.integer(f"quota:disk_{name}") for name in LIMITS})
    return None if limits == spec.IoTune() else limits
