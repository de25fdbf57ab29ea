"""How a guest sees a Cinder volume, from what Cinder says of it."""

from collections.abc import Mapping
import dataclasses
from typing import Any

from nova import exception as nova_exception
from oslo_log import log as logging

from nova_custom_driver.planner import block_devices
from nova_custom_driver.spec import disk as spec

LOG = logging.getLogger(__name__)
SOURCE_KINDS = {spec.FileSource: "file", spec.BlockSource: "block",
                spec.RbdSource: "network"}
# Cache modes that bypass the page cache.
DIRECT = frozenset(("none", "directsync"))
LIMITS = frozenset(spec.IoTune.__slots__)


def volume(plan: spec.DiskPlan,
           device: block_devices.Device) -> spec.DiskPlan:
    """Return the plan of a disk as a volume's.

    :raises nova.exception.InvalidVolumeAccessMode: neither "ro" nor "rw".
    """
    data = device.connection.get("data") or {}
    # SCSI pass-through shows the storage's own serial number.
    lun = plan.device is spec.Device.LUN
    return dataclasses.replace(
        plan, serial=None if lun else device.volume_id,
        alias=f"ua-{device.volume_id}" if device.volume_id else None,
        cache="none", io=None,
        discard="unmap" if data.get("discard") is True else None,
        iotune=_limits(data), block_sizes=_block_sizes(data),
        readonly=_readonly(data),
        shareable=bool(device.connection.get("multiattach")))


def connected(plan: spec.DiskPlan, source: spec.Source, io: str | None,
              cache: str | None, modes: Mapping[str, str]) -> spec.DiskPlan:
    """Return the plan of a volume once it is known how it is reached.

    :param io: and ``cache``: what its kind wants; None: nothing special.
    :param modes: {source kind: mode} of ``[libvirt]disk_cachemodes``.
    """
    chosen = modes.get(SOURCE_KINDS[type(source)], cache or plan.cache)
    if plan.shareable and chosen not in DIRECT:
        # Each guest would see its own host's page cache.
        chosen = "none"
    return dataclasses.replace(plan, io=io, cache=chosen)


def _limits(data: Mapping[str, Any]) -> spec.IoTune | None:
    specs = data.get("qos_specs") or {}
    if not isinstance(specs, Mapping):
        LOG.warning("The volume's QoS specs are ignored: %s", specs)
        return None
    limits = spec.IoTune(**{
        name: int(value) for name, value in specs.items()
        if name in LIMITS and value is not None})
    return None if limits == spec.IoTune() else limits


def _block_sizes(data: Mapping[str, Any]) -> spec.BlockSizes | None:
    sizes = spec.BlockSizes(logical=_integer(data, "logical_block_size"),
                            physical=_integer(data, "physical_block_size"))
    return None if sizes == spec.BlockSizes() else sizes


def _integer(data: Mapping[str, Any], name: str) -> int | None:
    return int(data[name]) if data.get(name) is not None else None


def _readonly(data: Mapping[str, Any]) -> bool:
    mode = data.get("access_mode") or "rw"
    if mode not in ("ro", "rw"):
        raise nova_exception.InvalidVolumeAccessMode(access_mode=mode)
    return bool(mode == "ro")
