"""Connect and disconnect a guest's volumes, side by side."""

from collections.abc import Mapping
from concurrent import futures
import functools
from typing import Any

from nova import exception as nova_exception
from nova.i18n import _
from nova.virt import driver as nova_driver
from oslo_log import log as logging

from nova_custom_driver import journal
from nova_custom_driver.planner import block_devices
from nova_custom_driver.planner import volumes as planner
from nova_custom_driver.spec import disk as disk_spec
from nova_custom_driver.virt.ops import hands as hands_module
from nova_custom_driver.virt.ops import operation

LOG = logging.getLogger(__name__)
BlockDevices = Mapping[str, Any] | None
# Of what Cinder says only what is needed to let go of a volume is written
# down; these words are for those who may use it.
SECRET = ("auth", "secret", "password", "keyring")


def check(info: BlockDevices) -> None:
    """Refuse volumes that no host of this version can use.

    :raises nova.exception.InvalidInput: one is encrypted.
    """
    for bdm in nova_driver.block_device_info_get_mapping(info):
        connection = bdm.get("connection_info") or {}
        check_one(connection)


def check_one(connection_info: Mapping[str, Any]) -> None:
    """:raises nova.exception.InvalidInput: it is encrypted."""
    if (connection_info.get("data") or {}).get("encrypted"):
        raise nova_exception.InvalidInput(reason=_(
            "volume %s is encrypted, which this version of "
            "nova-custom-driver does not support yet")
            % block_devices.volume_id(connection_info))


def begin(info: BlockDevices, plans: tuple[disk_spec.DiskPlan, ...],
          hands: hands_module.Hands, op: operation.Operation, *,
          undone: bool = True) -> list[futures.Future[disk_spec.Disk]]:
    """Start connecting every planned volume.

    :param undone: disconnected again if the operation fails; not those of a
        guest that goes on having them.
    :returns: the disks to come.
    """
    bdms = {block_devices.device(bdm).volume_id: bdm
            for bdm in nova_driver.block_device_info_get_mapping(info)}
    wanted = [(plan, bdms[plan.content.volume_id]) for plan in plans
              if isinstance(plan.content, disk_spec.VolumeContent)]
    if undone:
        op.note(*(note(bdm["connection_info"]) for _plan, bdm in wanted))
    return [op.beside(f"volume {plan.name}", _connect, plan, bdm, hands, op,
                      undone)
            for plan, bdm in wanted]


def connect(plan: disk_spec.DiskPlan, connection_info: dict[str, Any],
            hands: hands_module.Hands) -> disk_spec.Disk:
    """Return a planned volume's disk, once this host has it.

    :raises nova.exception.NovaException: it could not be connected.
    """
    connected = hands.volumes.connect(connection_info)
    return disk_spec.Disk(
        plan=planner.connected(plan, connected.source, connected.io,
                               connected.cache, hands.guest.cache_modes),
        source=connected.source)


def note(connection_info: Mapping[str, Any]) -> journal.Resource:
    """Return what is written down before a volume is connected."""
    data = connection_info.get("data") or {}
    harmless = {key: value for key, value in data.items()
                if not any(word in key for word in SECRET)}
    return journal.Resource(
        kind=journal.Kind.VOLUME,
        name=str(block_devices.volume_id(connection_info)),
        detail={
            "driver_volume_type": connection_info.get("driver_volume_type"),
            "serial": connection_info.get("serial"), "data": harmless})


def disconnect_all(info: BlockDevices, hands: hands_module.Hands, *,
                   ignore_errors: bool) -> None:
    """Let go of a guest's volumes, also past one that stays.

    :param ignore_errors: only log failures.
    :raises nova.exception.NovaException: the first failure.
    """
    first: nova_exception.NovaException | None = None
    for bdm in nova_driver.block_device_info_get_mapping(info):
        connection_info = bdm.get("connection_info")
        if not connection_info:
            continue
        try:
            hands.volumes.disconnect(connection_info, force=ignore_errors)
        except nova_exception.NovaException as error:
            LOG.warning("Volume %s stays connected: %s",
                        block_devices.volume_id(connection_info), error)
            first = first or error
    if first is not None and not ignore_errors:
        raise first


def _connect(plan: disk_spec.DiskPlan, bdm: Any, hands: hands_module.Hands,
             op: operation.Operation, undone: bool) -> disk_spec.Disk:
    connection_info = bdm["connection_info"]
    if undone:
        # Half a connection may be left when it raises.
        op.undo.push(f"disconnect volume {plan.name}", functools.partial(
            hands.volumes.disconnect, connection_info, force=True))
    disk = connect(plan, connection_info, hands)
    # What was learnt of the device is needed to disconnect it.
    if hasattr(bdm, "save"):
        bdm.save()
    return disk

