"""Start guests again: reboot, power on, resume."""

from collections.abc import Sequence

from nova import context as nova_context
from nova.network import model as network_model
from nova.virt import virtapi as nova_virtapi

from nova_custom_driver.spec import guest as guest_spec
from nova_custom_driver.virt.host import base as host_base
from nova_custom_driver.virt.host.base import State
from nova_custom_driver.virt.ops import destroy
from nova_custom_driver.virt.ops import device_metadata
from nova_custom_driver.virt.ops import disks
from nova_custom_driver.virt.ops import hands as hands_module
from nova_custom_driver.virt.ops import mdev_allocation
from nova_custom_driver.virt.ops import network
from nova_custom_driver.virt.ops import operation
from nova_custom_driver.virt.ops import passthrough
from nova_custom_driver.virt.ops import plan as plan_ops
from nova_custom_driver.virt.ops import power
from nova_custom_driver.virt.ops import serial_ports
from nova_custom_driver.virt.ops import volumes
from nova_custom_driver.virt.vif import events as vif_events
from nova_custom_driver.virt.xml import domain as domain_xml
from nova_custom_driver.virt.xml import read


def soft(hands: hands_module.Hands, instance_uuid: str,
         timeout_seconds: float, op: operation.Operation) -> bool:
    """Have the guest shut down and start it again; return whether it did.
    """
    domain = hands.hypervisor.find(instance_uuid)
    if domain.state() is not State.RUNNING:
        return False
    with op.step("shutdown"):
        stopped = power.shut_down(domain, timeout_seconds=timeout_seconds,
                                  retry_seconds=timeout_seconds)
    if stopped:
        with op.step("start"):
            domain.start()
    return stopped


def hard(context: nova_context.RequestContext, subject: plan_ops.Subject,
         network_info: network_model.NetworkInfo,
         virtapi: nova_virtapi.VirtAPI, hands: hands_module.Hands,
         op: operation.Operation) -> None:
    """Switch the guest off and build all around its disks anew.

    Operators use this to mend a broken guest, so nothing but the disks and
    the firmware's variables is taken over.  A failure leaves the guest off,
    with its disks.
    """
    instance = subject.instance
    old = destroy.find(hands, instance.uuid)
    old_xml = old.xml(inactive=True) if old is not None else None
    mdevs = mdev_allocation.give_again(
        context, subject, old_xml, virtapi, hands, op)
    with op.step("plan"):
        plan = plan_ops.make(
            subject, network_info, hands, mdevs=mdevs,
            serial_ports=(
                serial_ports.of_domain(old_xml) if old_xml else ()),
            firmware_record=(
                read.firmware_record(old_xml) if old_xml else None))
        volumes.check(subject.block_device_info)
        network.nics(plan.nics, network_info, hands)
    with op.step("stop"):
        if old is not None:
            old.destroy()
            old.forget_saved_memory()
    with op.step("unplug"):
        network.unplug(instance, network_info, hands, ignore_errors=True)
    guest = _rebuild_disks(context, subject, plan, network_info, hands, op)
    connection = network.begin(
        instance, network_info, _awaited(network_info, hands), virtapi,
        hands, op)
    domain = hands.hypervisor.define(domain_xml.domain_xml(guest))
    connection.join()
    start(domain, connection, op)
    tags = device_metadata.find(context, instance, network_info)
    instance.device_metadata = device_metadata.build(domain.xml(), tags)
    instance.save()


def resume(subject: plan_ops.Subject,
           network_info: network_model.NetworkInfo,
           hands: hands_module.Hands, op: operation.Operation) -> None:
    """Let a suspended guest go on where it stopped, its clock set right."""
    domain = hands.hypervisor.find(subject.instance.uuid)
    with op.step("plug"):
        # A host that was restarted meanwhile has lost its taps.
        network.plug(subject.instance, network_info, hands)
    with op.step("start"):
        domain.start()
    with op.step("devices"):
        passthrough.give_back(domain)
    domain.synchronise_time()


def _rebuild_disks(context: nova_context.RequestContext,
                   subject: plan_ops.Subject, plan: guest_spec.GuestPlan,
                   network_info: network_model.NetworkInfo,
                   hands: hands_module.Hands, op: operation.Operation,
                   ) -> guest_spec.Guest:
    instance = subject.instance
    with op.step("disks"):
        # Without a user's token (at the host's boot) Glance cannot be asked.
        if context.auth_token is not None:
            disks.restore_bases(context, instance, plan.disks, hands)
        found = disks.existing(instance.uuid, plan.disks, hands)
    connected = operation.first_failure(volumes.begin(
        subject.block_device_info, plan.disks, hands, op, undone=False))
    return guest_spec.Guest(
        plan=plan, disks=disks.in_order((*found, *connected), plan.disks),
        nics=network.nics(plan.nics, network_info, hands))


def start(domain: host_base.Domain, connection: network.Connection,
          op: operation.Operation) -> None:
    """Start the guest; if Neutron is awaited it stands still till then."""
    op.undo.push("stop the guest", domain.destroy)
    with op.step("start"):
        domain.start(paused=connection.awaits_events)
    connection.wait()
    if connection.awaits_events:
        domain.resume()


def _awaited(network_info: network_model.NetworkInfo,
             hands: hands_module.Hands) -> Sequence[network.Event]:
    if not hands.network.plug_timeout_seconds:
        return []
    return [(vif_events.PLUGGED, vif["id"]) for vif in network_info
            if vif["vnic_type"] in hands.network.reboot_waits_for]
