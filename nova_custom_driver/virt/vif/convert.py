"""Neutron's ports as os-vif's objects, and as the guest's sources.

One table line a kind; those to come: hybrid plugging of other agents,
SR-IOV, vhost-user, macvtap.  See ``nova.network.os_vif_util`` for what
Nova's own conversion covers.
"""

from nova import exception as nova_exception
from nova.i18n import _
from nova.network import model as network_model
from nova.network import os_vif_util
from os_vif import objects

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
    if vif["type"] == TAP:
        return spec.TapSource(target=device_name(vif))
    return _os_vif_source(os_vif(vif))


def os_vif(vif: network_model.VIF) -> objects.vif.VIFBase:
    """Return os-vif's object for an OVS port."""
    converted = os_vif_util.nova_to_osvif_vif(vif)
    if converted is None:
        raise _unsupported(vif)
    return converted


def device_name(vif: network_model.VIF) -> str:
    """Return the name of a port's tap on the host."""
    name = vif.get("devname") or f"tap{vif['id']}"
    return str(name)[:network_model.NIC_NAME_LEN]


def check(vif: network_model.VIF) -> None:
    """:raises nova.exception.VirtualInterfacePlugException: as above."""
    if vif["type"] in UNBOUND:
        raise nova_exception.VirtualInterfacePlugException(_(
            "Neutron could not bind port %(port)s to this host "
            "(vif_type=%(type)s); see the log of its mechanism driver") % {
                "port": vif["id"], "type": vif["type"]})
    normal = vif.get("vnic_type", network_model.VNIC_TYPE_NORMAL) \
        == network_model.VNIC_TYPE_NORMAL
    if vif["type"] not in (OVS, TAP) or not normal:
        raise _unsupported(vif)


def _os_vif_source(converted: objects.vif.VIFBase) -> spec.Source:
    match converted:
        case objects.vif.VIFOpenVSwitch():
            profile = converted.port_profile
            if _is_set(profile, "create_tap") \
                    or _is_set(profile, "create_port"):
                return spec.TapSource(target=converted.vif_name)
            return spec.OpenVSwitchSource(
                bridge=converted.bridge_name, target=converted.vif_name,
                interface_id=profile.interface_id)
        case objects.vif.VIFBridge():
            return spec.BridgeSource(bridge=converted.bridge_name,
                                     target=converted.vif_name)
    raise nova_exception.VirtualInterfacePlugException(
        _("os-vif made an unknown %s") % type(converted).__name__)


def _is_set(profile: objects.vif.VIFPortProfileBase, name: str) -> bool:
    return profile.obj_attr_is_set(name) and bool(getattr(profile, name))


def _unsupported(vif: network_model.VIF
                 ) -> nova_exception.VirtualInterfacePlugException:
    return nova_exception.VirtualInterfacePlugException(_(
        "port %(port)s is of vif_type=%(type)s, vnic_type=%(vnic)s, which "
        "this version of nova-custom-driver cannot plug") % {
            "port": vif["id"], "type": vif["type"],
            "vnic": vif.get("vnic_type")})
