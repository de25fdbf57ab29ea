"""Ports as Nova hands them over, and the instance they are for."""

import uuid

from nova import objects
from nova.network import model
import os_vif.objects

from nova_custom_driver.spec import node_device

objects.register_all()
os_vif.objects.register_all()

CARD = "0000:81:00.0"
FUNCTION = "0000:81:00.2"
INSTANCE_UUID = "5b0a7fd3-4a86-4c2f-9c4b-3a3fbd0b1f6e"


def a_port_id():
    return str(uuid.uuid4())


def a_network(*, bridge="br-int", mtu=1442, **meta):
    if mtu is not None:
        meta["mtu"] = mtu
    return model.Network(id="2d4ee6a3-9f2c-4a8d-8e6a-5c9a1e1f8d20",
                         bridge=bridge, label="private", subnets=[], **meta)


def an_ovs_port(*, id=None, **changes):
    """Return a port of ML2's mechanism driver for Open vSwitch."""
    id = id or a_port_id()
    return model.VIF(**{
        "id": id, "type": model.VIF_TYPE_OVS,
        "address": "fa:16:3e:0b:33:d1", "network": a_network(),
        "details": {}, "profile": {},
        "vnic_type": model.VNIC_TYPE_NORMAL, "devname": f"tap{id}"[:14],
        "ovs_interfaceid": id, "active": False, "delegate_create": True,
        **changes})


def a_tap_port(**changes):
    return an_ovs_port(**{"type": model.VIF_TYPE_TAP, **changes})


def a_card_port(**changes):
    """Return a port on a virtual function of a card that switches."""
    return an_ovs_port(**{
        "type": model.VIF_TYPE_HW_VEB, "vnic_type": model.VNIC_TYPE_DIRECT,
        "profile": {"pci_slot": FUNCTION}, "details": {"vlan": "100"},
        **changes})


def the_devices():
    """Return a card, a virtual function of it and a VDPA device."""
    card = node_device.Network(interface="ens1", mac="b8:ce:f6:00:00:01")
    own = {"vendor_id": "15b3", "product_id": "101e"}
    return (
        node_device.PciDevice(
            name="pci_0000_81_00_0", address=CARD, network=card,
            kind=node_device.PciKind.PHYSICAL_FUNCTION, **own),
        node_device.PciDevice(
            name="pci_0000_81_00_2", address=FUNCTION, parent_address=CARD,
            kind=node_device.PciKind.VIRTUAL_FUNCTION, parent_network=card,
            virtual_number=1, vdpa_path="/dev/vhost-vdpa-0",
            network=node_device.Network(interface="ens1v1"), **own))


def an_instance(*, uuid=INSTANCE_UUID, vcpus=1, extra_specs=None,
                image_properties=None):
    return objects.Instance(
        uuid=uuid, id=7, image_ref="",
        project_id="0f5c1ea8bd4c4a4a9d7a1fdbb1a9b8f4",
        flavor=objects.Flavor(name="small", vcpus=vcpus, memory_mb=128,
                              extra_specs=extra_specs or {}),
        system_metadata={f"image_{name}": value for name, value
                         in (image_properties or {}).items()})
