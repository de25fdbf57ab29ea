"""What the domain's ``nova`` metadata element tells about the instance."""

from collections.abc import Mapping
import dataclasses


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Flavor:
    name: str
    id: str | None
    memory_mib: int
    disk_gib: int
    swap_mib: int
    ephemeral_gib: int
    vcpus: int
    extra_specs: Mapping[str, str]


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Image:
    """:ivar id: None: the instance boots from a volume."""

    id: str | None
    container_format: str | None
    disk_format: str | None
    min_disk_gib: int
    min_ram_mib: int
    properties: Mapping[str, str]


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Owner:
    user_id: str | None
    user_name: str | None
    project_id: str | None
    project_name: str | None


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Address:
    type: str
    address: str
    version: int


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Port:
    id: str
    addresses: tuple[Address, ...]


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Metadata:
    """:ivar created_at: "2026-01-31 12:00:00", in UTC.
    :ivar root_type: "image" or "volume": what the root disk is.
    """

    package_version: str
    display_name: str
    created_at: str
    flavor: Flavor
    image: Image
    owner: Owner
    ports: tuple[Port, ...]
    root_type: str = "image"
