"""Parts of a domain as libvirt reports them."""

import dataclasses
import pathlib


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Drive:
    """A place on a controller for disks."""

    controller: int
    bus: int
    target: int
    unit: int


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Address:
    """Where a device sits.

    :ivar kind: "pci", "drive", "usb" ...
    :ivar pci: "0000:00:03.0"; None: not on PCI.
    :ivar drive: None: not on a controller for disks.
    """

    kind: str
    pci: str | None = None
    drive: Drive | None = None


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Disk:
    """:ivar path: None: no file (a network disk, an empty drive).
    :ivar kind: of its source: "file", "block", "network" ...
    :ivar alias: None: the guest is off, and nobody gave one.
    """

    target: str
    bus: str
    device: str
    path: pathlib.PurePosixPath | None
    format: str | None
    serial: str | None
    address: Address | None
    kind: str = "file"
    alias: str | None = None
    readonly: bool = False


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Interface:
    mac: str
    target: str | None
    address: Address | None


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class SerialTcp:
    host: str
    port: int
    log: pathlib.PurePosixPath | None


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class SerialPty:
    """:ivar path: of the pty; None: the guest is off."""

    path: pathlib.PurePosixPath | None
    log: pathlib.PurePosixPath | None


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class SerialFile:
    """A port that QEMU writes to a file itself: we make none, a guest that
    was defined otherwise may have one.
    """

    log: pathlib.PurePosixPath | None


Serial = SerialTcp | SerialPty | SerialFile


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Graphics:
    """Ports are None while the guest is off."""

    kind: str
    listen: str | None
    port: int | None
    tls_port: int | None
