"""The guest's processor and its share of the host's."""

import dataclasses
import enum


class Mode(enum.StrEnum):
    HOST_MODEL = "host-model"
    HOST_PASSTHROUGH = "host-passthrough"
    CUSTOM = "custom"


class Policy(enum.StrEnum):
    REQUIRE = "require"
    DISABLE = "disable"


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Feature:
    name: str
    policy: Policy = Policy.REQUIRE


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Topology:
    sockets: int
    cores: int
    threads: int


class AddressMode(enum.StrEnum):
    EMULATE = "emulate"
    PASSTHROUGH = "passthrough"


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class AddressWidth:
    """How wide physical addresses are.

    :ivar bits: None: as wide as the host's; only with PASSTHROUGH.
    """

    mode: AddressMode
    bits: int | None = None


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Cpu:
    """The ``<cpu>`` of a guest.

    :ivar mode: None: the hypervisor's default model ("none" in
        configuration).
    :ivar model: named model; only with ``Mode.CUSTOM``.
    :ivar address_width: None: the hypervisor's default.
    """

    mode: Mode | None
    topology: Topology
    model: str | None = None
    features: tuple[Feature, ...] = ()
    address_width: AddressWidth | None = None


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Tuning:
    """Share of the host's processors (``<cputune>``); None: not asked for.

    :ivar shares: relative weight.
    :ivar period: of the quota, in microseconds.
    :ivar quota: microseconds of processor time in one period.
    """

    shares: int | None = None
    period: int | None = None
    quota: int | None = None
