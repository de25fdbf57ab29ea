"""Take the host's devices from guests for a while.

QEMU cannot write down what a device of the host is about, so a guest that
is saved must not have any.
"""

from nova import exception as nova_exception
from nova.i18n import _
from oslo_log import log as logging

from nova_custom_driver import exception
from nova_custom_driver.virt.host import base as host_base
from nova_custom_driver.virt.xml import passthrough

LOG = logging.getLogger(__name__)


def save(domain: host_base.Domain, timeout_seconds: float) -> None:
    """Write the guest's memory to disk and stop it; its definition keeps
    the host's devices, for :func:`give_back`.

    :param timeout_seconds: for the guest to let go of each.
    :raises nova.exception.NovaException: the guest runs on and has them.
    """
    try:
        for device in passthrough.of(domain.xml()).values():
            if device.alias is None:
                raise exception.HostError(
                    action=_("take a device from"), subject=domain.name,
                    reason=_("the guest does not run"))
            domain.unplug(device.xml, device.alias, timeout_seconds)
        domain.save()
    except BaseException as error:
        _try_to_give_back(domain, error)
        raise


def give_back(domain: host_base.Domain) -> None:
    """Give a running guest what of the host its definition says it has.

    :raises HostError: a device cannot be given; one that is there no more
        is only logged.
    """
    has = passthrough.of(domain.xml())
    for what, device in passthrough.of(domain.xml(inactive=True)).items():
        if what in has:
            continue
        try:
            domain.plug_back(device.xml)
        except nova_exception.DeviceNotFound as error:
            LOG.warning("%s goes on without a device: %s", domain.name,
                        error)


def _try_to_give_back(domain: host_base.Domain,
                      error: BaseException) -> None:
    try:
        give_back(domain)
    except Exception as failure:
        LOG.exception("%s has lost a device", domain.name)
        error.add_note(f"could not give back a device: {failure}")
