"""Requests this version cannot meet yet; refused, never ignored.

Each stands here until its room is built:

* NUMA, pinning, real time: beside :mod:`~nova_custom_driver.planner.cpu`
* huge pages, locked and persistent memory: a module ``memory``
* TPM, memory encryption: beside :mod:`~nova_custom_driver.planner.firmware`
* sound, redirected USB ports: :mod:`~nova_custom_driver.planner.devices`
* shares: a module ``shares``
"""

from collections.abc import Iterator
import itertools
import re

from nova.i18n import _
from nova.virt import driver as nova_driver
from oslo_utils import strutils

from nova_custom_driver import exception
from nova_custom_driver.planner import request as request_module

Asked = tuple[str, object]

# Values that ask for nothing.  NO: whatever means no.
NO = None
ANY: tuple[str, ...] = ()

# (extra spec, image property, values that ask for nothing)
REFUSED: tuple[tuple[str | None, str | None, tuple[str, ...] | None], ...] = (
    ("hw:cpu_policy", "hw_cpu_policy", ("shared",)),
    ("hw:cpu_thread_policy", "hw_cpu_thread_policy", ANY),
    ("hw:cpu_dedicated_mask", None, ANY),
    ("hw:cpu_realtime", None, NO),
    ("hw:emulator_threads_policy", None, ANY),
    ("hw:numa_nodes", "hw_numa_nodes", ANY),
    ("hw:mem_page_size", "hw_mem_page_size", ANY),
    ("hw:locked_memory", "hw_locked_memory", NO),
    ("hw:pmem", None, ANY),
    ("hw:mem_encryption", "hw_mem_encryption", NO),
    ("hw:tpm_version", "hw_tpm_version", ANY),
    ("hw:tpm_model", "hw_tpm_model", ANY),
    ("hw:sound_model", "hw_sound_model", ANY),
    ("hw:redirected_usb_ports", "hw_redirected_usb_ports", ("0",)),
    ("hw:ephemeral_encryption", "hw_ephemeral_encryption", NO),
)
# Of a numbered group as well: "resources1:VGPU".
RESOURCE = re.compile(r"resources[a-zA-Z0-9_-]*:PCPU")
# {what an instance has that is given more than a share of processor and
# memory: the list in it}
CLAIMS = {"numa_topology": "cells"}


def check(request: request_module.GuestRequest) -> None:
    """:raises InvalidGuestRequest: something above is asked for."""
    asked = itertools.chain(
        _of_table(request), _resources(request), _claims(request),
        _encrypted(request))
    for key, value in asked:
        raise exception.InvalidGuestRequest(
            key=key, value=value, reason=_(
                "this version of nova-custom-driver does not support it yet"))


def refuses(extra_spec: str) -> bool:
    """Return whether this extra spec is not met yet.

    What is refused here is not promised to the scheduler either.
    """
    return any(row[0] == extra_spec for row in REFUSED)


def _of_table(request: request_module.GuestRequest) -> Iterator[Asked]:
    for extra_spec, image_property, harmless in REFUSED:
        for key, value in (
                (extra_spec,
                 request.extra_specs.get(extra_spec) if extra_spec else None),
                (image_property,
                 request.image_property(image_property)
                 if image_property else None)):
            if key and not _is_harmless(value, harmless):
                yield key, value


def _is_harmless(value: object, harmless: tuple[str, ...] | None) -> bool:
    if value is None or value == "":
        return True
    if harmless is NO:
        return not strutils.bool_from_string(value)
    return str(value).lower() in harmless


def _resources(request: request_module.GuestRequest) -> Iterator[Asked]:
    for key, value in request.extra_specs.items():
        if RESOURCE.fullmatch(key) and value != "0":
            yield key, value


def _claims(request: request_module.GuestRequest) -> Iterator[Asked]:
    instance = request.instance
    for name, parts in CLAIMS.items():
        # What is not loaded is not to be fetched from the database for this.
        claim = (getattr(instance, name) if instance.obj_attr_is_set(name)
                 else None)
        if claim is not None and (count := len(getattr(claim, parts))):
            yield name, count


def _encrypted(request: request_module.GuestRequest) -> Iterator[Asked]:
    info = request.block_device_info
    for disk in (*nova_driver.block_device_info_get_image(info),
                 *nova_driver.block_device_info_get_ephemerals(info),
                 nova_driver.block_device_info_get_swap(info)):
        if disk.get("encrypted"):
            yield f"encryption of {disk.get('device_name')}", True
