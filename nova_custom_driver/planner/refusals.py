"""Requests this version cannot meet yet; refused, never ignored.

Each stands here until its room is built: NUMA and pinning beside
:mod:`~nova_custom_driver.planner.cpu`, memory backing and encryption, TPM
and secure boot beside :mod:`~nova_custom_driver.planner.boot`, host devices,
shares.
"""

from collections.abc import Iterable

from nova.i18n import _
from oslo_utils import strutils

from nova_custom_driver import exception
from nova_custom_driver.planner import request as request_module

# (extra spec, image property, values that ask for nothing)
REFUSED = (
    ("hw:cpu_policy", "hw_cpu_policy", ("shared",)),
    ("hw:cpu_thread_policy", "hw_cpu_thread_policy", ()),
    ("hw:cpu_dedicated_mask", None, ()),
    ("hw:cpu_realtime", None, ("no", "false", "0")),
    ("hw:emulator_threads_policy", None, ()),
    ("hw:maxphysaddr_mode", "hw_maxphysaddr_mode", ()),
    ("hw:numa_nodes", "hw_numa_nodes", ()),
    ("hw:mem_page_size", "hw_mem_page_size", ()),
    ("hw:locked_memory", "hw_locked_memory", ("no", "false", "0")),
    ("hw:pmem", None, ()),
    ("hw:mem_encryption", "hw_mem_encryption", ("no", "false", "0")),
    ("os:secure_boot", "os_secure_boot", ("disabled", "optional")),
    (None, "hw_firmware_stateless", ("no", "false", "0")),
    ("hw:tpm_version", "hw_tpm_version", ()),
    ("hw:tpm_model", "hw_tpm_model", ()),
    ("pci_passthrough:alias", None, ()),
    ("resources:VGPU", None, ("0",)),
    ("resources:PCPU", None, ("0",)),
    ("accel:device_profile", None, ()),
    ("hw:viommu_model", "hw_viommu_model", ()),
    ("hw:virtio_packed_ring", "hw_virtio_packed_ring", ("no", "false", "0")),
    ("hw:sound_model", "hw_sound_model", ()),
    ("hw:redirected_usb_ports", "hw_redirected_usb_ports", ("0",)),
    ("hw:ephemeral_encryption", "hw_ephemeral_encryption",
     ("no", "false", "0")),
)


def check(request: request_module.GuestRequest) -> None:
    """:raises InvalidGuestRequest: something above is asked for."""
    for extra_spec, image_property, harmless in REFUSED:
        for key, value in _asked(request, extra_spec, image_property):
            if not _is_harmless(value, harmless):
                raise exception.InvalidGuestRequest(
                    key=key, value=value, reason=_(
                        "this version of nova-custom-driver does not support "
                        "it yet"))


def _asked(request: request_module.GuestRequest, extra_spec: str | None,
           image_property: str | None) -> Iterable[tuple[str, object]]:
    if extra_spec and (value := request.extra_specs.get(extra_spec)):
        yield extra_spec, value
    if image_property:
        found = request.image_property(image_property)
        if found is not None:
            yield image_property, found


def _is_harmless(value: object, harmless: tuple[str, ...]) -> bool:
    if "no" in harmless:
        return not strutils.bool_from_string(value)
    return str(value).lower() in harmless
