"""Neutron's ports as os-vif's objects, and as the guest's sources.

One line of ``SOURCES`` a kind that os-vif knows nothing of; all others go by
what ``nova.network.os_vif_util`` makes of them.
"""

from collections.abc import Callable, Mapping

from nova import exception as nova_exception
from nova.i18n import _
from nova.network import model as network_model
from nova.network import os_vif_util
from os_vif.objects import vif as os_vif_object

from nova_custom_driver.spec import nic as spec
from nova_custom_driver.virt.vif import card
from nova_custom_driver.virt.vif import kinds

TAP = network_model.VIF_TYPE_TAP
UNBOUND = kinds.UNBOUND


def source(vif: network_model.VIF,
           devices: card.Devices = card.no_devices) -> spec.Source:
    """Return the host's side of a port's interface.

    :raises nova.exception.VirtualInterfacePlugException: Neutron could not
        bind the port, or to a kind we cannot plug.
    :raises nova.exception.NovaException: its binding lacks what the kind
        needs, or the host has no such device.
    """
    check(vif)
    own = SOURCES.get(vif["type"])
    if own is not None:
        return own(vif, devices)
    converted = os_vif(vif)
    match converted:
        case os_vif_object.VIFGeneric():
            return spec.TapSource(target=converted.vif_name,
                                  made_by_libvirt=True)
        case os_vif_object.VIFBridge():
            return spec.BridgeSource(bridge=converted.bridge_name,
                                     target=converted.vif_name)
        case os_vif_object.VIFOpenVSwitch():
            return _on_switch(converted)
        case os_vif_object.VIFVHostUser():
            return spec.VhostUserSource(
                path=converted.path, mode=converted.mode,
                target=converted.vif_name)
        case os_vif_object.VIFHostDevice():
            return _on_card(vif, converted.dev_address, devices)
    raise nova_exception.VirtualInterfacePlugException(
        _("port %(port)s became an unknown %(kind)s of os-vif") % {
            "port": vif["id"], "kind": type(converted).__name__})


def check(vif: network_model.VIF) -> None:
    """Return if we know how to plug the port.

    :raises nova.exception.VirtualInterfacePlugException: as :func:`source`.
    :raises NotImplementedError: a vRouter has no such kind of port.
    """
    kinds.check(vif)
    if kinds.is_of_card(vif):
        card.address(vif)


def is_own(vif: network_model.VIF) -> bool:
    """Return whether os-vif knows nothing of the port's kind."""
    return vif["type"] in SOURCES


def os_vif(vif: network_model.VIF) -> os_vif_object.VIFBase:
    """Return os-vif's object for a port of a kind it knows.

    A port that os-vif adds to the switch gets its tap at once, so that
    Neutron can wire it while the guest is being made.
    """
    converted = os_vif_util.nova_to_osvif_vif(vif)
    if isinstance(converted, os_vif_object.VIFOpenVSwitch) \
            and _is_set(converted.port_profile, "create_port"):
        converted.port_profile.create_tap = True
    return converted


def device_name(vif: network_model.VIF) -> str:
    """Return the name of a port's tap on the host."""
    name = vif.get("devname") or f"tap{vif['id']}"
    return str(name)[:network_model.NIC_NAME_LEN]


def creates_tap(converted: os_vif_object.VIFBase) -> bool:
    """Return whether os-vif shall make the tap."""
    return isinstance(converted, os_vif_object.VIFOpenVSwitch) \
        and _is_set(converted.port_profile, "create_tap")


def _on_switch(converted: os_vif_object.VIFOpenVSwitch) -> spec.Source:
    if creates_tap(converted):
        return spec.TapSource(target=converted.vif_name)
    return spec.OpenVSwitchSource(
        bridge=converted.bridge_name, target=converted.vif_name,
        interface_id=converted.port_profile.interface_id)


def _on_card(vif: network_model.VIF, address: str,
             devices: card.Devices) -> spec.Source:
    if vif["vnic_type"] == network_model.VNIC_TYPE_VDPA:
        return spec.VdpaSource(path=card.vdpa_path(address, devices))
    return spec.FunctionSource(address=address)


def _is_set(profile: os_vif_object.VIFPortProfileBase, name: str) -> bool:
    return profile.obj_attr_is_set(name) and bool(getattr(profile, name))


def _tap(vif: network_model.VIF, devices: card.Devices) -> spec.Source:
    return spec.TapSource(target=device_name(vif))


def _unmanaged_tap(vif: network_model.VIF,
                   devices: card.Devices) -> spec.Source:
    return spec.TapSource(target=device_name(vif), made_by_libvirt=True)


def _whole_device(vif: network_model.VIF,
                  devices: card.Devices) -> spec.Source:
    return spec.DeviceSource(address=card.address(vif))


def _hw_veb(vif: network_model.VIF, devices: card.Devices) -> spec.Source:
    vlan = vif["details"].get(network_model.VIF_DETAILS_VLAN)
    return _function(vif, devices, vlan=None if vlan is None else int(vlan))


def _802_1qbh(vif: network_model.VIF, devices: card.Devices) -> spec.Source:
    return _function(vif, devices, port=spec.VirtualPort(
        kind="802.1Qbh", parameters=((
            "profileid", _detail(vif, network_model.VIF_DETAILS_PROFILEID)),
        )))


def _function(vif: network_model.VIF, devices: card.Devices, *,
              vlan: int | None = None,
              port: spec.VirtualPort | None = None) -> spec.Source:
    address = card.address(vif)
    if vif["vnic_type"] in network_model.VNIC_TYPES_DIRECT_PASSTHROUGH:
        return spec.FunctionSource(address=address, vlan=vlan, port=port)
    return spec.DirectSource(
        device=card.interface(address, devices), mode="passthrough",
        vlan=vlan, port=port)


def _802_1qbg(vif: network_model.VIF, devices: card.Devices) -> spec.Source:
    params = vif.get("qbg_params") or {}
    names = ("managerid", "typeid", "typeidversion", "instanceid")
    missing = [name for name in names if params.get(name) is None]
    device = vif["network"].get_meta("interface")
    if missing or not device:
        raise nova_exception.VirtualInterfacePlugException(_(
            "the 802.1Qbg binding of port %(port)s lacks %(missing)s") % {
                "port": vif["id"],
                "missing": ", ".join(missing or ["interface"])})
    return spec.DirectSource(
        device=device, mode="vepa", port=spec.VirtualPort(
            kind="802.1Qbg",
            parameters=tuple((name, str(params[name])) for name in names)))


def _macvtap(vif: network_model.VIF, devices: card.Devices) -> spec.Source:
    missing = [name for name in (
        network_model.VIF_DETAILS_MACVTAP_SOURCE,
        network_model.VIF_DETAILS_MACVTAP_MODE,
        network_model.VIF_DETAILS_PHYS_INTERFACE)
        if vif["details"].get(name) is None]
    if missing:
        raise nova_exception.VifDetailsMissingMacvtapParameters(
            vif_id=vif["id"], missing_params=missing)
    return spec.DirectSource(
        device=vif["details"][network_model.VIF_DETAILS_MACVTAP_SOURCE],
        mode=vif["details"][network_model.VIF_DETAILS_MACVTAP_MODE])


def _detail(vif: network_model.VIF, name: str) -> str:
    found = vif["details"].get(name)
    if found is None:
        raise nova_exception.VirtualInterfacePlugException(_(
            "the binding of port %(port)s (vif_type=%(type)s) lacks "
            "%(name)s") % {"port": vif["id"], "type": vif["type"],
                           "name": name})
    return str(found)


SOURCES: Mapping[str, Callable[[network_model.VIF, card.Devices],
                               spec.Source]] = {
    network_model.VIF_TYPE_TAP: _tap,
    network_model.VIF_TYPE_MIDONET: _unmanaged_tap,
    network_model.VIF_TYPE_IOVISOR: _unmanaged_tap,
    network_model.VIF_TYPE_MACVTAP: _macvtap,
    network_model.VIF_TYPE_HW_VEB: _hw_veb,
    network_model.VIF_TYPE_802_QBG: _802_1qbg,
    network_model.VIF_TYPE_802_QBH: _802_1qbh,
    network_model.VIF_TYPE_HOSTDEV: _whole_device,
    network_model.VIF_TYPE_IB_HOSTDEV: _whole_device}
