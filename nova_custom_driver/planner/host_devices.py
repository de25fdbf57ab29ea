"""Which of the host's devices a guest is given."""

from collections.abc import Mapping
from typing import Any

from nova import objects
from nova.i18n import _
from oslo_log import log as logging
from oslo_utils import strutils

from nova_custom_driver import exception
from nova_custom_driver.planner import request as request_module
from nova_custom_driver.spec import host_device as spec

LOG = logging.getLogger(__name__)
ALIASES = "pci_passthrough:alias"
# What Cyborg calls what it gives: "attach_handle_type".
PCI, MDEV = "PCI", "MDEV"
Accelerator = Mapping[str, Any]


def host_devices(request: request_module.GuestRequest
                 ) -> tuple[spec.HostDevice, ...]:
    """Return what Nova, Cyborg and placement have given the guest; the
    devices of ports are the ports'.
    """
    return (
        *_aliased(request), *_accelerators(request),
        *(spec.MediatedDevice(uuid=uuid) for uuid in request.mdevs))


def accelerator_address(accelerator: Accelerator) -> str:
    """Return the PCI address of what Cyborg gives, or makes it of.

    :raises InvalidGuestRequest: Cyborg has not said it.
    """
    found = accelerator["attach_handle_info"]
    try:
        domain, bus, slot, function = (
            int(found[part], 16)
            for part in ("domain", "bus", "device", "function"))
    except (KeyError, TypeError, ValueError):
        raise exception.InvalidGuestRequest(
            key="accelerator request", value=accelerator.get("uuid"),
            reason=_("Cyborg gives no PCI address, but %s") % found
        ) from None
    return f"{domain:04x}:{bus:02x}:{slot:02x}.{function:x}"


def _aliased(request: request_module.GuestRequest
             ) -> tuple[spec.PciFunction, ...]:
    # Without it there are none, and what is not loaded stays so.
    if not request.extra_specs.get(ALIASES):
        return ()
    return tuple(
        spec.PciFunction(address=device.address, managed=_is_managed(device))
        for device in request.instance.get_pci_devices(
            source=objects.InstancePCIRequest.FLAVOR_ALIAS))


def _is_managed(device: objects.PciDevice) -> bool:
    """Return what ``[pci]device_spec`` says of it, which is yes unless it
    says anything else.
    """
    return bool(strutils.bool_from_string(
        device.extra_info.get("managed", "true")))


def _accelerators(request: request_module.GuestRequest
                  ) -> tuple[spec.PciFunction, ...]:
    kinds = {each["attach_handle_type"] for each in request.accelerators}
    if others := kinds - {PCI, MDEV}:
        LOG.info("Accelerators of type %s are left out: no guest can have "
                 "them", ", ".join(sorted(others)), instance=request.instance)
    return tuple(
        spec.PciFunction(address=accelerator_address(each))
        for each in request.accelerators
        if each["attach_handle_type"] == PCI)
