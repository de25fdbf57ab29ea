"""What disks are called inside the guest, and on which bus they are."""

from collections.abc import Collection
import string

from nova import exception as nova_exception
from nova.objects import image_meta as image_meta_object
from nova.virt import osinfo

from nova_custom_driver.planner import block_devices
from nova_custom_driver.planner import machine
from nova_custom_driver.spec import disk as spec
from nova_custom_driver.spec import host as host_spec
from nova_custom_driver.spec import settings as settings_spec

PREFIXES = {
    spec.Bus.VIRTIO: "vd", spec.Bus.SCSI: "sd", spec.Bus.SATA: "sd",
    spec.Bus.USB: "sd", spec.Bus.IDE: "hd", spec.Bus.FDC: "fd",
}
# Only the likeliest: three buses share a prefix.
BUSES = {"vd": spec.Bus.VIRTIO, "sd": spec.Bus.SCSI, "hd": spec.Bus.IDE,
         "fd": spec.Bus.FDC}
IDE_DISKS = 4


class Names:
    """Gives names out, each once.

    :param taken: names kept for those who come with one.
    """

    def __init__(self, settings: settings_spec.GuestSettings,
                 taken: Collection[str] = ()) -> None:
        self._prefix = settings.disk_prefix
        self._most = settings.max_disk_devices
        self._taken = frozenset(taken)
        self._given: set[str] = set()

    def reserve(self, name: str) -> str | None:
        """Return ``name``, or None if it has been given out already."""
        if name in self._given:
            return None
        self._given.add(name)
        return name

    def free(self, bus: spec.Bus) -> str:
        """Return the first free name on ``bus``.

        :raises nova.exception.TooManyDiskDevices: there is none left.
        """
        prefix = self._prefix or PREFIXES[bus]
        most = IDE_DISKS if bus is spec.Bus.IDE else self._most
        index = 0
        while most < 0 or index < most:
            name = target_name(prefix, index)
            if name not in self._taken | self._given:
                self._given.add(name)
                return name
            index += 1
        raise nova_exception.TooManyDiskDevices(maximum=most)


def target_name(prefix: str, index: int) -> str:
    """Return the kernel's name for disk ``index``: vda ... vdz, vdaa ...

    :param index: from 0.
    """
    letters = ""
    number = index + 1
    while number:
        number, digit = divmod(number - 1, 26)
        letters = string.ascii_lowercase[digit] + letters
    return prefix + letters


def kind(given: str | None,
         default: spec.Device = spec.Device.DISK) -> spec.Device:
    """Return the kind of device; an unknown one is a plain disk."""
    if given is None:
        return default
    try:
        return spec.Device(given)
    except ValueError:
        return spec.Device.DISK


def bus(given: block_devices.Device, device: spec.Device,
        image_meta: image_meta_object.ImageMeta, machine_name: str,
        domain: host_spec.DomainFacts) -> spec.Bus:
    """Return the bus of a mapped disk.

    The one it asks for; if this host has no such, the one its name speaks
    of; else that of its kind.

    :raises nova.exception.UnsupportedHardware: as :func:`default_bus` does.
    """
    if given.bus and is_valid(given.bus, domain):
        return spec.Bus(given.bus)
    named = bus_of_name(given.name, domain) if given.bus else None
    return named or default_bus(image_meta, device, machine_name, domain)


def default_bus(image_meta: image_meta_object.ImageMeta, device: spec.Device,
                machine_name: str, domain: host_spec.DomainFacts) -> spec.Bus:
    """Return the bus of a kind of device: the image's wish, or the usual.

    :raises nova.exception.UnsupportedHardware: QEMU has no such bus here.
    """
    wanted = _wanted_bus(image_meta, device)
    if wanted is not None:
        if not is_valid(wanted, domain):
            raise nova_exception.UnsupportedHardware(
                model=wanted, virt=domain.virt_type)
        return spec.Bus(wanted)
    if device is spec.Device.CDROM:
        return _cdrom_bus(machine_name, domain.arch)
    return (spec.Bus.FDC if device is spec.Device.FLOPPY
            else spec.Bus.VIRTIO)


def rescue_place(image_meta: image_meta_object.ImageMeta, machine_name: str,
                 domain: host_spec.DomainFacts
                 ) -> tuple[spec.Device, spec.Bus]:
    """Return where a rescue image wants its disk: ``hw_rescue_device`` and
    ``hw_rescue_bus``.

    :raises nova.exception.UnsupportedRescueDevice: no such kind of device.
    :raises nova.exception.UnsupportedRescueBus: this host has no such bus.
    """
    wanted = image_meta.properties.get("hw_rescue_device", "disk")
    if wanted not in spec.Device.__members__.values():
        raise nova_exception.UnsupportedRescueDevice(device=wanted)
    device = spec.Device(wanted)
    bus = image_meta.properties.get("hw_rescue_bus")
    if bus is None:
        return device, default_bus(image_meta, device, machine_name, domain)
    if not is_valid(bus, domain):
        raise nova_exception.UnsupportedRescueBus(
            bus=bus, virt=domain.virt_type)
    return device, spec.Bus(bus)


def is_valid(bus: str | None, domain: host_spec.DomainFacts) -> bool:
    """Return whether this host's QEMU has disks on ``bus``."""
    return bus in spec.Bus.__members__.values() and bus in domain.disk_buses


def bus_of_name(name: str | None,
                domain: host_spec.DomainFacts) -> spec.Bus | None:
    """Return the likeliest bus of a disk called so; None: any will do."""
    bus = BUSES.get(name[:2]) if name else None
    return bus if is_valid(bus, domain) else None


def _wanted_bus(image_meta: image_meta_object.ImageMeta,
                device: spec.Device) -> str | None:
    if device in (spec.Device.DISK, spec.Device.LUN):
        found = osinfo.HardwareProperties(image_meta).disk_model
    else:
        found = image_meta.properties.get(f"hw_{device}_bus")
    return str(found) if found is not None else None


def _cdrom_bus(machine_name: str, arch: str) -> spec.Bus:
    if arch in machine.PPC | machine.S390 | {"aarch64"}:
        return spec.Bus.SCSI
    # q35 has no IDE.
    return (spec.Bus.SATA if machine.is_q35(machine_name) else spec.Bus.IDE)
