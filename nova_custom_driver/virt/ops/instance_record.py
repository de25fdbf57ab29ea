"""What the driver owns of Nova's instance record."""

from nova import context as nova_context
from nova import exception as nova_exception
from nova import objects
from nova.virt import driver as nova_driver
from oslo_log import log as logging

from nova_custom_driver import exception
from nova_custom_driver.spec import guest as guest_spec
from nova_custom_driver.virt.ops import hands as hands_module
from nova_custom_driver.virt.ops import plan as plan_ops
from nova_custom_driver.virt.ops import registered_defaults

LOG = logging.getLogger(__name__)


def register(instance: objects.Instance, plan: guest_spec.GuestPlan) -> None:
    """Note what a new guest was given.

    Whoever calls ``spawn`` in Nova saves the instance right after; another
    save here would be one more call to the conductor.
    """
    registered_defaults.register(instance, registered_defaults.of(plan))
    instance.vcpu_model = _cpu_model(plan)


def register_existing(context: nova_context.RequestContext,
                      instance: objects.Instance,
                      hands: hands_module.Hands) -> None:
    """Save what a guest was given before this was written down.

    One that cannot be planned here is left as it is, with a warning: its
    guest may be another driver's, and runs all the same.
    """
    if registered_defaults.complete(instance):
        return
    bdms = objects.BlockDeviceMappingList.get_by_instance_uuid(
        context, instance.uuid)
    subject = plan_ops.Subject(
        instance=instance, image_meta=instance.image_meta,
        block_device_info=nova_driver.get_block_device_info(instance, bdms))
    try:
        plan = plan_ops.make(subject, instance.get_network_info(), hands)
    except (nova_exception.NovaException, exception.HostError) as error:
        LOG.warning("The defaults of this guest are not written down: %s",
                    error, instance=instance)
        return
    if registered_defaults.register(instance, registered_defaults.of(plan)):
        instance.save()


def _cpu_model(plan: guest_spec.GuestPlan) -> objects.VirtCPUModel | None:
    """Return the guest's processor; compared before a live migration."""
    cpu = plan.cpu
    if cpu is None:
        return None
    return objects.VirtCPUModel(
        arch=plan.boot.arch, model=cpu.model,
        mode=cpu.mode.value if cpu.mode else None, match="exact",
        topology=objects.VirtCPUTopology(
            sockets=cpu.topology.sockets, cores=cpu.topology.cores,
            threads=cpu.topology.threads),
        features=[objects.VirtCPUFeature(name=feature.name,
                                         policy=feature.policy.value)
                  for feature in cpu.features])
