"""Nova's block device information, read.

Its shape is that of ``nova.virt.driver.get_block_device_info``: lists of
dictionaries, some keys missing, some None.
"""

from collections.abc import Iterator, Mapping
import dataclasses
from typing import Any

from nova import block_device
from nova.virt import driver as nova_driver


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Device:
    """One mapping.

    :ivar name: without "/dev/"; None: to be chosen.
    :ivar boot_index: from 0; None: never booted.
    """

    name: str | None
    bus: str | None
    device_type: str | None
    boot_index: int | None
    guest_format: str | None
    size: int
    volume_id: str | None


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Devices:
    """All of an instance's mappings, sorted by what they are."""

    root_name: str | None
    images: tuple[Device, ...]
    ephemerals: tuple[Device, ...]
    swap: Device | None
    volumes: tuple[Device, ...]

    def names(self) -> frozenset[str]:
        """Return every name that is taken already."""
        return frozenset(device.name for device in self if device.name)

    def __iter__(self) -> Iterator[Device]:
        yield from (*self.images, *self.ephemerals,
                    *((self.swap,) if self.swap else ()), *self.volumes)

    @property
    def root_volume(self) -> Device | None:
        return next((volume for volume in self.volumes
                     if volume.boot_index == 0), None)


def read(info: Mapping[str, Any] | None) -> Devices:
    """Return the mappings of one instance; volumes in their order."""
    swap = nova_driver.block_device_info_get_swap(info)
    return Devices(
        root_name=_strip(nova_driver.block_device_info_get_root_device(info)),
        images=tuple(map(
            device, nova_driver.block_device_info_get_image(info) or ())),
        ephemerals=tuple(map(
            device, nova_driver.block_device_info_get_ephemerals(info))),
        swap=(device(swap, size_key="swap_size")
              if nova_driver.swap_is_usable(swap) else None),
        volumes=tuple(map(
            device, nova_driver.block_device_info_get_mapping(info))))


def device(bdm: Any, size_key: str = "size") -> Device:
    """Return one mapping, of a driver's dictionary or of Nova's object."""
    index = bdm.get("boot_index")
    return Device(
        name=_strip(bdm.get("device_name") or bdm.get("mount_device")),
        bus=bdm.get("disk_bus"), device_type=bdm.get("device_type"),
        boot_index=index if index is not None and index >= 0 else None,
        guest_format=bdm.get("guest_format"), size=bdm.get(size_key) or 0,
        volume_id=_volume_id(bdm))


def _volume_id(bdm: Any) -> str | None:
    connection = bdm.get("connection_info")
    if isinstance(connection, Mapping):
        data = connection.get("data") or {}
        found = connection.get("serial") or data.get("volume_id")
        if found:
            return str(found)
    found = getattr(bdm, "volume_id", None)
    return str(found) if found else None


def _strip(name: str | None) -> str | None:
    return block_device.strip_dev(name) if name else None
