"""A host in memory for operations: every hand a fake, the files real."""

import contextlib
import dataclasses
import pathlib
import tempfile
from unittest import mock

from nova import context as nova_context
from nova import exception as nova_exception
from nova import objects
import nova.conf
from nova.network import model as network_model

from nova_custom_driver import journal
from nova_custom_driver.spec import settings
from nova_custom_driver.virt.host.base import Transition
from nova_custom_driver.virt.ops import hands
from nova_custom_driver.virt.ops import operation
from nova_custom_driver.virt.ops import plan
from tests.fakes import hypervisor
from tests.fakes import imagebackend
from tests.fakes import vif
from tests.fakes import volume
from tests.unit.planner import factories
from tests.unit.virt.ops import factories as ops_factories


class VirtApi:
    """Nova's waiting for Neutron.

    :ivar arrives: whether the events come in time.
    :ivar failed: events that come as failures; an (event, port) each.
    :ivar listens: while events are being waited for.
    """

    def __init__(self):
        self.arrives = True
        self.failed = []
        self.awaited = []
        self.timeout = None
        self.listens = False

    @contextlib.contextmanager
    def wait_for_instance_event(self, instance, events, timeout,
                                error_callback):
        self.awaited, self.timeout = list(events), timeout
        self.listens = True
        yield
        self.listens = False
        for event in events:
            if event in self.failed:
                error_callback("-".join(event), instance)
        if not self.arrives:
            raise nova_exception.InstanceEventTimeout


class Stage:
    """:ivar running: instances being worked on."""

    def __init__(self, test, **network):
        nova.conf.CONF([], project="nova", default_config_files=[])
        test.addCleanup(nova.conf.CONF.reset)
        directory = tempfile.TemporaryDirectory()
        test.addCleanup(directory.cleanup)
        self.path = pathlib.Path(directory.name)
        self.hypervisor = hypervisor.FakeHypervisor(
            factories.a_host(), factories.a_domain_facts())
        self.awake = set()
        self.hypervisor.subscribe(self._follow)
        self.disks = imagebackend.MemoryBackend(self.path)
        self.bases = imagebackend.MemoryCache()
        self.vifs = vif.MemoryPlugger()
        self.volumes = volume.MemoryVolumes()
        self.virtapi = VirtApi()
        self.running = operation.Running()
        self.records = []
        self.images = imagebackend.MemoryImages()
        self.hands = hands.Hands(
            hypervisor=self.hypervisor, disks=self.disks, bases=self.bases,
            images=self.images, vifs=self.vifs,
            volumes=self.volumes,
            journal=journal.Journal(self.path / ".journal"),
            guest=factories.guest_settings(),
            disk=settings.DiskSettings(
                instances_path=self.path, cache_directory=self.path / "_base",
                images_type="qcow2",
                snapshots_directory=self.path / "snapshots"),
            network=settings.NetworkSettings(**{
                "plug_timeout_seconds": 300, "plug_is_fatal": True,
                **network}),
            resources=ops_factories.resource_settings(),
            observers=(self.records.append,))
        # Nova's records; nothing here is about them.
        for kind, name in (
                (objects.VirtualInterfaceList, "get_by_instance_uuid"),
                (objects.BlockDeviceMappingList, "get_by_instance_uuid")):
            patch = mock.patch.object(kind, name, return_value=[])
            patch.start()
            test.addCleanup(patch.stop)
        patch = mock.patch.object(objects.Instance, "save")
        self.save = patch.start()
        test.addCleanup(patch.stop)

    def change_resource_settings(self, **changes):
        self.hands = dataclasses.replace(
            self.hands, resources=dataclasses.replace(
                self.hands.resources, **changes))

    def change_disk_settings(self, **changes):
        self.hands = dataclasses.replace(
            self.hands, disk=dataclasses.replace(self.hands.disk, **changes))

    def operation(self, name, instance):
        return operation.Operation(
            name, instance.uuid, self.hands, self.running)

    def _follow(self, event):
        if event.transition is Transition.STOPPED:
            self.awake.discard(event.uuid)
        else:
            self.awake.add(event.uuid)

    def left(self):
        """Return all that is on the host, as text."""
        found = [f"domain {row.name}" for row in self.hypervisor.domains()]
        # Undefining a guest does not stop it.
        found += [f"guest without a domain {uuid}"
                  for uuid in self.awake - self.hypervisor.known.keys()]
        found += [f"disk {name}" for _uuid, name in self.disks.disks]
        found += [f"port {port}" for port in self.vifs.plugged]
        found += [f"volume {name}" for name in self.volumes.connected]
        found += [f"file {path.name}" for path in self.path.iterdir()
                  if path.name != ".journal"]
        found += [f"journal {uuid}"
                  for uuid in self.hands.journal.unfinished()]
        return found


def a_subject(**instance):
    """Return an instance with its image, as the driver is given them."""
    made = factories.an_instance(
        **{"config_drive": "", **instance})
    # Loaded from the database otherwise.
    made.trusted_certs = None
    return plan.Subject(instance=made, image_meta=factories.an_image(),
                        block_device_info=None)


def a_network(*vifs):
    return network_model.NetworkInfo(vifs)


def a_context(**fields):
    return nova_context.RequestContext("u1", "p1", **fields)
