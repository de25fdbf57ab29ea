"""Connect ports on this host, and disconnect them."""

from collections.abc import Callable, Iterator
import contextlib
from typing import Any

from nova import exception as nova_exception
from nova.i18n import _
from nova.network import model as network_model
from nova.network import os_vif_util
from nova.objects import instance as instance_object
from nova.virt import hardware
from nova.virt import osinfo
import os_vif
from os_vif import exception as os_vif_exception
from os_vif.objects import instance_info
from os_vif.objects import vif as os_vif_object
from oslo_concurrency import processutils
from oslo_log import log as logging

from nova_custom_driver.spec import nic as spec
from nova_custom_driver.virt.vif import card
from nova_custom_driver.virt.vif import convert
from nova_custom_driver.virt.vif import own

LOG = logging.getLogger(__name__)


def asks_for_queues(instance: instance_object.Instance) -> bool:
    """Return whether the request asks for several queues a port."""
    image_meta = instance.image_meta
    if not hardware.get_vif_multiqueue_constraint(
            instance.flavor, image_meta):
        return False
    model = osinfo.HardwareProperties(image_meta).network_model
    return model in (None, network_model.VIF_MODEL_VIRTIO)


class OsVifPlugger:
    """Plugs by os-vif, and itself what os-vif does not know."""

    def __init__(self, multiqueue: Callable[[instance_object.Instance], bool]
                 = asks_for_queues,
                 devices: card.Devices = card.no_devices) -> None:
        """Take what answers whether an instance's taps need many queues.

        The kernel lets a tap be opened only the way it was made, so the
        answer must be that of the plan the guest is started by.

        :param devices: returns the host's PCI functions.
        """
        self._multiqueue = multiqueue
        self._devices = devices

    def source(self, vif: network_model.VIF) -> spec.Source:
        return convert.source(vif, self._devices)

    def plug(self, instance: instance_object.Instance,
             vif: network_model.VIF) -> None:
        """Connect a port; one that is connected already is no error.

        What is left of a failed plug goes with :meth:`unplug`.

        :raises nova.exception.VirtualInterfacePlugException: the port is not
            bound here, or of a kind we do not know.
        :raises nova.exception.InternalError: os-vif or the kernel failed.
        :raises nova.exception.NovaException: the binding lacks something, or
            the host has no such device.
        """
        convert.check(vif)
        if convert.is_own(vif):
            detail = own.describe(instance, vif, self._devices)
            with _translated("plug", vif["id"]):
                own.plug(detail, multiqueue=self._multiqueue(instance))
            return
        converted = convert.os_vif(vif)
        if convert.creates_tap(converted):
            converted.port_profile.multiqueue = self._multiqueue(instance)
        with _translated("plug", vif["id"]):
            os_vif.plug(converted,
                        os_vif_util.nova_to_osvif_instance(instance))

    def unplug(self, instance: instance_object.Instance,
               vif: network_model.VIF) -> None:
        """Disconnect a port; one that is gone already is no error.

        :raises nova.exception.VirtualInterfacePlugException: the port is of
            a kind we do not know.
        :raises nova.exception.InternalError: os-vif or the kernel failed.
        """
        if vif["type"] in convert.UNBOUND:
            LOG.warning("Port %s is not bound any more (vif_type=%s), so "
                        "nothing tells how to unplug it", vif["id"],
                        vif["type"], instance=instance)
            return
        try:
            detail = self.describe(instance, vif)
        except nova_exception.PciDeviceNotFoundById as error:
            LOG.warning("The device of port %s is gone, so it stays as it "
                        "is: %s", vif["id"], error, instance=instance)
            return
        self.unplug_described(detail)

    def describe(self, instance: instance_object.Instance,
                 vif: network_model.VIF) -> dict[str, object]:
        """Return what :meth:`unplug_described` needs, as plain JSON.

        :raises nova.exception.NovaException: as :meth:`plug`.
        """
        convert.check(vif)
        if convert.is_own(vif):
            return own.describe(instance, vif, self._devices)
        return {
            "vif": convert.os_vif(vif).obj_to_primitive(),
            "instance": os_vif_util.nova_to_osvif_instance(
                instance).obj_to_primitive()}

    def unplug_described(self, detail: dict[str, Any]) -> None:
        """Disconnect a port as it was described; gone is no error.

        :raises nova.exception.InternalError: os-vif or the kernel failed.
        """
        if "own" in detail:
            with _translated("unplug", detail["port"]):
                own.unplug(detail)
            return
        vif = os_vif_object.VIFBase.obj_from_primitive(detail["vif"])
        instance = instance_info.InstanceInfo.obj_from_primitive(
            detail["instance"])
        with _translated("unplug", vif.id):
            os_vif.unplug(vif, instance)


@contextlib.contextmanager
def _translated(action: str, port: str) -> Iterator[None]:
    try:
        yield
    except (os_vif_exception.ExceptionBase,
            processutils.ProcessExecutionError, OSError) as error:
        raise nova_exception.InternalError(
            _("Could not %(action)s port %(port)s: %(error)s") % {
                "action": action, "port": port, "error": error}) from error
