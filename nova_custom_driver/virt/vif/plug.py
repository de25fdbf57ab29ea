"""Connect ports on this host, and disconnect them."""

from typing import Any

from nova import exception as nova_exception
from nova.i18n import _
from nova.network import model as network_model
from nova.network import os_vif_util
from nova.objects import instance as instance_object
from nova.privsep import linux_net
from nova.virt import hardware
import os_vif
from os_vif import exception as os_vif_exception
from os_vif import objects

from nova_custom_driver.spec import nic as spec
from nova_custom_driver.virt.vif import convert


class OsVifPlugger:
    """Plugs by os-vif; taps that nobody else owns by the kernel."""

    def source(self, vif: network_model.VIF) -> spec.Source:
        return convert.source(vif)

    def plug(self, instance: instance_object.Instance,
             vif: network_model.VIF) -> None:
        """Connect a port; one that is connected already is no error.

        :raises nova.exception.VirtualInterfacePlugException: it cannot be.
        """
        convert.check(vif)
        multiqueue = _multiqueue(instance)
        if vif["type"] == convert.TAP:
            _plug_tap(vif, multiqueue=multiqueue)
            return
        converted = convert.os_vif(vif)
        profile = converted.port_profile
        if profile.obj_attr_is_set("create_tap") and profile.create_tap:
            profile.multiqueue = multiqueue
        try:
            os_vif.plug(converted,
                        os_vif_util.nova_to_osvif_instance(instance))
        except os_vif_exception.ExceptionBase as error:
            raise nova_exception.VirtualInterfacePlugException(_(
                "Could not plug port %(port)s of instance %(instance)s: "
                "%(error)s") % {"port": vif["id"], "instance": instance.uuid,
                                "error": error}) from error

    def unplug(self, instance: instance_object.Instance,
               vif: network_model.VIF) -> None:
        """Disconnect a port; one that is gone already is no error.

        :raises nova.exception.InternalError: os-vif failed.
        """
        if vif["type"] in convert.UNBOUND:
            return
        self.unplug_described(self.describe(instance, vif))

    def describe(self, instance: instance_object.Instance,
                 vif: network_model.VIF) -> dict[str, object]:
        """Return what :meth:`unplug_described` needs, as plain JSON."""
        convert.check(vif)
        if vif["type"] == convert.TAP:
            return {"tap": convert.device_name(vif)}
        return {
            "vif": convert.os_vif(vif).obj_to_primitive(),
            "instance": os_vif_util.nova_to_osvif_instance(
                instance).obj_to_primitive()}

    def unplug_described(self, detail: dict[str, Any]) -> None:
        if "tap" in detail:
            linux_net.delete_net_dev(detail["tap"])
            return
        vif = objects.vif.VIFBase.obj_from_primitive(detail["vif"])
        instance = objects.instance_info.InstanceInfo.obj_from_primitive(
            detail["instance"])
        try:
            os_vif.unplug(vif, instance)
        except os_vif_exception.ExceptionBase as error:
            raise nova_exception.InternalError(
                _("Could not unplug port %(port)s: %(error)s") % {
                    "port": vif.id, "error": error}) from error


def _plug_tap(vif: network_model.VIF, *, multiqueue: bool) -> None:
    name = convert.device_name(vif)
    linux_net.create_tap_dev(name, vif["details"].get("mac_address"),
                             multiqueue=multiqueue)
    mtu = vif["network"].get_meta("mtu") if vif["network"] else None
    if mtu:
        linux_net.set_device_mtu(name, mtu)


def _multiqueue(instance: instance_object.Instance) -> bool:
    return bool(
        hardware.get_vif_multiqueue_constraint(
            instance.flavor, instance.image_meta)
        and instance.flavor.vcpus > 1)
