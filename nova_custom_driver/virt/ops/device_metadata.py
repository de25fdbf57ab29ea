"""Which device of the guest a user's tag is at.

The metadata service and the config drive show this; see "Device tagging" in
Nova's documentation.
"""

from collections.abc import Mapping
import dataclasses

from nova import block_device
from nova import context as nova_context
from nova import objects
from nova.network import model as network_model
from nova.objects import instance as instance_object
from nova.objects import virt_device_metadata as metadata_object
from nova.virt import netutils

from nova_custom_driver.spec import domain as domain_spec
from nova_custom_driver.virt.xml import read

# SATA has no class of its own in Nova, and is left out.
BUSES = {"scsi": metadata_object.SCSIDeviceBus,
         "ide": metadata_object.IDEDeviceBus,
         "usb": metadata_object.USBDeviceBus}


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Tags:
    """What is to be shown of an instance's devices.

    :ivar nics: {MAC: tag}; None: no tag but a VLAN.
    :ivar disks: {name in the guest: (tag, volume id)}.
    """

    nics: Mapping[str, str | None]
    disks: Mapping[str, tuple[str, str | None]]
    vlans: Mapping[str, int]
    trusted: Mapping[str, bool]

    def __bool__(self) -> bool:
        return bool(self.nics or self.disks)


def find(context: nova_context.RequestContext,
         instance: instance_object.Instance,
         network_info: network_model.NetworkInfo) -> Tags:
    """Return the tags that the instance's user gave."""
    vlans = netutils.get_cached_vifs_with_vlan(network_info)
    nics: dict[str, str | None] = dict.fromkeys(vlans)
    if network_info:
        for vif in objects.VirtualInterfaceList.get_by_instance_uuid(
                context, instance.uuid):
            if "tag" in vif and vif.tag:
                nics[vif.address] = vif.tag
    bdms = objects.BlockDeviceMappingList.get_by_instance_uuid(
        context, instance.uuid)
    return Tags(
        nics=nics, vlans=vlans,
        trusted=netutils.get_cached_vifs_with_trusted(network_info),
        disks={block_device.strip_dev(bdm.device_name):
               (bdm.tag, bdm.volume_id)
               for bdm in bdms if bdm.tag and bdm.device_name})


def build(xml: str, tags: Tags
          ) -> metadata_object.InstanceDeviceMetadata | None:
    """Return where the tagged devices are; None: there are none.

    :param xml: of the domain, with the addresses libvirt gave.
    """
    devices: list[metadata_object.DeviceMetadata] = [
        _disk(disk, *tags.disks[disk.target]) for disk in read.disks(xml)
        if disk.target in tags.disks]
    devices += [
        _nic(nic, tags) for nic in read.interfaces(xml)
        if nic.mac in tags.nics]
    return metadata_object.InstanceDeviceMetadata(devices=devices) \
        if devices else None


def _nic(nic: domain_spec.Interface,
         tags: Tags) -> metadata_object.NetworkInterfaceMetadata:
    found = metadata_object.NetworkInterfaceMetadata(mac=nic.mac)
    tag = tags.nics[nic.mac]
    if tag is not None:
        found.tags = [tag]
    if nic.mac in tags.vlans:
        found.vlan = int(tags.vlans[nic.mac])
    found.vf_trusted = bool(tags.trusted.get(nic.mac, False))
    if nic.address is not None and nic.address.pci is not None:
        found.bus = metadata_object.PCIDeviceBus(address=nic.address.pci)
    return found


def _disk(disk: domain_spec.Disk, tag: str,
          volume_id: str | None) -> metadata_object.DiskMetadata:
    found = metadata_object.DiskMetadata(tags=[tag], serial=volume_id)
    bus = _bus(disk)
    if bus is not None:
        found.bus = bus
    return found


def _bus(disk: domain_spec.Disk) -> metadata_object.DeviceBus | None:
    """Return the disk's bus; only PCI has addresses a guest can look up."""
    if disk.address is not None and disk.address.pci is not None:
        return metadata_object.PCIDeviceBus(address=disk.address.pci)
    kind = BUSES.get(disk.bus)
    return kind() if kind else None
