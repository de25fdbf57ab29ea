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
    :ivar connection: of a volume, what Cinder says of reaching it.
    """

    name: str | None
    bus: str | None
    device_type: str | None
    boot_index: int | None
    guest_format: str | None
    size: int
    volume_id: str | None
    connection: Mapping[str, Any] = dataclasses.field(default_factory=dict)


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
    def root(self) -> Device | None:
        """Return the mapping guests boot from; None: there is none yet."""
        return self.images[0] if self.images else self.root_volume

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
            device, nova_driver.block_device_info_get_image(info))),
        ephemerals=tuple(map(
            device, nova_driver.block_device_info_get_ephemerals(info))),
        # One that has no name yet is to be given one, unlike what Nova's
        # swap_is_usable takes it for.
        swap=(device(swap, size_key="swap_size")
              if swap.get("swap_size") else None),
        volumes=tuple(map(
            device, nova_driver.block_device_info_get_mapping(info))))


def device(bdm: Any, size_key: str = "size") -> Device:
    """Return one mapping, of a driver's dictionary or of Nova's object."""
    index = _get(bdm, "boot_index")
    return Device(
        name=_strip(_get(bdm, "device_name") or _get(bdm, "mount_device")),
        bus=_get(bdm, "disk_bus"), device_type=_get(bdm, "device_type"),
        boot_index=index if index is not None and index >= 0 else None,
        guest_format=_get(bdm, "guest_format"),
        size=_get(bdm, size_key) or 0, volume_id=_volume_id(bdm),
        connection=_connection(bdm))


def _get(bdm: Any, key: str) -> Any:
    if isinstance(bdm, Mapping):
        return bdm.get(key)
    if key in bdm.fields and bdm.obj_attr_is_set(key):
        return getattr(bdm, key)
    return None


def _connection(bdm: Any) -> Mapping[str, Any]:
    found = _get(bdm, "connection_info")
    return found if isinstance(found, Mapping) else {}


def volume_id(connection: Mapping[str, Any]) -> str | None:
    """Return the id of the volume that a connection leads to."""
    data = connection.get("data") or {}
    found = connection.get("serial") or data.get("volume_id")
    return str(found) if found else None


def _volume_id(bdm: Any) -> str | None:
    if found := volume_id(_connection(bdm)):
        return found
    # A driver's dictionary has its object's as an attribute.
    found = (getattr(bdm, "volume_id", None) if isinstance(bdm, Mapping)
             else _get(bdm, "volume_id"))
    return str(found) if found else None


def _strip(name: str | None) -> str | None:
    return block_device.strip_dev(name) if name else None
