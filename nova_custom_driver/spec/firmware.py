"""How a guest's machine starts."""

import dataclasses
import enum
import pathlib


class Kind(enum.StrEnum):
    BIOS = "bios"
    UEFI = "efi"


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Record:
    """The files libvirt chose when it first defined the guest.

    Kept over a redefinition, so that a host's newer firmware description
    cannot swap the firmware under a guest's variables.
    """

    loader: pathlib.PurePosixPath
    loader_type: str
    loader_readonly: bool
    loader_secure: bool | None
    nvram: pathlib.PurePosixPath | None
    nvram_template: pathlib.PurePosixPath | None
    smm: bool | None = None


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Firmware:
    """:ivar secure_boot: it starts signed systems only; UEFI alone can.
    :ivar stateless: it keeps no variables.
    :ivar read_only: said of firmware that is no flash, and so would count
        as writable.
    :ivar record: set when an existing guest is defined again.
    """

    kind: Kind = Kind.BIOS
    secure_boot: bool = False
    stateless: bool = False
    read_only: bool = False
    record: Record | None = None


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Kernel:
    """A kernel QEMU loads itself, without a boot loader."""

    kernel: pathlib.PurePosixPath
    ramdisk: pathlib.PurePosixPath | None
    command_line: str
