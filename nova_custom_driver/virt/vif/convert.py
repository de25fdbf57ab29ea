"""Neutron's ports as os-vif's objects, and as the guest's sources.

One line of ``SOURCES`` a kind; those to come: hybrid plugging of other
agents, SR-IOV, vhost-user, macvtap.  See ``nova.network.os_vif_util`` for
what Nova's own conversion covers.
"""

from collections.abc import Callable, Mapping

from nova import exception as nova_exception
from nova.i18n import _
from nova.network import model as network_model
from nova.network import os_vif_util
from os_vif.objects import vif as os_vif_object

from nova_custom_driver.spec import nic as spec

# Kinds that os-vif's plug-in "ovs" connects, and the one we do ourselves.
OVS = network_model.VIF_TYPE_OVS
TAP = network_model.VIF_TYPE_TAP
UNBOUND = frozenset((network_model.VIF_TYPE_UNBOUND,
                     network_model.VIF_TYPE_BINDING_FAILED))


def source(vif: network_model.VIF) -> spec.Source:
    """Return the host's side of a port's interface.

    :raises nova.exception.VirtualInterfacePlugException: Neutron could not
        bind the port, or to a kind this version does not know.
    """
    check(vif)
    return SOURCES[vif["type"]](vif)


def check(vif: network_model.VIF) -> None:
    """:raises nova.exception.VirtualInterfacePlugException: as above."""
    if vif["type"] in UNBOUND:
        raise nova_exception.VirtualInterfacePlugException(_(
            "Neutron could not bind port %(port)s to this host "
            "(vif_type=%(type)s); see the log of its mechanism driver") % {
                "port": vif["id"], "type": vif["type"]})
    normal = vif.get("vnic_type", network_model.VNIC_TYPE_NORMAL) \
        == network_model.VNIC_TYPE_NORMAL
    if vif["type"] not in SOURCES or not normal:
        raise nova_exception.VirtualInterfacePlugException(_(
            "port %(port)s is of vif_type=%(type)s, vnic_type=%(vnic)s, "
            "which this version of nova-custom-driver cannot plug") % {
                "port": vif["id"], "type": vif["type"],
                "vnic": vif.get("vnic_type")})


def os_vif(vif: network_model.VIF) -> os_vif_object.VIFBase:
    """Return os-vif's object for an OVS port."""
    return os_vif_util.nova_to_osvif_vif(vif)


def device_name(vif: network_model.VIF) -> str:
    """Return the name of a port's tap on the host."""
    name = vif.get("devname") or f"tap{vif['id']}"
    return str(name)[:network_model.NIC_NAME_LEN]


def creates_tap(converted: os_vif_object.VIFBase) -> bool:
    """Return whether os-vif shall make the tap."""
    return _is_set(converted.port_profile, "create_tap")


def _tap_source(vif: network_model.VIF) -> spec.Source:
    return spec.TapSource(target=device_name(vif))


def _ovs_source(vif: network_model.VIF) -> spec.Source:
    converted = os_vif(vif)
    match converted:
        case os_vif_object.VIFBridge():
            return spec.BridgeSource(bridge=converted.bridge_name,
                                     target=converted.vif_name)
        case os_vif_object.VIFOpenVSwitch() if creates_tap(converted):
            return spec.TapSource(target=converted.vif_name)
        case os_vif_object.VIFOpenVSwitch() \
                if _is_set(converted.port_profile, "create_port"):
            return spec.TapSource(target=converted.vif_name,
                                  made_by_libvirt=True)
        case os_vif_object.VIFOpenVSwitch():
            return spec.OpenVSwitchSource(
                bridge=converted.bridge_name, target=converted.vif_name,
                interface_id=converted.port_profile.interface_id)
    raise nova_exception.VirtualInterfacePlugException(
        _("port %(port)s became an unknown %(kind)s of os-vif") % {
            "port": vif["id"], "kind": type(converted).__name__})


def _is_set(profile: os_vif_object.VIFPortProfileBase, name: str) -> bool:
    return profile.obj_attr_is_set(name) and bool(getattr(profile, name))


SOURCES: Mapping[str, Callable[[network_model.VIF], spec.Source]] = {
    OVS: _ovs_source, TAP: _tap_source}
