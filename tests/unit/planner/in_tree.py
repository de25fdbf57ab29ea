"""What the in-tree driver would call the disks of a request."""

import copy

from nova.virt.libvirt import blockinfo


def disks(request):
    """Return {name: (target, bus, kind)}; volumes by their id."""
    info, mapping = _mapping(request)
    found = {name: (disk["dev"], disk["bus"], disk["type"])
             for name, disk in mapping.items()
             if name != "root" and not name.startswith("/dev/")}
    for volume in info["block_device_mapping"]:
        disk = mapping[volume["mount_device"]]
        found[volume["connection_info"]["serial"]] = (
            disk["dev"], disk["bus"], disk["type"])
    return found


def boot_devices(request):
    """Return the kinds of devices the guest boots from, in their order."""
    _info, mapping = _mapping(request)
    return tuple(blockinfo.get_boot_order({"mapping": mapping}))


def _mapping(request):
    # It writes the names it chose into what it is given.
    info = copy.deepcopy(request.block_device_info)
    found = blockinfo.get_disk_info(
        "kvm", request.instance, request.image_meta, info)
    return info, found["mapping"]
