"""A guest's serial ports and channels."""

import pathlib

from nova import exception as nova_exception
from nova.objects import flavor as flavor_object
from nova.objects import image_meta as image_meta_object
from nova.virt import hardware

from nova_custom_driver.planner import request as request_module
from nova_custom_driver.spec import device as spec
from nova_custom_driver.spec import settings as settings_spec

# QEMU has four; libvirt keeps one.
MOST_PORTS = 3
AGENT_SOCKET = "/var/lib/libvirt/qemu/org.qemu.guest_agent.0.{name}.sock"


def port_count(flavor: flavor_object.Flavor,
               image_meta: image_meta_object.ImageMeta,
               virt_type: str) -> int:
    """Return how many TCP serial ports the guest shall have.

    :raises nova.exception.SerialPortNumberLimitExceeded: more than QEMU has.
    :raises nova.exception.ImageSerialPortNumberExceedFlavorValue: the image
        asks for more than the flavor grants.
    """
    count = int(hardware.get_number_of_serial_ports(flavor, image_meta))
    if count > MOST_PORTS:
        raise nova_exception.SerialPortNumberLimitExceeded(
            allowed=MOST_PORTS, virt_type=virt_type)
    return count


def serials(request: request_module.GuestRequest,
            settings: settings_spec.GuestSettings
            ) -> tuple[spec.Serial, ...]:
    """Return the serial ports; the first one is logged."""
    log = request.files.console_log
    if not settings.serial_console:
        return (spec.SerialPty(log=log),)
    return tuple(
        spec.SerialTcp(host=settings.serial_console_host, port=port,
                       log=log if index == 0 else None)
        for index, port in enumerate(request.serial_ports))


def channels(request: request_module.GuestRequest,
             settings: settings_spec.GuestSettings
             ) -> tuple[spec.Channel, ...]:
    """Return the agents' channels."""
    found: list[spec.Channel] = []
    if settings.spice_agent:
        found.append(spec.SpiceChannel())
    if request.image_property("hw_qemu_guest_agent"):
        found.append(spec.AgentChannel(path=pathlib.PurePosixPath(
            AGENT_SOCKET.format(name=request.instance.name))))
    return tuple(found)
