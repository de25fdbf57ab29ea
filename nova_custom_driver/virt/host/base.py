"""What the operations may ask of the hypervisor."""

from collections.abc import Callable, Collection, Mapping
import contextlib
import dataclasses
import enum
import pathlib
from typing import Protocol

from nova_custom_driver.spec import host
from nova_custom_driver.spec import node_device


class State(enum.StrEnum):
    """What a domain is doing."""

    NOSTATE = "no state"
    RUNNING = "running"
    PAUSED = "paused"
    SHUTOFF = "shut off"
    CRASHED = "crashed"
    SUSPENDED = "suspended by its guest"


class Transition(enum.StrEnum):
    """What has happened to a domain, in the words of ``nova.virt.event``."""

    STARTED = "started"
    STOPPED = "stopped"
    PAUSED = "paused"
    RESUMED = "resumed"
    SUSPENDED = "suspended"
    POSTCOPY_STARTED = "post-copy started"
    MIGRATION_COMPLETED = "migration completed"


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class DomainEvent:
    uuid: str
    transition: Transition


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class ConnectionEvent:
    """:ivar reason: why it went; None: it is up."""

    up: bool
    reason: str | None = None


Event = DomainEvent | ConnectionEvent
Listener = Callable[[Event], None]


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class DomainRow:
    """One domain of the host in a list of all."""

    uuid: str
    name: str
    state: State
    id: int | None


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class DomainStats:
    """Counters of one domain, under libvirt's own names.

    :ivar values: ``virDomainListGetStats`` fields, e.g. "vcpu.0.time" (ns),
        "block.0.rd.bytes", "net.0.rx.pkts", "balloon.rss" (KiB).
    """

    uuid: str
    state: State
    values: Mapping[str, int | str | bool]


class Domain(Protocol):
    """One guest's domain.

    Every method raises :class:`nova.exception.InstanceNotFound` if the
    domain is gone, unless it says otherwise, and
    :class:`nova_custom_driver.exception.HostError` if libvirt refuses: a
    domain that is off cannot be paused, one that runs cannot be started.
    It stays usable over a reconnection.
    """

    @property
    def uuid(self) -> str: ...

    @property
    def name(self) -> str: ...

    def state(self) -> State: ...

    def id(self) -> int | None:
        """Return libvirt's number of the running domain; None: not running.
        """

    def xml(self, *, inactive: bool = False) -> str:
        """Return the domain as libvirt holds it now, secrets left out."""

    def start(self, *, paused: bool = False) -> None:
        """Start the guest; it runs, or stands paused, when this returns."""

    def suspend(self) -> None:
        """Stop its processors."""

    def resume(self) -> None:
        """Let its processors go on."""

    def shutdown(self) -> None:
        """Press the power button; the guest may take its time, or not care.
        """

    def destroy(self) -> None:
        """Cut the power.  A domain that is off or gone is no error.

        :raises nova.exception.InstancePowerOffFailure: QEMU did not die, or
            libvirt did not get hold of the domain.
        """

    def undefine(self) -> None:
        """Forget the domain, its NVRAM and its saved memory; no error if
        it is gone.
        """

    def save(self) -> None:
        """Write the guest's memory to disk and stop it (managed save)."""

    def has_saved_memory(self) -> bool: ...

    def forget_saved_memory(self) -> None: ...

    def inject_nmi(self) -> None:
        """Have the guest's kernel crash, and dump if it is set up to.

        :raises nova.exception.InstanceNotRunning: the guest is off.
        :raises nova.exception.TriggerCrashDumpNotSupported: its machine has
            no such interrupt.
        """

    def synchronise_time(self) -> None:
        """Set the guest's clock through its agent; errors are only logged."""

    def plug_in(self, xml: str, *, live: bool) -> None:
        """Add a device to the stored definition, and to the guest if
        ``live``; if either refuses, neither has it.
        """

    def forget_device(self, xml: str) -> None:
        """Remove a device from the stored definition."""

    def remember_device(self, xml: str) -> None:
        """Add a device to the stored definition alone."""

    def plug_back(self, xml: str) -> None:
        """Give the running guest a device that its definition has.

        :raises nova.exception.DeviceNotFound: the host has no such device.
        """

    def unplug(self, xml: str, alias: str, timeout_seconds: float) -> None:
        """Take a device from the running guest; it is gone on return.

        Asked again while the guest has not let go yet, this joins the wait.

        :param alias: libvirt's name of the device.
        :raises nova.exception.DeviceDetachFailed: the guest refused, or did
            not let go in time; it may still do so.
        """

    def mirror(self, target: str, path: pathlib.PurePath, format_name: str
               ) -> contextlib.AbstractContextManager[None]:
        """Copy a disk of a running guest to a new file.

        In the block every write goes to both.  After it the file has what
        the disk had at that moment, of all its backing files, and is nobody
        else's.  If the block raises, the file is worth nothing.

        :param target: name of the disk in the guest ("vda").
        :raises HostError: it cannot be copied; what was begun is ended.
        """

    def end_mirror(self, target: str) -> None:
        """End the copy of a disk; no error where there is none."""

    def freeze(self) -> None:
        """Have the guest's agent write out and hold its file systems.

        :raises nova.exception.InstanceQuiesceFailed: it has no agent that
            answers.
        """

    def thaw(self) -> None:
        """Let the file systems go again.

        :raises nova.exception.InstanceQuiesceFailed: as ``freeze``.
        """

    def stats(self) -> DomainStats: ...

    def wait_for(self, states: Collection[State],
                 timeout_seconds: float) -> bool:
        """Return True once the domain is in one of ``states``, False if it
        was not in time.  Woken by libvirt's events, not by polling.

        :raises nova.exception.HypervisorUnavailable: at once, when the
            connection is lost meanwhile.
        """


class Hypervisor(Protocol):
    """A host's libvirt.

    :class:`nova.exception.HypervisorUnavailable` from any method that asks
    libvirt: there is no connection now.
    """

    def define(self, xml: str) -> Domain:
        """Define the domain, or define an existing one anew."""

    def find(self, uuid: str) -> Domain:
        """Return the instance's domain.

        :raises nova.exception.InstanceNotFound: there is none.
        """

    def domains(self) -> tuple[DomainRow, ...]:
        """Return all of them, running or not, from one call."""

    def all_stats(self) -> tuple[DomainStats, ...]:
        """Return state and processors of all running domains, from one
        call.  A guest that hangs has less to tell and holds up none.
        """

    def guests_memory_kib(self) -> int:
        """Return the memory all running domains have, from one call."""

    def facts(self) -> host.HostFacts:
        """Return the host's facts; read again after a reconnection."""

    def domain_facts(self, arch: str, machine: str,
                     virt_type: str) -> host.DomainFacts:
        """Return what libvirt can build of that kind; remembered.

        :raises nova.exception.InvalidMachineType: there is no such machine.
        """

    def model_flags(self, arch: str, virt_type: str,
                    model: str) -> frozenset[str]:
        """Return the flags of a CPU model as guests would get it.

        :raises HostError: libvirt does not know the model.
        """

    def usage(self) -> host.Usage: ...

    def pci_devices(self) -> tuple[node_device.PciDevice, ...]:
        """Return the host's PCI functions, those of guests as well."""

    def mdev_parents(self) -> tuple[node_device.MdevParent, ...]:
        """Return the devices that mediated ones can be made of now."""

    def mdevs(self) -> tuple[node_device.Mdev, ...]:
        """Return the mediated devices that exist, used or not."""

    def create_mdev(self, mdev: node_device.Mdev) -> None:
        """Make a mediated device, which comes back when the host is started
        again.

        :raises HostError: its parent has no room, or lacks the type; it is
            not there.
        """

    def remove_mdev(self, uuid: str) -> None:
        """Remove a mediated device; one that is gone already is no error.

        :raises HostError: a guest has it.
        """

    def start_mdevs(self) -> None:
        """Make those that are defined and not there; a failure is logged."""

    def pmem_namespaces(self) -> tuple[node_device.PmemNamespace, ...]:
        """Return the host's persistent memory; runs ndctl.

        :raises nova.exception.GetPMEMNamespacesFailed: it cannot be listed.
        """

    def subscribe(self, listener: Listener) -> Callable[[], None]:
        """Have ``listener`` called with every event, one after the other,
        in the order they happened, from one thread.

        :returns: a function that ends it.
        """
