"""Devices of a guest that need nothing stored: consoles, video, and so on."""

import dataclasses
import enum
import pathlib

from nova_custom_driver.spec import host_device


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class SerialPty:
    """A serial port whose output virtlogd writes to ``log``."""

    log: pathlib.PurePosixPath


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class SerialTcp:
    """A serial port reached over TCP; the first one is logged as well."""

    host: str
    port: int
    log: pathlib.PurePosixPath | None = None


Serial = SerialPty | SerialTcp


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class AgentChannel:
    """The QEMU guest agent's socket."""

    path: pathlib.PurePosixPath


@dataclasses.dataclass(frozen=True, slots=True)
class SpiceChannel:
    """The SPICE agent's channel."""


Channel = AgentChannel | SpiceChannel


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Rng:
    """:ivar rate_period_ms: in which ``rate_bytes`` may be drawn."""

    path: pathlib.PurePosixPath
    rate_bytes: int | None = None
    rate_period_ms: int | None = None


class WatchdogAction(enum.StrEnum):
    NONE = "none"
    PAUSE = "pause"
    POWEROFF = "poweroff"
    RESET = "reset"


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Balloon:
    """:ivar stats_period_seconds: None: the guest has no balloon."""

    stats_period_seconds: int | None


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Video:
    model: str
    vram_kib: int | None = None


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Vnc:
    listen: str


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Spice:
    """None leaves a setting to libvirt."""

    listen: str
    image_compression: str | None = None
    jpeg_compression: str | None = None
    zlib_compression: str | None = None
    playback_compression: bool | None = None
    streaming_mode: str | None = None
    secure: bool = False


Graphics = Vnc | Spice


class InputKind(enum.StrEnum):
    TABLET = "tablet"
    KEYBOARD = "keyboard"


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Input:
    kind: InputKind
    bus: str


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class UsbController:
    """:ivar model: None: libvirt's default; "none": no USB at all."""

    model: str | None


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class ScsiController:
    model: str


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class PcieRootPorts:
    """Ports for hot-plug on a PCIe machine, beside the root complex."""

    count: int


class IommuModel(enum.StrEnum):
    INTEL = "intel"
    SMMUV3 = "smmuv3"
    VIRTIO = "virtio"


Controller = UsbController | ScsiController | PcieRootPorts


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Devices:
    """All of them, in the order they appear in the domain.

    Rooms for later: TPM, shares.

    :ivar consoles: in place of serial ports on s390x, which has none.
    :ivar sound: model of the sound card; None: the guest is mute.
    :ivar redirected_usb_ports: how many USB devices of a SPICE client the
        guest can take.
    """

    serials: tuple[Serial, ...] = ()
    consoles: tuple[Serial, ...] = ()
    channels: tuple[Channel, ...] = ()
    graphics: tuple[Graphics, ...] = ()
    video: Video | None = None
    inputs: tuple[Input, ...] = ()
    controllers: tuple[Controller, ...] = ()
    host_devices: tuple[host_device.HostDevice, ...] = ()
    iommu: IommuModel | None = None
    rng: Rng | None = None
    watchdog: WatchdogAction | None = None
    balloon: Balloon | None = None
    sound: str | None = None
    redirected_usb_ports: int = 0
