"""Ports of the kinds that os-vif does not know, plugged by ourselves.

A port is described first, as plain JSON, and then plugged and unplugged by
its description: that is all there is after a crash.
"""

from collections.abc import Callable, Mapping
import dataclasses
from typing import Any

from nova import exception as nova_exception
from nova import utils as nova_utils
from nova.network import model
from nova.objects import instance as instance_object
from nova.privsep import libvirt as programs
from nova.privsep import linux_net
from oslo_log import log as logging
from oslo_utils import strutils

from nova_custom_driver.virt.vif import card
from nova_custom_driver.virt.vif import convert

LOG = logging.getLogger(__name__)
NO_MAC = "00:00:00:00:00:00"

Detail = dict[str, Any]
Describe = Callable[
    [instance_object.Instance, model.VIF, card.Devices], Detail]


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Kind:
    """How one kind of port is plugged.

    :ivar describe: returns what plug and unplug need.
    :ivar unplug: of what is gone already is no error.
    """

    describe: Describe
    plug: Callable[[Detail], None]
    unplug: Callable[[Detail], None]


def describe(instance: instance_object.Instance, vif: model.VIF,
             devices: card.Devices) -> Detail:
    """Return what :func:`plug` and :func:`unplug` need, as plain JSON.

    :raises nova.exception.NovaException: the binding lacks something, or
        the host has no such device.
    """
    kind = _name(vif)
    return {"own": kind, "port": vif["id"],
            **KINDS[kind].describe(instance, vif, devices)}


def plug(detail: Detail, *, multiqueue: bool) -> None:
    """Connect a port; one that is connected already is no error.

    :param multiqueue: whether a tap is made for several queues.
    """
    KINDS[detail["own"]].plug(detail | {"multiqueue": multiqueue})


def unplug(detail: Detail) -> None:
    """Disconnect a port; one that is gone already is no error."""
    KINDS[detail["own"]].unplug(detail)


def _name(vif: model.VIF) -> str:
    if vif["type"] == model.VIF_TYPE_HW_VEB:
        return ("hw_veb macvtap"
                if vif["vnic_type"] == model.VNIC_TYPE_MACVTAP
                else "hw_veb function")
    return str(vif["type"])


# Taps

def _describe_tap(instance: instance_object.Instance, vif: model.VIF,
                  devices: card.Devices) -> Detail:
    return {"tap": convert.device_name(vif),
            "mac": vif["details"].get(model.VIF_DETAILS_TAP_MAC_ADDRESS),
            "mtu": vif["network"].get_meta("mtu") if vif["network"] else None}


def _plug_tap(detail: Detail) -> None:
    linux_net.create_tap_dev(detail["tap"], detail["mac"],
                             multiqueue=detail["multiqueue"])
    if detail["mtu"]:
        linux_net.set_device_mtu(detail["tap"], detail["mtu"])


def _unplug_tap(detail: Detail) -> None:
    linux_net.delete_net_dev(detail["tap"])


def _plug_midonet(detail: Detail) -> None:
    linux_net.create_tap_dev(detail["tap"])
    programs.plug_midonet_vif(detail["port"], detail["tap"])


def _unplug_midonet(detail: Detail) -> None:
    programs.unplug_midonet_vif(detail["port"])
    linux_net.delete_net_dev(detail["tap"])


def _describe_iovisor(instance: instance_object.Instance, vif: model.VIF,
                      devices: card.Devices) -> Detail:
    return {"tap": convert.device_name(vif), "mac": vif["address"],
            "network": vif["network"]["id"], "project": instance.project_id}


def _plug_iovisor(detail: Detail) -> None:
    linux_net.create_tap_dev(detail["tap"])
    programs.plug_plumgrid_vif(detail["tap"], detail["port"], detail["mac"],
                               detail["network"], detail["project"])


def _unplug_iovisor(detail: Detail) -> None:
    programs.unplug_plumgrid_vif(detail["tap"])
    linux_net.delete_net_dev(detail["tap"])


# Virtual functions of cards

def _describe_macvtap_on_card(
        instance: instance_object.Instance, vif: model.VIF,
        devices: card.Devices) -> Detail:
    found = card.virtual_function(card.address(vif), devices)
    if found.interface is None:
        raise nova_exception.PciDeviceNotFoundById(id=card.address(vif))
    return {"mac": vif["address"],
            "vlan": int(vif["details"].get(model.VIF_DETAILS_VLAN) or 0),
            **dataclasses.asdict(found)}


def _plug_macvtap_on_card(detail: Detail) -> None:
    linux_net.set_device_macaddr_and_vlan(
        detail["parent"], detail["number"], detail["mac"], detail["vlan"])
    linux_net.set_device_macaddr(
        detail["interface"], detail["mac"],
        port_state="up" if detail["vlan"] else "down")


def _unplug_macvtap_on_card(detail: Detail) -> None:
    # A function that keeps the MAC keeps its card from sending to it, also
    # once the port is used elsewhere.
    _plug_macvtap_on_card(detail | {"mac": NO_MAC, "vlan": 0})


def _describe_function(instance: instance_object.Instance, vif: model.VIF,
                       devices: card.Devices) -> Detail:
    trusted = vif["profile"].get("trusted")
    if vif["vnic_type"] != model.VNIC_TYPE_DIRECT or trusted is None:
        return {"trusted": None}
    return {"trusted": strutils.bool_from_string(trusted),
            **dataclasses.asdict(
                card.virtual_function(card.address(vif), devices))}


def _plug_function(detail: Detail) -> None:
    if detail["trusted"]:
        linux_net.set_device_trust(detail["parent"], detail["number"], True)


def _unplug_function(detail: Detail) -> None:
    if detail["trusted"] is not None:
        linux_net.set_device_trust(detail["parent"], detail["number"], False)


def _describe_infiniband(
        instance: instance_object.Instance, vif: model.VIF,
        devices: card.Devices) -> Detail:
    fabric = vif.get_physical_network()
    if not fabric:
        raise nova_exception.NetworkMissingPhysicalNetwork(
            network_uuid=vif["network"]["id"])
    return {"fabric": fabric, "mac": vif["address"],
            "instance": instance.uuid, "address": card.address(vif)}


def _plug_infiniband(detail: Detail) -> None:
    programs.plug_infiniband_vif(
        detail["mac"], detail["instance"], detail["fabric"],
        model.VIF_TYPE_IB_HOSTDEV, detail["address"])


def _unplug_infiniband(detail: Detail) -> None:
    programs.unplug_infiniband_vif(detail["fabric"], detail["mac"])


# Macvtap of Neutron's own agent

def _describe_macvtap(instance: instance_object.Instance, vif: model.VIF,
                      devices: card.Devices) -> Detail:
    # The binding is checked as a whole, as it is for the guest.
    convert.source(vif, devices)
    return {"vlan": vif["details"].get(model.VIF_DETAILS_VLAN),
            "device": vif["details"][model.VIF_DETAILS_MACVTAP_SOURCE],
            "below": vif["details"][model.VIF_DETAILS_PHYS_INTERFACE]}


# By the name that stock Nova locks with as well.
@nova_utils.synchronized("lock_vlan", external=True)
def _plug_macvtap(detail: Detail) -> None:
    if not detail["vlan"]:
        return
    if not linux_net.device_exists(detail["device"]):
        linux_net.add_vlan(detail["below"], detail["device"],
                           detail["vlan"])
    linux_net.set_device_enabled(detail["device"])


def _describe_nothing(instance: instance_object.Instance, vif: model.VIF,
                      devices: card.Devices) -> Detail:
    return {}


def _do_nothing(detail: Detail) -> None:
    """Leave it to libvirt, or to the other guests on it."""


NOTHING = Kind(describe=_describe_nothing, plug=_do_nothing,
               unplug=_do_nothing)
KINDS: Mapping[str, Kind] = {
    model.VIF_TYPE_TAP: Kind(
        describe=_describe_tap, plug=_plug_tap, unplug=_unplug_tap),
    model.VIF_TYPE_MIDONET: Kind(
        describe=_describe_tap, plug=_plug_midonet, unplug=_unplug_midonet),
    model.VIF_TYPE_IOVISOR: Kind(
        describe=_describe_iovisor, plug=_plug_iovisor,
        unplug=_unplug_iovisor),
    "hw_veb macvtap": Kind(
        describe=_describe_macvtap_on_card, plug=_plug_macvtap_on_card,
        unplug=_unplug_macvtap_on_card),
    "hw_veb function": Kind(
        describe=_describe_function, plug=_plug_function,
        unplug=_unplug_function),
    model.VIF_TYPE_IB_HOSTDEV: Kind(
        describe=_describe_infiniband, plug=_plug_infiniband,
        unplug=_unplug_infiniband),
    model.VIF_TYPE_MACVTAP: Kind(
        describe=_describe_macvtap, plug=_plug_macvtap, unplug=_do_nothing),
    model.VIF_TYPE_HOSTDEV: NOTHING,
    model.VIF_TYPE_802_QBG: NOTHING,
    model.VIF_TYPE_802_QBH: NOTHING}
