"""Which kinds of ports there are, and which of them we plug."""

from collections.abc import Mapping

from nova import exception as nova_exception
from nova.i18n import _
from nova.network import model

UNBOUND = frozenset((model.VIF_TYPE_UNBOUND, model.VIF_TYPE_BINDING_FAILED))
NORMAL = frozenset((model.VNIC_TYPE_NORMAL,))
SWITCH = NORMAL | {model.VNIC_TYPE_DIRECT, model.VNIC_TYPE_VDPA,
                   model.VNIC_TYPE_REMOTE_MANAGED}
FUNCTION = frozenset((
    model.VNIC_TYPE_DIRECT, model.VNIC_TYPE_ACCELERATOR_DIRECT,
    model.VNIC_TYPE_MACVTAP))
DEVICE = frozenset((model.VNIC_TYPE_DIRECT_PHYSICAL,
                    model.VNIC_TYPE_ACCELERATOR_DIRECT_PHYSICAL))

# {vif_type: the vnic_types it comes with}
KNOWN: Mapping[str, frozenset[str]] = {
    model.VIF_TYPE_OVS: SWITCH,
    model.VIF_TYPE_AGILIO_OVS: SWITCH | {model.VNIC_TYPE_VIRTIO_FORWARDER},
    model.VIF_TYPE_VHOSTUSER: NORMAL | {model.VNIC_TYPE_VIRTIO_FORWARDER},
    model.VIF_TYPE_IVS: NORMAL,
    model.VIF_TYPE_VROUTER: NORMAL | {model.VNIC_TYPE_DIRECT,
                                      model.VNIC_TYPE_VIRTIO_FORWARDER},
    model.VIF_TYPE_TAP: NORMAL,
    model.VIF_TYPE_MIDONET: NORMAL,
    model.VIF_TYPE_IOVISOR: NORMAL,
    model.VIF_TYPE_MACVTAP: NORMAL | {model.VNIC_TYPE_MACVTAP},
    model.VIF_TYPE_HW_VEB: FUNCTION,
    model.VIF_TYPE_802_QBG: NORMAL | FUNCTION,
    model.VIF_TYPE_802_QBH: NORMAL | FUNCTION,
    model.VIF_TYPE_HOSTDEV: DEVICE,
    model.VIF_TYPE_IB_HOSTDEV: FUNCTION,
}
# Need no PCI device, whatever their vnic_type.
OF_NO_CARD = frozenset((
    model.VIF_TYPE_MACVTAP, model.VIF_TYPE_VHOSTUSER,
    model.VIF_TYPE_802_QBG))


def check(vif: model.VIF) -> None:
    """Return if the port's kind is one we plug.

    :raises nova.exception.VirtualInterfacePlugException: Neutron could not
        bind the port, or to a kind we do not know.
    :raises NotImplementedError: a vRouter has no such kind of port.
    """
    names = {"port": vif["id"], "type": vif["type"],
             "vnic": vif.get("vnic_type")}
    if vif["type"] in UNBOUND:
        raise nova_exception.VirtualInterfacePlugException(_(
            "Neutron could not bind port %(port)s to this host "
            "(vif_type=%(type)s); see the log of its mechanism driver")
            % names)
    if vif["type"] == model.VIF_TYPE_BRIDGE:
        raise nova_exception.VirtualInterfacePlugException(_(
            "port %(port)s is of vif_type=%(type)s: Linux bridge agents are "
            "not supported since Nova 34") % names)
    if names["vnic"] in KNOWN.get(vif["type"], ()):
        return
    text = _("port %(port)s is of vif_type=%(type)s, vnic_type=%(vnic)s, "
             "which nova-custom-driver cannot plug") % names
    if vif["type"] == model.VIF_TYPE_VROUTER:
        raise NotImplementedError(text)
    raise nova_exception.VirtualInterfacePlugException(text)


def is_of_card(vif: model.VIF) -> bool:
    """Return whether Nova has to claim a PCI device for the port."""
    return (vif["vnic_type"] not in NORMAL
            or vif["type"] == model.VIF_TYPE_802_QBH) \
        and vif["type"] not in OF_NO_CARD
