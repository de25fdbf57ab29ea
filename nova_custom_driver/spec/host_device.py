"""Devices of the host that are given to a guest."""

import dataclasses


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class PciFunction:
    """:ivar address: "0000:84:00.0".
    :ivar managed: libvirt takes it from the host's driver, and gives it
        back; else somebody did already.
    """

    address: str
    managed: bool = True


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class MediatedDevice:
    uuid: str


HostDevice = PciFunction | MediatedDevice
