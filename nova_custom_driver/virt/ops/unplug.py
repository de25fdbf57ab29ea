"""Take a device from a guest, with one honest outcome."""

from collections.abc import Callable
import dataclasses

from nova import exception as nova_exception
from oslo_log import log as logging

from nova_custom_driver import exception
from nova_custom_driver.virt.host import base as host_base
from nova_custom_driver.virt.host.base import State

LOG = logging.getLogger(__name__)
LIVE = frozenset((State.RUNNING, State.PAUSED))


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """A device of a domain.

    :ivar xml: its element.
    :ivar alias: libvirt's name of it; None: the guest is off.
    """

    xml: str
    alias: str | None


Find = Callable[[str], Part | None]


def unplug(domain: host_base.Domain, find: Find,
           timeout_seconds: float) -> bool:
    """Take a device from the stored definition and the running guest.

    The definition goes first, for a guest that lets go late then stays
    without the device when it is started again.  If it does not let go in
    time, the definition has the device again: it is attached, everywhere.

    :param find: finds the device in a domain's XML.
    :returns: whether there was such a device.
    :raises nova.exception.DeviceDetachFailed: the guest keeps the device.
    """
    stored = find(domain.xml(inactive=True))
    live = find(domain.xml()) if domain.state() in LIVE else None
    if stored is not None:
        domain.forget_device(stored.xml)
    if live is not None and live.alias is not None:
        try:
            domain.unplug(live.xml, live.alias, timeout_seconds)
        except (nova_exception.DeviceDetachFailed, exception.HostError):
            if stored is not None:
                domain.remember_device(stored.xml)
            raise
    return stored is not None or live is not None
