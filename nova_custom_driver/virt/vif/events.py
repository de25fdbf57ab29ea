"""What Neutron tells about a port, and which ports are waited for."""

from nova.network import model as network_model

PLUGGED = "network-vif-plugged"


def awaited(network_info: network_model.NetworkInfo
            ) -> list[tuple[str, str]]:
    """Return the (event, port) that Neutron will send for a new guest.

    None comes for a port that is wired already, or by the card itself.
    """
    return [(PLUGGED, vif["id"]) for vif in network_info
            if vif.get("active", True) is False
            and vif.get("vnic_type")
            != network_model.VNIC_TYPE_REMOTE_MANAGED]
