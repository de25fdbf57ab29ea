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
    :ivar packed: whether its virtio rings are packed.
    """

    vif_id: str
    mac: str
    model: str | None = None
    driver: str | None = None
    queues: int | None = None
    rx_queue_size: int | None = None
    tx_queue_size: int | None = None
    packed: bool = False
    mtu: int | None = None
    inbound: Bandwidth | None = None
    outbound: Bandwidth | None = None


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class TapSource:
    """A tap device that somebody else connects.

    :ivar made_by_libvirt: True: libvirt takes or makes it when the guest
        starts, and removes it when the guest stops; False: it is there
        before, and stays.
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


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class VirtualPort:
    """What a switch is told of the guest's side of a link.

    :ivar kind: "802.1Qbg", "802.1Qbh".
    :ivar parameters: (name, value) in order.
    """

    kind: str
    parameters: tuple[tuple[str, str], ...]


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class DirectSource:
    """A macvtap that libvirt makes on the host's interface ``device``.

    :ivar mode: "vepa", "bridge", "private", "passthrough".
    :ivar vlan: set on the card by libvirt, 0 for none; None: left alone.
    """

    device: str
    mode: str
    vlan: int | None = None
    port: VirtualPort | None = None


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class FunctionSource:
    """A card's virtual function; libvirt gives it its MAC and VLAN.

    :ivar address: "0000:84:10.1".
    """

    address: str
    vlan: int | None = None
    port: VirtualPort | None = None


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class DeviceSource:
    """A whole PCI device, which keeps the MAC it has."""

    address: str


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class VhostUserSource:
    """Memory shared with a switch in user space, over a socket.

    :ivar mode: what QEMU is: "server", "client".
    """

    path: str
    mode: str
    target: str


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class VdpaSource:
    """:ivar path: "/dev/vhost-vdpa-0"."""

    path: str


InterfaceSource = (
    TapSource | BridgeSource | OpenVSwitchSource | DirectSource
    | FunctionSource | VhostUserSource | VdpaSource)
Source = InterfaceSource | DeviceSource


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Nic:
    """A planned interface and the host's side of it."""

    plan: NicPlan
    source: Source
