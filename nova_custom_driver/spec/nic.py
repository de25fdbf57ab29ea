"""A guest's network interfaces, before and after they are plugged."""

import dataclasses


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Bandwidth:
    """Limits in libvirt's units: KiB/s, KiB/s and KiB; None: no limit."""

    average: int | None = None
    peak: int | None = None
    burst: int | None = None


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class NicPlan:
    """An interface the guest shall have.

    :ivar vif_id: the Neutron port.
    :ivar model: what the guest sees ("virtio", "e1000").
    :ivar driver: QEMU's back-end name ("qemu", "vhost"); None: its default.
    """

    vif_id: str
    mac: str
    model: str | None = None
    driver: str | None = None
    queues: int | None = None
    rx_queue_size: int | None = None
    tx_queue_size: int | None = None
    mtu: int | None = None
    inbound: Bandwidth | None = None
    outbound: Bandwidth | None = None


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class TapSource:
    """A tap device that somebody else connects.

    :ivar made_by_libvirt: True: libvirt makes it when the guest starts;
        False: it is there before, and stays when the guest stops.
    """

    target: str
    made_by_libvirt: bool = False


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class BridgeSource:
    """libvirt makes the tap ``target`` and puts it on a Linux bridge."""

    bridge: str
    target: str


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class OpenVSwitchSource:
    """libvirt makes the tap ``target`` and adds it to an OVS bridge."""

    bridge: str
    target: str
    interface_id: str


Source = TapSource | BridgeSource | OpenVSwitchSource


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Nic:
    """A planned interface and the host's side of it."""

    plan: NicPlan
    source: Source
