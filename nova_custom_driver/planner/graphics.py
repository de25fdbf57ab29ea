"""A guest's screen, pointer and keyboard."""

from nova import exception as nova_exception
from oslo_log import log as logging

from nova_custom_driver import units
from nova_custom_driver.planner import machine
from nova_custom_driver.planner import request as request_module
from nova_custom_driver.spec import device as spec
from nova_custom_driver.spec import host as host_spec
from nova_custom_driver.spec import settings as settings_spec

LOG = logging.getLogger(__name__)


def graphics(settings: settings_spec.GuestSettings
             ) -> tuple[spec.Graphics, ...]:
    """Return the graphical consoles."""
    return tuple(
        console for console in (settings.vnc, settings.spice)
        if console is not None)


def video(request: request_module.GuestRequest,
          domain: host_spec.DomainFacts) -> spec.Video:
    """Return the graphics card.

    :raises nova.exception.InvalidVideoMode: this host's QEMU has no such.
    :raises nova.exception.RequestedVRamTooHigh: more memory than the flavor
        grants.
    """
    model = request.image_property("hw_video_model")
    if model is not None and model not in domain.video_models:
        raise nova_exception.InvalidVideoMode(model=model)
    default = "vga" if domain.arch in machine.PPC else "virtio"
    return spec.Video(model=model or default, vram_kib=_vram_kib(request))


def inputs(request: request_module.GuestRequest, arch: str,
           settings: settings_spec.GuestSettings) -> tuple[spec.Input, ...]:
    """Return pointer and keyboard; x86 has a PS/2 keyboard anyway."""
    bus = request.image_property("hw_input_bus")
    found = []
    pointer = _pointer_bus(request, settings)
    if pointer is not None:
        found.append(spec.Input(kind=spec.InputKind.TABLET, bus=pointer))
    keyboard = bus or ("usb" if arch == "aarch64" else None)
    if keyboard:
        found.append(spec.Input(kind=spec.InputKind.KEYBOARD, bus=keyboard))
    return tuple(found)


def _pointer_bus(request: request_module.GuestRequest,
                 settings: settings_spec.GuestSettings) -> str | None:
    bus = request.image_property("hw_input_bus")
    if not (bus or request.image_property("hw_pointer_model")
            or settings.pointer_model == "usbtablet"):
        return None
    if settings.spice_agent and settings.vnc is None:
        LOG.warning("No tablet is added: the SPICE agent moves the pointer",
                    instance=request.instance)
        return None
    return str(bus or "usb")


def _vram_kib(request: request_module.GuestRequest) -> int | None:
    wanted = int(request.image_property("hw_video_ram") or 0)
    most = request.integer("hw_video:ram_max_mb") or 0
    if wanted > most:
        raise nova_exception.RequestedVRamTooHigh(
            req_vram=wanted, max_vram=most)
    return wanted * units.KIB_PER_MIB if wanted and most else None
