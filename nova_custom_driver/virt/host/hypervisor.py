"""A host's libvirt."""

from collections.abc import Callable
import dataclasses
import threading
from typing import Any

import libvirt
from lxml import etree
from nova import exception as nova_exception
from nova.i18n import _
from oslo_log import log as logging

from nova_custom_driver import exception
from nova_custom_driver.spec import host as spec
from nova_custom_driver.spec import node_device
from nova_custom_driver.spec import settings as settings_spec
from nova_custom_driver.virt.host import base
from nova_custom_driver.virt.host import capabilities
from nova_custom_driver.virt.host import connection as connection_module
from nova_custom_driver.virt.host import devices
from nova_custom_driver.virt.host import domain as libvirt_domain
from nova_custom_driver.virt.host import domain_capabilities
from nova_custom_driver.virt.host import machine as kernel
from nova_custom_driver.virt.host import memory_encryption
from nova_custom_driver.virt.host import pmem

LOG = logging.getLogger(__name__)

# The lowest versions Nova 34 runs with, and those of its next release.
LEAST_LIBVIRT, NEXT_LIBVIRT = 8_000_000, 10_000_000
LEAST_QEMU, NEXT_QEMU = 6_002_000, 8_002_002
# What resource reports read; more would ask every QEMU, each time.
ALL_STATS = libvirt.VIR_DOMAIN_STATS_STATE | libvirt.VIR_DOMAIN_STATS_VCPU
Kind = tuple[str, str, str]


@dataclasses.dataclass(slots=True, kw_only=True)
class _Known:
    """What one generation of the connection has told."""

    generation: int
    host: spec.HostFacts | None = None
    domains: dict[Kind, spec.DomainFacts] = dataclasses.field(
        default_factory=dict)
    flags: dict[Kind, frozenset[str]] = dataclasses.field(
        default_factory=dict)


class LibvirtHypervisor:
    """A :class:`nova_custom_driver.virt.host.base.Hypervisor` of libvirt."""

    def __init__(self, settings: settings_spec.HostSettings) -> None:
        self._connection = connection_module.Connection(settings)
        self._devices = devices.NodeDevices(self._connection)
        self._lock = threading.Lock()
        self._known = _Known(generation=0)
        self._hostname: str | None = None

    def start(self) -> None:
        """Connect, and check that libvirt and QEMU are recent enough.

        :raises nova.exception.HypervisorUnavailable: libvirt is not there.
        :raises nova.exception.InternalError: a version is too old.
        """
        try:
            self._connection.start()
            check_versions(self.facts())
        except BaseException:
            self._connection.stop()
            raise

    def stop(self) -> None:
        self._connection.stop()

    def define(self, xml: str) -> base.Domain:
        return self._domain(self._connection.call(
            "define", "a domain", lambda host: host.defineXML(xml)))

    def find(self, uuid: str) -> base.Domain:
        try:
            return self._domain(self._connection.call(
                "find", f"domain {uuid}",
                lambda host: host.lookupByUUIDString(uuid)))
        except nova_exception.InstanceNotFound as error:
            raise nova_exception.InstanceNotFound(
                instance_id=uuid) from error

    def domains(self) -> tuple[base.DomainRow, ...]:
        rows = self._connection.call(
            "list", "the domains",
            lambda host: host.getAllDomainStats(
                libvirt.VIR_DOMAIN_STATS_STATE))
        return tuple(_row(domain, values) for domain, values in rows)

    def all_stats(self) -> tuple[base.DomainStats, ...]:
        return tuple(libvirt_domain.domain_stats(*row)
                     for row in self._measure(ALL_STATS))

    def guests_memory_kib(self) -> int:
        return sum(int(values.get("balloon.current", 0)) for _domain, values
                   in self._measure(libvirt.VIR_DOMAIN_STATS_BALLOON))

    def _measure(self, kinds: int) -> list[
            tuple[libvirt.virDomain, dict[str, Any]]]:
        return self._connection.call(
            "measure", "the domains",
            lambda host: host.getAllDomainStats(
                kinds, libvirt.VIR_CONNECT_GET_ALL_DOMAINS_STATS_ACTIVE
                # One QEMU that hangs must not hold up the rest.
                | libvirt.VIR_CONNECT_GET_ALL_DOMAINS_STATS_NOWAIT))

    def facts(self) -> spec.HostFacts:
        known = self._known_now()
        if known.host is None:
            # libvirt looks at every QEMU there is, the first time.
            known.host = self._connection.call(
                "describe", "the host", self._read_facts, patient=True)
        return known.host

    def domain_facts(self, arch: str, machine: str,
                     virt_type: str) -> spec.DomainFacts:
        known = self._known_now().domains
        kind = (arch, machine, virt_type)
        if kind not in known:
            known[kind] = self._read_domain_facts(*kind)
        return known[kind]

    def model_flags(self, arch: str, virt_type: str,
                    model: str) -> frozenset[str]:
        known = self._known_now().flags
        kind = (arch, virt_type, model)
        if kind not in known:
            xml = self._connection.call(
                "describe", f"CPU model {model}",
                lambda host: host.baselineHypervisorCPU(
                    None, arch, None, virt_type,
                    [capabilities.cpu_xml(arch, model)],
                    libvirt.VIR_CONNECT_BASELINE_CPU_EXPAND_FEATURES))
            known[kind] = capabilities.flags(xml)
        return known[kind]

    def usage(self) -> spec.Usage:
        return kernel.usage()

    def pci_devices(self) -> tuple[node_device.PciDevice, ...]:
        return self._devices.pci()

    def mdev_parents(self) -> tuple[node_device.MdevParent, ...]:
        return self._devices.mdev_parents()

    def mdevs(self) -> tuple[node_device.Mdev, ...]:
        return self._devices.mdevs()

    def create_mdev(self, mdev: node_device.Mdev) -> None:
        self._devices.create_mdev(mdev)

    def remove_mdev(self, uuid: str) -> None:
        self._devices.remove_mdev(uuid)

    def start_mdevs(self) -> None:
        self._devices.start_mdevs()

    def pmem_namespaces(self) -> tuple[node_device.PmemNamespace, ...]:
        return pmem.namespaces()

    def subscribe(self, listener: base.Listener) -> Callable[[], None]:
        return self._connection.dispatcher.subscribe(listener)

    def _domain(self, domain: libvirt.virDomain) -> base.Domain:
        return libvirt_domain.LibvirtDomain(self._connection, domain)

    def _known_now(self) -> "_Known":
        """Return what is known, without what a libvirtd said that is gone."""
        generation = self._connection.generation
        with self._lock:
            if self._known.generation != generation:
                self._known = _Known(generation=generation)
            return self._known

    def _read_facts(self, host: libvirt.virConnect) -> spec.HostFacts:
        root = etree.fromstring(host.getCapabilities())
        _expand_cpu(host, root)
        return spec.HostFacts(
            hostname=self._frozen_hostname(host.getHostname()),
            uuid=capabilities.host_uuid(root), hypervisor_type=host.getType(),
            libvirt_version=host.getLibVersion(),
            qemu_version=host.getVersion(), cpu=capabilities.host_cpu(root),
            guests=capabilities.guests(root),
            cpu_cgroup=kernel.has_cpu_cgroup(),
            has_smt=capabilities.has_smt(root),
            cells=capabilities.cells(root),
            kernel_major=kernel.major_version(),
            kernel_encryption=memory_encryption.kernel())

    def _frozen_hostname(self, hostname: str) -> str:
        """Return the first name the host had; Nova's records go by it."""
        if self._hostname is None:
            self._hostname = hostname
        elif hostname != self._hostname:
            LOG.error("The host is called %s now; %s is kept until the "
                      "service is restarted", hostname, self._hostname)
        return self._hostname

    def _read_domain_facts(self, arch: str, name: str,
                           virt_type: str) -> spec.DomainFacts:
        try:
            xml = self._connection.call(
                "describe", f"machine {name} of {arch}",
                lambda host: host.getDomainCapabilities(
                    None, arch, name, virt_type, 0), patient=True)
        except exception.HostError as error:
            if error.code in (libvirt.VIR_ERR_INVALID_ARG,
                              libvirt.VIR_ERR_CONFIG_UNSUPPORTED):
                raise nova_exception.InvalidMachineType(
                    mtype=name, image_name=arch, image_id="",
                    reason=error.format_message()) from error
            raise
        return domain_capabilities.domain_facts(xml, arch, virt_type)


def check_versions(facts: spec.HostFacts) -> None:
    """:raises nova.exception.InternalError: a version is too old."""
    for what, found, least, coming in (
            ("libvirt", facts.libvirt_version, LEAST_LIBVIRT, NEXT_LIBVIRT),
            ("QEMU", facts.qemu_version, LEAST_QEMU, NEXT_QEMU)):
        if found < least:
            raise nova_exception.InternalError(_(
                "%(what)s %(least)s or newer is needed; this host has "
                "%(found)s") % {"what": what, "least": _dotted(least),
                                "found": _dotted(found)})
        if found < coming:
            LOG.warning("The next release of Nova needs %s %s; this host has "
                        "%s", what, _dotted(coming), _dotted(found))


def _expand_cpu(host: libvirt.virConnect, root: etree._Element) -> None:
    """Name the flags that the host's CPU model stands for, too."""
    cpu = root.find("./host/cpu")
    if cpu is None:
        return
    try:
        xml = host.baselineCPU(
            [etree.tostring(cpu, encoding="unicode")],
            libvirt.VIR_CONNECT_BASELINE_CPU_EXPAND_FEATURES)
    except libvirt.libvirtError as error:
        # Not on every architecture; the model alone must do.
        LOG.debug("The CPU's flags cannot be listed: %s", error)
        return
    known = {feature.get("name") for feature in cpu.iterfind("feature")}
    cpu.extend([feature for feature in
                etree.fromstring(xml).iterfind("feature")
                if feature.get("name") not in known])


def _dotted(version: int) -> str:
    return f"{version // 10**6}.{version // 1000 % 1000}.{version % 1000}"


def _row(domain: libvirt.virDomain,
         values: dict[str, int]) -> base.DomainRow:
    number = domain.ID()
    return base.DomainRow(
        uuid=domain.UUIDString(), name=domain.name(),
        state=libvirt_domain.state(values),
        id=number if number >= 0 else None)
