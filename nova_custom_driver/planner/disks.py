"""Which disks a guest gets."""

import dataclasses

from nova import exception as nova_exception

from nova_custom_driver import units
from nova_custom_driver.planner import block_devices
from nova_custom_driver.planner import disk_names
from nova_custom_driver.planner import request as request_module
from nova_custom_driver.spec import disk as spec
from nova_custom_driver.spec import host as host_spec
from nova_custom_driver.spec import settings as settings_spec

CONFIG_DRIVES = {"iso9660": spec.Device.CDROM, "vfat": spec.Device.DISK}
# Cache modes that bypass the page cache, without which native AIO blocks.
DIRECT = frozenset(("none", "directsync"))
LIMITS = tuple(field.name for field in dataclasses.fields(spec.IoTune))


def plan_disks(request: request_module.GuestRequest, machine_name: str,
               domain: host_spec.DomainFacts,
               settings: settings_spec.GuestSettings
               ) -> tuple[spec.DiskPlan, ...]:
    """Return the guest's disks, the config drive last.

    :raises nova.exception.UnsupportedHardware: no such bus here.
    :raises nova.exception.TooManyDiskDevices: more than the bus, or
        ``max_disk_devices_to_attach``, allows.
    """
    return _Planner(request, machine_name, domain, settings).plans()


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
        found = [*self._root(), *self._ephemerals(), *self._swap(),
                 *self._volumes(), *self._config_drive()]
        return self._with_units(tuple(found))

    def _root(self) -> list[spec.DiskPlan]:
        devices = self._devices
        if devices.root_volume is not None and not devices.images:
            return []
        image_meta = self._request.image_meta
        iso = (image_meta.obj_attr_is_set("disk_format")
               and image_meta.disk_format == "iso")
        kind = spec.Device.CDROM if iso else spec.Device.DISK
        given = devices.images[0] if devices.images else _root_device(
            devices.root_name)
        if iso:
            given = dataclasses.replace(
                given, device_type=kind.value, bus=None)
        if given.name is None:
            given = dataclasses.replace(given, name=devices.root_name)
        size = self._request.flavor.root_gb * units.BYTES_PER_GIB
        return [self._plan(
            given, name="disk", kind=kind, size_bytes=size or None,
            content=spec.ImageContent(
                image_id=self._request.instance.image_ref,
                size_limited=bool(size)))]

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

    def _volumes(self) -> list[spec.DiskPlan]:
        return [
            dataclasses.replace(
                self._plan(
                    device, name=device.volume_id or f"volume.{index}",
                    content=spec.VolumeContent(
                        volume_id=device.volume_id or "")),
                serial=device.volume_id, iotune=None, cache="none", io=None,
                discard=None)
            for index, device in enumerate(self._devices.volumes)]

    def _config_drive(self) -> list[spec.DiskPlan]:
        if not self._request.config_drive:
            return []
        format_name = self._settings.config_drive_format
        if format_name not in CONFIG_DRIVES:
            raise nova_exception.ConfigDriveUnknownFormat(format=format_name)
        return [self._plan(
            NOWHERE, name="disk.config", kind=CONFIG_DRIVES[format_name],
            content=spec.ConfigDriveContent())]

    def _plan(self, given: block_devices.Device, *, name: str,
              content: spec.Content, size_bytes: int | None = None,
              kind: spec.Device = spec.Device.DISK) -> spec.DiskPlan:
        device = _device(given.device_type, kind)
        bus = self._bus(given, device)
        cache = self._settings.cache_modes.get(
            "file", self._settings.default_cache)
        return spec.DiskPlan(
            name=name, content=content, size_bytes=size_bytes, device=device,
            bus=bus, boot_index=given.boot_index, cache=cache,
            target=(self._names.take(given.name) if given.name
                    else self._names.free(bus)),
            io=self._io(cache), discard=self._settings.discard,
            iotune=_iotune(self._request.extra_specs))

    def _bus(self, given: block_devices.Device,
             device: spec.Device) -> spec.Bus:
        if given.bus is not None and disk_names.is_valid(
                given.bus, self._domain):
            return spec.Bus(given.bus)
        if given.bus is not None and given.name:
            return disk_names.bus_of_name(given.name)
        return disk_names.default_bus(
            self._request.image_meta, device, self._machine, self._domain)

    def _io(self, cache: str) -> str | None:
        if not self._settings.native_io:
            return None
        return "native" if cache in DIRECT else "threads"

    def _with_units(self, plans: tuple[spec.DiskPlan, ...]
                    ) -> tuple[spec.DiskPlan, ...]:
        """Place SCSI disks, unit 0 being kept for a root volume."""
        if not self._request.image_property("hw_scsi_model"):
            return plans
        unit = 0
        placed = []
        for plan in plans:
            if plan.bus is spec.Bus.SCSI:
                root = (isinstance(plan.content, spec.VolumeContent)
                        and plan.boot_index == 0)
                unit += not root
                plan = dataclasses.replace(plan, unit=0 if root else unit)
            placed.append(plan)
        return tuple(placed)


NOWHERE = block_devices.Device(
    name=None, bus=None, device_type=None, boot_index=None,
    guest_format=None, size=0, volume_id=None)


def _root_device(name: str | None) -> block_devices.Device:
    return dataclasses.replace(NOWHERE, name=name, boot_index=0)


def _device(given: str | None, default: spec.Device) -> spec.Device:
    """Return the kind of device; an unknown one is a plain disk."""
    if given is None:
        return default
    try:
        return spec.Device(given)
    except ValueError:
        return spec.Device.DISK


def _iotune(extra_specs: dict[str, str]) -> spec.IoTune | None:
    limits = {name: int(extra_specs[f"quota:disk_{name}"])
              for name in LIMITS if f"quota:disk_{name}" in extra_specs}
    return spec.IoTune(**limits) if limits else None
