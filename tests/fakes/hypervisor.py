"""Domains in memory, with the promise of the real hypervisor."""

import contextlib
import threading
import time

from lxml import etree
from nova import exception as nova_exception

from nova_custom_driver import exception
from nova_custom_driver.virt.host import base
from nova_custom_driver.virt.host.base import State
from nova_custom_driver.virt.host.base import Transition

# libvirt's codes, see virterror.h.
OPERATION_FAILED = 9
OPERATION_INVALID = 55
ON = (State.RUNNING, State.PAUSED)


class FakeHypervisor:
    """A host whose guests do nothing.

    :ivar refuses: {name of a method: the exception it raises}.
    :ivar breaks: the same, raised after the method has done its work.
    :ivar agents: {uuid of a guest with an agent: what it was asked}.
    :ivar clinging: uuids of guests that let go of no device.
    :ivar mirrors: (disk, format) of copies begun; format None: cut off.
    :ivar deaf: uuids of guests that do not hear the power button.
    """

    def __init__(self, facts=None, domain_facts=None, usage=None):
        self.refuses = {}
        self.breaks = {}
        self.deaf = set()
        self.agents = {}
        self.clinging = set()
        self.mirrors = []
        self.pressed = []
        self.known = {}
        self.pci = ()
        self.makers = ()
        self.mediated = ()
        self.defined = ()
        self.pmem = ()
        self.changed = threading.Condition()
        self._facts = facts
        self._domain_facts = domain_facts
        self._usage = usage
        self._listeners = []
        self._number = 0

    def define(self, xml):
        root = etree.fromstring(xml)
        uuid, name = root.findtext("uuid"), root.findtext("name")
        with self.working("define"), self.changed:
            if any(other.name == name and other.uuid != uuid
                   for other in self.known.values()):
                raise exception.HostError(
                    action="define", subject="a domain", reason="name taken",
                    code=OPERATION_FAILED)
            domain = self.known.setdefault(uuid, FakeDomain(self, uuid, name))
            domain.definition = xml
        return domain

    def find(self, uuid):
        with self.working("find"):
            try:
                return self.known[uuid]
            except KeyError:
                raise nova_exception.InstanceNotFound(
                    instance_id=uuid) from None

    def domains(self):
        with self.working("domains"):
            return tuple(
                base.DomainRow(uuid=domain.uuid, name=domain.name,
                               state=domain.now, id=domain.number)
                for domain in self.known.values())

    def all_stats(self):
        with self.working("all_stats"):
            return tuple(domain.stats() for domain in self.known.values()
                         if domain.number is not None)

    def guests_memory_kib(self):
        with self.working("guests_memory_kib"):
            return sum(
                int(etree.fromstring(domain.definition).findtext("memory"))
                * 1024 for domain in self.known.values()
                if domain.number is not None)

    def facts(self):
        with self.working("facts"):
            return self._facts

    def domain_facts(self, arch, machine, virt_type):
        with self.working("domain_facts"):
            return self._domain_facts

    def model_flags(self, arch, virt_type, model):
        with self.working("model_flags"):
            return frozenset()

    def usage(self):
        with self.working("usage"):
            return self._usage

    def pci_devices(self):
        with self.working("pci_devices"):
            return self.pci

    def mdev_parents(self):
        with self.working("mdev_parents"):
            return self.makers

    def mdevs(self):
        with self.working("mdevs"):
            return self.mediated

    def create_mdev(self, mdev):
        with self.working("create_mdev"):
            self.mediated = (*self.mediated, mdev)

    def remove_mdev(self, uuid):
        with self.working("remove_mdev"):
            self.mediated = tuple(mdev for mdev in self.mediated
                                  if mdev.uuid != uuid)

    def start_mdevs(self):
        with self.working("start_mdevs"):
            self.mediated = (*self.mediated, *self.defined)
            self.defined = ()

    def pmem_namespaces(self):
        with self.working("pmem_namespaces"):
            return self.pmem

    def subscribe(self, listener):
        self._listeners.append(listener)
        return lambda: self._listeners.remove(listener)

    def tell(self, uuid, transition):
        for listener in tuple(self._listeners):
            listener(base.DomainEvent(uuid=uuid, transition=transition))

    def next_number(self):
        self._number += 1
        return self._number

    @contextlib.contextmanager
    def working(self, name):
        """Refuse, or break after the block, what the test asked for."""
        if name in self.refuses:
            raise self.refuses[name]
        yield
        if name in self.breaks:
            raise self.breaks[name]


class FakeDomain:
    """One of the hypervisor's domains; methods as the promise says."""

    def __init__(self, host, uuid, name):
        self.uuid = uuid
        self.name = name
        self.definition = None
        self.live = None
        self.now = State.SHUTOFF
        self.number = None
        self._host = host
        self._saved = False

    def state(self):
        with self._known("state"):
            return self.now

    def id(self):
        with self._known("id"):
            return self.number

    def xml(self, *, inactive=False):
        with self._known("xml"):
            return (self.definition if inactive or not self.live
                    else self.live)

    def start(self, *, paused=False):
        with self._in("start", State.SHUTOFF):
            self.number = self._host.next_number()
            self.live = self._with_aliases(self.definition)
            saved, self._saved = self._saved, False
            if paused:
                self._become(State.PAUSED, Transition.STARTED,
                             Transition.PAUSED)
            elif saved:
                self._become(State.RUNNING, Transition.STARTED,
                             Transition.RESUMED)
            else:
                # QEMU stands still at first, too.
                self._become(State.RUNNING, Transition.RESUMED,
                             Transition.STARTED)

    def suspend(self):
        with self._in("suspend", *ON):
            if self.now is not State.PAUSED:
                self._become(State.PAUSED, Transition.PAUSED)

    def resume(self):
        with self._in("resume", State.PAUSED):
            self._become(State.RUNNING, Transition.RESUMED)

    def shutdown(self):
        with self._in("shutdown", *ON):
            self._host.pressed.append(self.uuid)
            if self.uuid not in self._host.deaf:
                self._stop()

    def destroy(self):
        with self._host.working("destroy"):
            if self.uuid in self._host.known and self.number is not None:
                self._stop()

    def undefine(self):
        with self._host.working("undefine"), self._host.changed:
            self._host.known.pop(self.uuid, None)

    def save(self):
        with self._in("save", *ON):
            self._saved = True
            self._host.tell(self.uuid, Transition.PAUSED)
            self._stop()

    def has_saved_memory(self):
        with self._known("has_saved_memory"):
            return self._saved

    def forget_saved_memory(self):
        with self._known("forget_saved_memory"):
            self._saved = False

    def inject_nmi(self):
        with self._known("inject_nmi"):
            if self.now not in ON:
                raise nova_exception.InstanceNotRunning(
                    instance_id=self.uuid)

    def synchronise_time(self):
        pass

    def plug_in(self, xml, *, live):
        with self._known("plug_in"):
            if live:
                if self.now not in ON:
                    raise self._refused("plug_in")
                self.live = self._with(self.live, xml)
            self.definition = self._with(self.definition, xml)

    def forget_device(self, xml):
        with self._known("forget_device"):
            self.definition = self._without(self.definition, xml)

    def remember_device(self, xml):
        with self._known("remember_device"):
            self.definition = self._with(self.definition, xml)

    def plug_back(self, xml):
        with self._in("plug_back", *ON):
            self.live = self._with(self.live, xml)

    def unplug(self, xml, alias, timeout_seconds):
        with self._in("unplug", *ON):
            if self.uuid in self._host.clinging:
                raise nova_exception.DeviceDetachFailed(
                    device=alias, reason="the guest has not let go of it")
            self.live = self._without(self.live, xml)

    def _with(self, domain, device):
        root = etree.fromstring(domain)
        devices = root.find("devices")
        if devices is None:
            devices = etree.SubElement(root, "devices")
        new = etree.fromstring(device)
        if any(_is_same(node, new) for node in devices):
            raise self._refused("plug_in")
        devices.append(new)
        return etree.tostring(root, encoding="unicode")

    def _without(self, domain, device):
        root = etree.fromstring(domain)
        old = etree.fromstring(device)
        for node in root.iterfind("devices/*"):
            if _is_same(node, old):
                node.getparent().remove(node)
                return etree.tostring(root, encoding="unicode")
        raise self._refused("unplug")

    def _refused(self, name):
        return exception.HostError(
            action=name, subject=f"domain {self.name}",
            reason="it has no such device, or has it already",
            code=OPERATION_FAILED)

    @contextlib.contextmanager
    def mirror(self, target, path, format_name):
        with self._in("mirror", *ON):
            self._host.mirrors.append((target, format_name))
            try:
                yield
            except BaseException:
                self._host.mirrors.append((target, None))
                raise
            path.write_text(f"{target} of {self.name}")

    def end_mirror(self, target):
        with self._known("end_mirror"):
            self._host.mirrors.append((target, None))

    def freeze(self):
        self._ask_agent("freeze")

    def thaw(self):
        self._ask_agent("thaw")

    def stats(self):
        with self._known("stats"):
            return base.DomainStats(uuid=self.uuid, state=self.now,
                                    values={"vcpu.current": 1})

    def wait_for(self, states, timeout_seconds):
        deadline = time.monotonic() + timeout_seconds
        with self._host.changed:
            return self._host.changed.wait_for(
                lambda: self.state() in states,
                max(0, deadline - time.monotonic()))

    def _ask_agent(self, name):
        with self._known(name):
            if self.uuid not in self._host.agents or self.now not in ON:
                raise nova_exception.InstanceQuiesceFailed(
                    reason="no agent answers")
            self._host.agents[self.uuid].append(name)

    def _with_aliases(self, definition):
        root = etree.fromstring(definition)
        devices = root.iterfind("devices/*")
        for number, node in enumerate(devices):
            if node.find("alias") is None:
                etree.SubElement(node, "alias", name=f"device{number}")
                definition = None
        return definition or etree.tostring(root, encoding="unicode")

    def _stop(self):
        self.number = self.live = None
        self._become(State.SHUTOFF, Transition.STOPPED)

    def _become(self, state, *transitions):
        with self._host.changed:
            self.now = state
            self._host.changed.notify_all()
        for transition in transitions:
            self._host.tell(self.uuid, transition)

    @contextlib.contextmanager
    def _in(self, name, *states):
        """Refuse what libvirt refuses a domain in any other state."""
        with self._known(name):
            if self.now not in states:
                raise exception.HostError(
                    action=name, subject=f"domain {self.name}",
                    reason=f"it is {self.now}", code=OPERATION_INVALID)
            yield

    @contextlib.contextmanager
    def _known(self, name):
        if self.uuid not in self._host.known:
            raise nova_exception.InstanceNotFound(instance_id=self.uuid)
        with self._host.working(name):
            yield


def _is_same(device, other):
    """Return whether both stand for one thing of the host or the guest."""
    def name(node):
        target = node.find("target")
        address = node.find("source/address")
        if target is not None:
            return target.get("dev")
        return sorted(address.items()) if address is not None else None

    return (device.tag == other.tag and name(device) is not None
            and name(device) == name(other))
