"""The host's PCI devices, as Nova's PCI tracker takes them.

See ``nova.objects.pci_device.PciDevice`` for the keys.
"""

from collections.abc import Iterable
import json
from typing import Any

from nova_custom_driver.spec import node_device as spec

VIRTUAL = frozenset((spec.PciKind.VIRTUAL_FUNCTION, spec.PciKind.VDPA))


def document(devices: Iterable[spec.PciDevice]) -> str:
    """Return the devices as the JSON text the tracker reads."""
    return json.dumps([record(device) for device in devices])


def record(device: spec.PciDevice) -> dict[str, Any]:
    """Return one device; what is not known of it is left out."""
    found: dict[str, Any] = {
        "dev_id": device.name, "address": device.address,
        "product_id": device.product_id, "vendor_id": device.vendor_id,
        "numa_node": device.numa_node,
        "label": f"label_{device.vendor_id}_{device.product_id}",
        "dev_type": device.kind.value}
    if device.kind in VIRTUAL:
        found["parent_addr"] = device.parent_address
        if device.network is not None and device.parent_network is not None:
            found["parent_ifname"] = device.parent_network.interface
    if (device.kind is spec.PciKind.PHYSICAL_FUNCTION
            and device.network is not None and device.network.mac):
        found["mac_address"] = device.network.mac
    capabilities = _capabilities(device)
    return found | ({"capabilities": capabilities} if capabilities else {})


def _capabilities(device: spec.PciDevice) -> dict[str, Any]:
    found: dict[str, Any] = {}
    if device.kind is spec.PciKind.VIRTUAL_FUNCTION:
        if device.network is not None and device.network.features:
            found["network"] = list(device.network.features)
        parent = device.parent_network
        if (parent is not None and parent.mac
                and device.virtual_number is not None):
            found["sriov"] = {"pf_mac_address": parent.mac,
                              "vf_num": device.virtual_number}
    if device.card_serial:
        found["vpd"] = {"card_serial_number": device.card_serial}
    return found
