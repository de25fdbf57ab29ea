"""Switch guests on and off, and hold them still."""

import time

from nova import exception as nova_exception
from nova.compute import power_state
from nova.objects import instance as instance_object
from nova.virt import hardware
from oslo_log import log as logging

from nova_custom_driver import exception
from nova_custom_driver.virt.host import base as host_base
from nova_custom_driver.virt.host.base import State
from nova_custom_driver.virt.ops import hands as hands_module
from nova_custom_driver.virt.ops import passthrough

LOG = logging.getLogger(__name__)

OFF = frozenset((State.SHUTOFF, State.CRASHED))
POWER_STATES = {
    State.NOSTATE: power_state.NOSTATE,
    State.RUNNING: power_state.RUNNING,
    State.PAUSED: power_state.PAUSED,
    State.SHUTOFF: power_state.SHUTDOWN,
    State.CRASHED: power_state.CRASHED,
    State.SUSPENDED: power_state.SUSPENDED,
}


def info(hands: hands_module.Hands,
         instance_uuid: str) -> hardware.InstanceInfo:
    """Return what the guest is doing, in Nova's words.

    :raises nova.exception.InstanceNotFound: it has no domain.
    """
    domain = hands.hypervisor.find(instance_uuid)
    return hardware.InstanceInfo(
        state=POWER_STATES[domain.state()], internal_id=domain.id())


def shut_down(domain: host_base.Domain, *, timeout_seconds: float,
              retry_seconds: float) -> bool:
    """Press the power button until the guest is off; return whether it is.

    The button is pressed again every ``retry_seconds``: a guest that is
    still booting does not see it.
    """
    deadline = time.monotonic() + timeout_seconds
    try:
        while (left := deadline - time.monotonic()) > 0:
            if domain.state() in OFF:
                return True
            _press(domain)
            wait = min(left, retry_seconds) if retry_seconds > 0 else left
            if domain.wait_for(OFF, wait):
                return True
    except nova_exception.InstanceNotFound:
        return True
    return False


def _press(domain: host_base.Domain) -> None:
    try:
        domain.shutdown()
    except exception.HostError as error:
        LOG.debug("The power button of %s cannot be pressed: %s",
                  domain.name, error)


def off(hands: hands_module.Hands, instance: instance_object.Instance, *,
        timeout_seconds: float, retry_seconds: float) -> None:
    """Switch the guest off: gracefully in ``timeout_seconds``, else hard.

    :raises nova.exception.InstancePowerOffFailure: QEMU did not die.
    """
    domain = hands.hypervisor.find(instance.uuid)
    if timeout_seconds and shut_down(
            domain, timeout_seconds=timeout_seconds,
            retry_seconds=retry_seconds):
        LOG.info("The guest has shut itself down", instance=instance)
        return
    if timeout_seconds:
        LOG.info("The guest did not shut down in %d s and is switched off",
                 timeout_seconds, instance=instance)
    domain.destroy()


def unpause(hands: hands_module.Hands, instance_uuid: str) -> None:
    """Let the guest go on, with its clock set right."""
    domain = hands.hypervisor.find(instance_uuid)
    domain.resume()
    domain.synchronise_time()


def suspend(hands: hands_module.Hands, instance_uuid: str) -> None:
    """Write the guest's memory to disk and stop it, without the host's
    devices.

    :raises InstanceFaultRollback: this guest cannot be saved; it runs on.
    """
    domain = hands.hypervisor.find(instance_uuid)
    try:
        passthrough.save(domain, hands.detach_timeout_seconds)
    except (exception.HostError,
            nova_exception.DeviceDetachFailed) as error:
        raise nova_exception.InstanceFaultRollback(
            nova_exception.InstanceSuspendFailure(
                reason=error.format_message())) from error
