"""What a guest's disks are, before and after their storage exists."""

import dataclasses
import enum
import pathlib


class Bus(enum.StrEnum):
    """Buses QEMU can put a disk on, as libvirt spells them."""

    VIRTIO = "virtio"
    SCSI = "scsi"
    IDE = "ide"
    SATA = "sata"
    USB = "usb"
    FDC = "fdc"


class Device(enum.StrEnum):
    """What the guest sees the disk as."""

    DISK = "disk"
    CDROM = "cdrom"
    FLOPPY = "floppy"
    LUN = "lun"


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class ImageContent:
    """A copy of a Glance image."""

    image_id: str


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class EphemeralContent:
    """An empty file system.

    :ivar filesystem: what the request asked for; None: the host's default
        for ``os_type``.
    """

    label: str
    os_type: str | None = None
    filesystem: str | None = None


@dataclasses.dataclass(frozen=True, slots=True)
class SwapContent:
    """Swap space."""


@dataclasses.dataclass(frozen=True, slots=True)
class ConfigDriveContent:
    """The instance's metadata; written by the config drive's builder."""


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class VolumeContent:
    """A Cinder volume; nothing is made for it here."""

    volume_id: str


Content = (ImageContent | EphemeralContent | SwapContent
           | ConfigDriveContent | VolumeContent)


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class IoTune:
    """Limits of a disk's throughput; None: no limit.

    :ivar size_iops_sec: bytes that count as one operation; larger ones count
        as several.
    """

    total_bytes_sec: int | None = None
    read_bytes_sec: int | None = None
    write_bytes_sec: int | None = None
    total_iops_sec: int | None = None
    read_iops_sec: int | None = None
    write_iops_sec: int | None = None
    total_bytes_sec_max: int | None = None
    read_bytes_sec_max: int | None = None
    write_bytes_sec_max: int | None = None
    total_iops_sec_max: int | None = None
    read_iops_sec_max: int | None = None
    write_iops_sec_max: int | None = None
    size_iops_sec: int | None = None


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class BlockSizes:
    """What the guest sees as sector sizes, in bytes; None: QEMU's default."""

    logical: int | None = None
    physical: int | None = None


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class DiskPlan:
    """A disk the guest shall have; nothing is stored yet.

    :ivar name: file name in the instance's directory ("disk", "disk.eph0",
        "disk.swap", "disk.config"), or the volume's id.
    :ivar target: name in the guest, unique within it ("vda").
    :ivar size_bytes: virtual size; None: as large as its content.
    :ivar boot_index: rank among boot devices from 0; None: never booted.
    :ivar boot_first: booted whatever the others' rank.
    :ivar cache: libvirt's cache mode ("none", "writeback", ...).
    :ivar io: "native", "threads" or None: QEMU's default.
    :ivar unit: place on the SCSI controller; None: libvirt chooses.
    :ivar alias: by which live migration finds the disk ("ua-<volume>");
        None: libvirt chooses.
    :ivar shareable: other guests write to it, too.
    """

    name: str
    target: str
    bus: Bus
    content: Content
    device: Device = Device.DISK
    size_bytes: int | None = None
    boot_index: int | None = None
    boot_first: bool = False
    cache: str = "none"
    io: str | None = None
    discard: str | None = None
    iotune: IoTune | None = None
    serial: str | None = None
    unit: int | None = None
    block_sizes: BlockSizes | None = None
    alias: str | None = None
    shareable: bool = False
    readonly: bool = False


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class FileSource:
    """A file on this host, in a format that was recorded, never guessed."""

    path: pathlib.PurePosixPath
    format: str


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class BlockSource:
    """A block device of this host."""

    path: pathlib.PurePosixPath
    format: str = "raw"


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class RbdSource:
    """An image in Ceph that QEMU opens itself.

    :ivar monitors: (host, port) of each.
    :ivar user: None: Ceph asks for none.
    :ivar secret_uuid: of libvirt's secret that holds the user's key.
    """

    pool: str
    image: str
    monitors: tuple[tuple[str, str], ...]
    user: str | None = None
    secret_uuid: str | None = None
    format: str = "raw"


Source = FileSource | BlockSource | RbdSource


def path_of(source: Source) -> pathlib.Path:
    """Return where a file is.

    :raises TypeError: the source is none.
    """
    if not isinstance(source, FileSource):
        raise TypeError(f"{source} is no file")
    return pathlib.Path(source.path)


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Disk:
    """A planned disk and the storage made for it."""

    plan: DiskPlan
    source: Source
