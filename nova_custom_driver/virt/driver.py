"""The driver class, as Nova calls it; every body hands on to a room."""

from collections.abc import Callable, Iterable
import contextlib
import functools
import os
import pathlib
import sys
from typing import Any

from nova import context as nova_context
from nova import exception as nova_exception
from nova import objects
from nova import utils as nova_utils
from nova.compute import power_state
from nova.compute import provider_tree as nova_provider_tree
import nova.conf
from nova.console import type as console_type
from nova.network import model as network_model
from nova.virt import driver as nova_driver
from nova.virt import hardware
from nova.virt import node
from nova.virt import virtapi as nova_virtapi
from oslo_log import log as logging

from nova_custom_driver import conf
from nova_custom_driver import conf_cpus
from nova_custom_driver import conf_devices
from nova_custom_driver import conf_resources
from nova_custom_driver import exception
from nova_custom_driver import imagebackend
from nova_custom_driver import journal
from nova_custom_driver import metrics
from nova_custom_driver import timeline
from nova_custom_driver.imagebackend import cache
from nova_custom_driver.imagebackend import filesystem
from nova_custom_driver.imagebackend import glance
from nova_custom_driver.imagebackend import instance_directory
from nova_custom_driver.imagebackend import space
from nova_custom_driver.spec import guest as guest_spec
from nova_custom_driver.virt.host import hypervisor
from nova_custom_driver.virt.ops import attach
from nova_custom_driver.virt.ops import console
from nova_custom_driver.virt.ops import destroy
from nova_custom_driver.virt.ops import device_names
from nova_custom_driver.virt.ops import diagnostics
from nova_custom_driver.virt.ops import events
from nova_custom_driver.virt.ops import hands as hands_module
from nova_custom_driver.virt.ops import host_report
from nova_custom_driver.virt.ops import instance_record
from nova_custom_driver.virt.ops import inventory
from nova_custom_driver.virt.ops import mdev_allocation
from nova_custom_driver.virt.ops import network
from nova_custom_driver.virt.ops import operation
from nova_custom_driver.virt.ops import plan as plan_ops
from nova_custom_driver.virt.ops import pmem
from nova_custom_driver.virt.ops import power
from nova_custom_driver.virt.ops import reboot
from nova_custom_driver.virt.ops import recover
from nova_custom_driver.virt.ops import rescue
from nova_custom_driver.virt.ops import resize
from nova_custom_driver.virt.ops import resources
from nova_custom_driver.virt.ops import service_status
from nova_custom_driver.virt.ops import shared_storage
from nova_custom_driver.virt.ops import snapshot
from nova_custom_driver.virt.ops import spawn as spawn_ops
from nova_custom_driver.virt.ops import traits
from nova_custom_driver.virt.vif import plug
from nova_custom_driver.virt.volume import registry as volume_registry
from nova_custom_driver.virt.xml import domain as domain_xml

CONF = nova.conf.CONF
LOG = logging.getLogger(__name__)


class CustomDriver(nova_driver.ComputeDriver):
    """Runs guests by libvirt with QEMU or KVM.

    Started by stock ``nova-compute``; what it is asked for, and when, stands
    at :class:`nova.virt.driver.ComputeDriver`.
    """

    def __init__(self, virtapi: nova_virtapi.VirtAPI,
                 read_only: bool = False) -> None:
        super().__init__(virtapi)
        if not nova_utils.concurrency_mode_threading():
            sys.exit("nova_custom_driver.CustomDriver runs on native threads "
                     "only: set [DEFAULT]concurrency_backend = threading.")
        conf.register(CONF)
        self.capabilities = traits.capabilities()
        self._running = operation.Running()
        self._stop = contextlib.ExitStack()
        self._hands: hands_module.Hands | None = None

    @property
    def hands(self) -> hands_module.Hands:
        """The host; there is none before ``init_host``."""
        if self._hands is None:
            raise nova_exception.VirtDriverNotReady
        return self._hands

    def _operation(self, name: str,
                   instance: objects.Instance) -> operation.Operation:
        return operation.Operation(name, instance.uuid, self.hands,
                                   self._running)

    # Service

    def init_host(self, host: str) -> None:
        """Connect to libvirt and undo what a crash has cut off.

        :raises nova.exception.NovaException: the configuration or the host
            cannot be worked with; the service stops.
        """
        conf.check(CONF)
        conf_cpus.check(CONF)
        instances_path = pathlib.Path(CONF.instances_path)
        instances_path.mkdir(parents=True, exist_ok=True)
        host_libvirt = hypervisor.LibvirtHypervisor(conf.host_settings(CONF))
        with contextlib.ExitStack() as stop:
            status = service_status.ServiceStatus(host, self.virtapi)
            stop.callback(status.close)
            relay = events.Relay(self.emit_event, status.connection_changed,
                                 self._running)
            host_libvirt.start()
            stop.callback(host_libvirt.stop)
            self._hands = self._make_hands(
                host, host_libvirt, self._observers(stop))
            inventory.check_cpus(
                host_libvirt.usage(), self._hands.resources)
            self.capabilities |= host_report.capabilities(self._hands)
            if self._hands.resources.mdev.types:
                host_libvirt.start_mdevs()
            recover.unfinished(self._hands)
            self._hands.bases.remove_unfinished()
            stop.callback(host_libvirt.subscribe(relay))
            # The record may be disabled from the last time libvirt was away.
            status.connection_changed(True, None)
            self._stop = stop.pop_all()

    def _observers(self, stop: contextlib.ExitStack
                   ) -> tuple[timeline.Observer, ...]:
        if not CONF.custom_driver.metrics_file:
            return ()
        file = metrics.MetricsFile(
            pathlib.Path(CONF.custom_driver.metrics_file))
        stop.callback(file.close)
        return (file,)

    def _make_hands(self, host: str,
                    host_libvirt: hypervisor.LibvirtHypervisor,
                    observers: tuple[timeline.Observer, ...],
                    ) -> hands_module.Hands:
        disk_settings = conf.disk_settings(CONF)
        instances_path = disk_settings.instances_path
        bases = cache.BaseImageCache(disk_settings)
        guest_settings = conf.guest_settings(
            CONF, direct_io=space.supports_direct_io(instances_path))
        return hands_module.Hands(
            hypervisor=host_libvirt,
            disks=imagebackend.backend(
                disk_settings.images_type, disk_settings, bases),
            bases=bases, images=glance.Images(),
            vifs=plug.OsVifPlugger(functools.partial(
                plan_ops.has_queues, hypervisor=host_libvirt,
                settings=guest_settings), host_libvirt.pci_devices),
            volumes=volume_registry.Volumes(conf.volume_settings(CONF)),
            detach_timeout_seconds=CONF.libvirt.device_detach_timeout,
            journal=journal.Journal(instances_path / ".journal" / host),
            guest=guest_settings, disk=disk_settings,
            network=conf.network_settings(CONF),
            resources=conf_resources.resource_settings(CONF),
            pmem=self._pmem(host_libvirt),
            workers=CONF.custom_driver.operation_workers,
            observers=observers)

    def _pmem(self, host_libvirt: hypervisor.LibvirtHypervisor
              ) -> tuple[objects.LibvirtVPMEMDevice, ...]:
        labels = conf_devices.pmem_labels(CONF)
        return pmem.devices(host_libvirt.pmem_namespaces(), labels) \
            if labels else ()

    def cleanup_host(self, host: str) -> None:
        """Let go of libvirt; guests run on."""
        self._stop.close()

    def process_instances_at_startup(
            self, context: nova_context.RequestContext,
            instances: Iterable[objects.Instance],
    ) -> Iterable[objects.Instance]:
        """Write down what guests were given before we did, and return them.
        """
        for instance in instances:
            instance_record.register_existing(context, instance, self.hands)
        return instances

    # Guests on this host

    def get_info(self, instance: objects.Instance,
                 use_cache: bool = True) -> hardware.InstanceInfo:
        return power.info(self.hands, instance.uuid)

    def get_num_instances(self) -> int:
        return len(self.hands.hypervisor.domains())

    def list_instances(self) -> list[str]:
        return [row.name for row in self.hands.hypervisor.domains()]

    def list_instance_uuids(self) -> list[str]:
        return [row.uuid for row in self.hands.hypervisor.domains()]

    def instance_exists(self, instance: objects.Instance) -> bool:
        return destroy.find(self.hands, instance.uuid) is not None

    def instance_on_disk(self, instance: objects.Instance) -> bool:
        return os.access(self.hands.directory(instance.uuid), os.W_OK)

    def get_available_nodes(self, refresh: bool = False) -> list[str]:
        return [self.hands.hypervisor.facts().hostname]

    def get_nodenames_by_uuid(self, refresh: bool = False) -> dict[str, str]:
        """Return {node uuid: hostname}, with the uuid kept in state_path."""
        return {node.get_local_node_uuid():
                self.hands.hypervisor.facts().hostname}

    # Life and death

    def spawn(self, context: nova_context.RequestContext,
              instance: objects.Instance, image_meta: objects.ImageMeta,
              injected_files: list[tuple[str, str]],
              admin_password: str | None, allocations: dict[str, Any],
              network_info: network_model.NetworkInfo | None = None,
              block_device_info: dict[str, Any] | None = None,
              power_on: bool = True,
              accel_info: list[dict[str, Any]] | None = None) -> None:
        """Make the guest and start it; a failure leaves nothing behind."""
        order = spawn_ops.Order(
            context=context,
            subject=plan_ops.Subject(
                instance=instance, image_meta=image_meta,
                block_device_info=block_device_info,
                accelerators=accel_info or ()),
            allocations=allocations, network_info=_network(network_info),
            injected_files=injected_files or [],
            admin_password=admin_password, power_on=power_on)
        with self._operation("spawn", instance) as op:
            work = spawn_ops.begin(order, self.virtapi, self.hands, op)
            guest = self._create_image(order, work, op)
            xml = self._get_guest_xml(guest)
            self._create_domain_and_network(order, work, xml, op)
            with op.step("record"):
                instance_record.register(instance, guest.plan)

    def _create_image(self, order: spawn_ops.Order, work: spawn_ops.Work,
                      op: operation.Operation) -> guest_spec.Guest:
        """Return the guest with the storage of its disks made."""
        return spawn_ops.finish_disks(order, work, self.hands, op)

    def _get_guest_xml(self, guest: guest_spec.Guest) -> str:
        """Return the domain as libvirt spells it."""
        return domain_xml.domain_xml(guest)

    def _create_domain_and_network(
            self, order: spawn_ops.Order, work: spawn_ops.Work, xml: str,
            op: operation.Operation) -> None:
        """Define the guest, start it, and have Neutron wire its ports."""
        spawn_ops.start_domain(order, work, xml, self.hands, op)

    def destroy(self, context: nova_context.RequestContext,
                instance: objects.Instance,
                network_info: network_model.NetworkInfo,
                block_device_info: dict[str, Any] | None = None,
                destroy_disks: bool = True,
                destroy_secrets: bool = True) -> None:
        """Take the guest off the host; what is gone already is no error."""
        with self._operation("destroy", instance) as op:
            with op.step("stop"):
                destroy.stop(self.hands, instance.uuid)
            with op.step("clean"):
                destroy.clean(self.hands, instance, _network(network_info),
                              block_device_info, vifs=True,
                              files=destroy_disks)

    def cleanup(self, context: nova_context.RequestContext,
                instance: objects.Instance,
                network_info: network_model.NetworkInfo,
                block_device_info: dict[str, Any] | None = None,
                destroy_disks: bool = True, migrate_data: Any = None,
                destroy_vifs: bool = True,
                destroy_secrets: bool = True) -> None:
        """Remove what is left of a guest that does not run any more."""
        with self._operation("cleanup", instance):
            destroy.clean(self.hands, instance, _network(network_info),
                          block_device_info, vifs=destroy_vifs,
                          files=destroy_disks)

    def delete_instance_files(self, instance: objects.Instance) -> bool:
        return destroy.delete_files(self.hands, instance.uuid)

    # Power

    def power_off(self, instance: objects.Instance, timeout: Any = 0,
                  retry_interval: int = 0) -> None:
        """Switch the guest off: by itself in ``timeout`` seconds, else hard.
        """
        if isinstance(instance, nova_context.RequestContext):
            # ComputeManager._cleanup_running_deleted_instances passes
            # (context, instance) by mistake.
            instance, timeout = timeout, 0
        with self._operation("power off", instance) as op, op.step("off"):
            power.off(self.hands, instance, timeout_seconds=timeout,
                      retry_seconds=retry_interval)

    def power_on(self, context: nova_context.RequestContext,
                 instance: objects.Instance,
                 network_info: network_model.NetworkInfo,
                 block_device_info: dict[str, Any] | None = None,
                 accel_info: Any = None, share_info: Any = None) -> None:
        self._hard_reboot("power on", context, instance, network_info,
                          block_device_info, accel_info)

    def reboot(self, context: nova_context.RequestContext,
               instance: objects.Instance,
               network_info: network_model.NetworkInfo, reboot_type: str,
               block_device_info: dict[str, Any] | None = None,
               bad_volumes_callback: Callable[..., None] | None = None,
               accel_info: Any = None, share_info: Any = None) -> None:
        """Restart the guest; a soft reboot that fails becomes a hard one."""
        if reboot_type == "SOFT" and self._soft_reboot(instance):
            return
        self._hard_reboot("hard reboot", context, instance, network_info,
                          block_device_info, accel_info)

    def _soft_reboot(self, instance: objects.Instance) -> bool:
        try:
            with self._operation("soft reboot", instance) as op:
                return reboot.soft(
                    self.hands, instance.uuid,
                    CONF.libvirt.wait_soft_reboot_seconds, op)
        except exception.HostError as error:
            LOG.warning("The soft reboot failed and becomes a hard one: %s",
                        error, instance=instance)
            return False

    def _hard_reboot(self, name: str, context: nova_context.RequestContext,
                     instance: objects.Instance,
                     network_info: network_model.NetworkInfo,
                     block_device_info: dict[str, Any] | None,
                     accel_info: Any = None) -> None:
        subject = plan_ops.Subject(
            instance=instance, image_meta=instance.image_meta,
            block_device_info=block_device_info,
            accelerators=accel_info or ())
        with self._operation(name, instance) as op:
            reboot.hard(context, subject, _network(network_info),
                        self.virtapi, self.hands, op)

    def pause(self, instance: objects.Instance) -> None:
        self.hands.hypervisor.find(instance.uuid).suspend()

    def unpause(self, instance: objects.Instance) -> None:
        power.unpause(self.hands, instance.uuid)

    def suspend(self, context: nova_context.RequestContext,
                instance: objects.Instance) -> None:
        """Write the guest's memory to disk and stop it."""
        with self._operation("suspend", instance) as op, op.step("save"):
            power.suspend(self.hands, instance.uuid)

    def resume(self, context: nova_context.RequestContext,
               instance: objects.Instance,
               network_info: network_model.NetworkInfo,
               block_device_info: dict[str, Any] | None = None,
               share_info: Any = None) -> None:
        """Let a suspended guest go on where it stopped."""
        subject = plan_ops.Subject(
            instance=instance, image_meta=instance.image_meta,
            block_device_info=block_device_info)
        with self._operation("resume", instance) as op:
            reboot.resume(subject, _network(network_info), self.hands, op)

    def resume_state_on_host_boot(
            self, context: nova_context.RequestContext,
            instance: objects.Instance,
            network_info: network_model.NetworkInfo, share_info: Any,
            block_device_info: dict[str, Any] | None = None) -> None:
        """Start a guest that ran before the host was restarted."""
        with contextlib.suppress(nova_exception.InstanceNotFound):
            if self.get_info(instance).state in KEPT_AT_HOST_BOOT:
                return
        self._hard_reboot("resume at host boot", context, instance,
                          network_info, block_device_info)

    def trigger_crash_dump(self, instance: objects.Instance) -> None:
        self.hands.hypervisor.find(instance.uuid).inject_nmi()

    def poll_rebooting_instances(
            self, timeout: int, instances: Iterable[objects.Instance]) -> None:
        """Do nothing: a reboot here ends by itself."""

    # Network

    def plug_vifs(self, instance: objects.Instance,
                  network_info: network_model.NetworkInfo) -> None:
        network.plug(instance, network_info, self.hands)

    def unplug_vifs(self, instance: objects.Instance,
                    network_info: network_model.NetworkInfo) -> None:
        network.unplug(instance, network_info, self.hands,
                       ignore_errors=False)

    def inject_network_info(self, instance: objects.Instance,
                            nw_info: network_model.NetworkInfo) -> None:
        """Do nothing: guests learn their network by DHCP or config drive."""

    # Volumes

    def get_volume_connector(self, instance: objects.Instance
                             ) -> dict[str, Any]:
        """Return what Cinder has to know of this host to let it connect."""
        return self.hands.volumes.connector()

    def attach_volume(self, context: nova_context.RequestContext,
                      connection_info: dict[str, Any],
                      instance: objects.Instance, mountpoint: str,
                      disk_bus: str | None = None,
                      device_type: str | None = None,
                      encryption: dict[str, Any] | None = None) -> None:
        """Give a volume to the guest; a failure leaves nothing connected."""
        order = attach.Order(
            context=context, instance=instance,
            connection_info=connection_info, mountpoint=mountpoint,
            disk_bus=disk_bus, device_type=device_type)
        with self._operation("attach volume", instance) as op:
            attach.attach(order, self.hands, op)

    def detach_volume(self, context: nova_context.RequestContext,
                      connection_info: dict[str, Any],
                      instance: objects.Instance, mountpoint: str,
                      encryption: dict[str, Any] | None = None) -> None:
        """Take a volume from the guest and disconnect it."""
        with self._operation("detach volume", instance) as op:
            attach.detach(context, instance, connection_info, mountpoint,
                          self.hands, op)

    # Disks and devices

    def default_root_device_name(
            self, instance: objects.Instance, image_meta: objects.ImageMeta,
            root_bdm: objects.BlockDeviceMapping) -> str:
        return device_names.root(instance, image_meta, root_bdm, self.hands)

    def default_device_names_for_instance(
            self, instance: objects.Instance, root_device_name: str,
            *block_device_lists: Any) -> None:
        device_names.fill(instance, block_device_lists, self.hands)

    def get_device_name_for_instance(
            self, instance: objects.Instance, bdms: Any,
            block_device_obj: objects.BlockDeviceMapping) -> str:
        return device_names.free(instance, bdms, block_device_obj, self.hands)

    def is_supported_fs_format(self, fs_type: str) -> bool:
        return fs_type in filesystem.SUPPORTED

    def cache_image(self, context: nova_context.RequestContext,
                    image_id: str) -> bool:
        """Fetch an image ahead; return False if it is there already."""
        return self.hands.bases.prefetch(context, image_id)

    def rescue(self, context: nova_context.RequestContext,
               instance: objects.Instance,
               network_info: network_model.NetworkInfo,
               image_meta: objects.ImageMeta, rescue_password: str | None,
               block_device_info: dict[str, Any] | None,
               share_info: Any) -> None:
        """Start the guest, which is off, from a rescue image."""
        order = rescue.Order(
            context=context, instance=instance, image_meta=image_meta,
            network_info=_network(network_info),
            block_device_info=block_device_info,
            admin_password=rescue_password)
        with self._operation("rescue", instance) as op:
            rescue.begin(order, self.hands, op)

    def unrescue(self, context: nova_context.RequestContext,
                 instance: objects.Instance) -> None:
        """Start the guest from its own disks again."""
        with self._operation("unrescue", instance) as op:
            rescue.end(instance, self.hands, op)

    # Resize and cold migration

    def migrate_disk_and_power_off(
            self, context: nova_context.RequestContext,
            instance: objects.Instance, dest: str, flavor: objects.Flavor,
            network_info: network_model.NetworkInfo,
            block_device_info: dict[str, Any] | None = None,
            timeout: int = 0, retry_interval: int = 0) -> str:
        """Switch the guest off and get its disks ready to go to ``dest``."""
        departure = resize.Departure(
            instance=instance, destination=dest, flavor=flavor,
            network_info=_network(network_info),
            block_device_info=block_device_info, timeout_seconds=timeout,
            retry_seconds=retry_interval)
        resize.check(departure, self.get_host_ip_addr())
        with self._operation("migrate away", instance) as op:
            return resize.leave(departure, self.hands, op)

    def finish_migration(
            self, context: nova_context.RequestContext,
            migration: objects.Migration, instance: objects.Instance,
            disk_info: str, network_info: network_model.NetworkInfo,
            image_meta: objects.ImageMeta, resize_instance: bool,
            allocations: dict[str, Any],
            block_device_info: dict[str, Any] | None = None,
            power_on: bool = True, share_info: Any = None) -> None:
        """Build the guest of its new flavor around its disks."""
        self._arrive("migrate here", resize.Arrival(
            context=context,
            subject=plan_ops.Subject(
                instance=instance, image_meta=image_meta,
                block_device_info=block_device_info),
            allocations=allocations, network_info=_network(network_info),
            grows=resize_instance, power_on=power_on, waits=False))

    def confirm_migration(
            self, context: nova_context.RequestContext,
            migration: objects.Migration, instance: objects.Instance,
            network_info: network_model.NetworkInfo) -> None:
        with self._operation("confirm migration", instance) as op, \
                op.step("clean"):
            resize.confirm(instance, _network(network_info), CONF.host,
                           self.hands)

    def finish_revert_migration(
            self, context: nova_context.RequestContext,
            instance: objects.Instance,
            network_info: network_model.NetworkInfo,
            migration: objects.Migration,
            block_device_info: dict[str, Any] | None = None,
            power_on: bool = True, share_info: Any = None) -> None:
        """Build the guest of its old flavor around its old disks."""
        instance_directory.bring_back(self.hands.directory(instance.uuid))
        self._arrive("revert migration", resize.Arrival(
            context=context,
            subject=plan_ops.Subject(
                instance=instance, image_meta=instance.image_meta,
                block_device_info=block_device_info),
            allocations=mdev_allocation.promised(
                context, instance, self.virtapi, self.hands),
            network_info=_network(network_info), grows=False,
            power_on=power_on, waits=True))

    def _arrive(self, name: str, arrival: resize.Arrival) -> None:
        with self._operation(name, arrival.subject.instance) as op:
            resize.arrive(arrival, self.virtapi, self.hands, op)

    def check_instance_shared_storage_local(
            self, context: nova_context.RequestContext,
            instance: objects.Instance) -> dict[str, Any] | None:
        return shared_storage.begin(self.hands, instance.uuid)

    def check_instance_shared_storage_remote(
            self, context: nova_context.RequestContext,
            data: dict[str, Any]) -> bool:
        return shared_storage.is_seen(data)

    def check_instance_shared_storage_cleanup(
            self, context: nova_context.RequestContext,
            data: dict[str, Any]) -> None:
        shared_storage.end(data)

    # Images of guests

    def snapshot(self, context: nova_context.RequestContext,
                 instance: objects.Instance, image_id: str,
                 update_task_state: Callable[..., None]) -> None:
        """Give an image that Glance has prepared the root disk's content."""
        order = snapshot.Order(
            context=context, instance=instance, image_id=image_id,
            update_task_state=update_task_state)
        with self._operation("snapshot", instance) as op:
            snapshot.take(order, self.hands, op)

    def quiesce(self, context: nova_context.RequestContext,
                instance: objects.Instance,
                image_meta: objects.ImageMeta) -> None:
        """Have the guest write out and hold its file systems."""
        snapshot.quiesce(self.hands, instance, image_meta)

    def unquiesce(self, context: nova_context.RequestContext,
                  instance: objects.Instance,
                  image_meta: objects.ImageMeta) -> None:
        snapshot.unquiesce(self.hands, instance, image_meta)

    # Consoles and diagnostics

    def get_console_output(self, context: nova_context.RequestContext,
                           instance: objects.Instance) -> bytes:
        return console.output(self.hands.hypervisor, instance.uuid,
                              self.hands.directory(instance.uuid))

    def get_vnc_console(self, context: nova_context.RequestContext,
                        instance: objects.Instance
                        ) -> console_type.ConsoleVNC:
        return console.vnc(self.hands.hypervisor, instance.uuid,
                           conf.console_settings(CONF))

    def get_spice_console(self, context: nova_context.RequestContext,
                          instance: objects.Instance
                          ) -> console_type.ConsoleSpice:
        return console.spice(self.hands.hypervisor, instance.uuid,
                             conf.console_settings(CONF))

    def get_serial_console(self, context: nova_context.RequestContext,
                           instance: objects.Instance
                           ) -> console_type.ConsoleSerial:
        return console.serial(self.hands.hypervisor, instance.uuid)

    def get_diagnostics(self, instance: objects.Instance) -> dict[str, Any]:
        return diagnostics.flat(self.hands.hypervisor, instance.uuid)

    def get_instance_diagnostics(self, instance: objects.Instance
                                 ) -> objects.Diagnostics:
        return diagnostics.structured(
            self.hands.hypervisor, instance, CONF.libvirt.virt_type)

    # Resources

    def get_host_ip_addr(self) -> str:
        return str(CONF.my_ip)

    def get_host_uptime(self) -> str:
        return resources.uptime()

    def get_host_cpu_stats(self) -> dict[str, int]:
        return resources.cpu_stats()

    def get_available_resource(self, nodename: str) -> dict[str, Any]:
        return host_report.resources(self.hands)

    def update_provider_tree(
            self, provider_tree: nova_provider_tree.ProviderTree,
            nodename: str,
            allocations: dict[str, Any] | None = None) -> None:
        """Bring the node's inventory, what is below it, and our traits up
        to date.

        :raises nova.exception.ReshapeNeeded: allocations have to move, and
            were not given.
        :raises nova.exception.ReshapeFailed: they cannot.
        """
        existing = provider_tree.data(nodename).inventory
        host_report.update(
            provider_tree, nodename, self.hands,
            self._get_allocation_ratios(existing), allocations)


KEPT_AT_HOST_BOOT = frozenset((
    power_state.RUNNING, power_state.SUSPENDED, power_state.NOSTATE,
    power_state.PAUSED))


def _network(network_info: network_model.NetworkInfo | None
             ) -> network_model.NetworkInfo:
    # Not by its truth: that would wait for a network still being allocated.
    return network_model.NetworkInfo() if network_info is None \
        else network_info
