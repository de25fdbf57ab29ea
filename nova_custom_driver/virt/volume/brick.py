"""Volumes that os-brick makes block devices of this host."""

from collections.abc import Iterator
import contextlib
import pathlib
from typing import Any

from nova import exception as nova_exception
from nova.i18n import _
from os_brick import exception as brick_exception
from os_brick.initiator import connector
from oslo_concurrency import processutils

from nova_custom_driver import exception
from nova_custom_driver.spec import disk
from nova_custom_driver.spec import settings as settings_spec
from nova_custom_driver.virt.volume import base

# Of a command of os-brick's, and of what it looks for in vain.
FAILURES = (brick_exception.BrickException, processutils.ProcessExecutionError,
            OSError)


class BlockDevice:
    """Volumes of one of os-brick's connectors.

    :cvar protocol: os-brick's name of it.
    :cvar native_io: whether QEMU does native AIO, unless the operator wants
        its default.
    """

    protocol: str
    native_io = True

    def __init__(self, settings: settings_spec.VolumeSettings) -> None:
        self._settings = settings
        self._connector: Any = connector.InitiatorConnector.factory(
            self.protocol, settings.root_helper, **self.options(settings))

    def options(self, settings: settings_spec.VolumeSettings
                ) -> dict[str, Any]:
        """Return what the connector is made with."""
        return {"use_multipath": settings.multipath,
                "device_scan_attempts": settings.scan_attempts}

    def connect(self, connection_info: base.ConnectionInfo
                ) -> base.Connected:
        data = base.data_of(connection_info)
        with _translated("connect", connection_info):
            device = self._connector.connect_volume(data)
        data["device_path"] = device["path"]
        if device.get("multipath_id"):
            data["multipath_id"] = device["multipath_id"]
        native = self.native_io and not self._settings.default_io
        return base.Connected(
            source=disk.BlockSource(
                path=pathlib.PurePosixPath(device["path"])),
            io="native" if native else None)

    def disconnect(self, connection_info: base.ConnectionInfo, *,
                   force: bool) -> None:
        with contextlib.suppress(brick_exception.VolumeDeviceNotFound), \
                _translated("disconnect", connection_info):
            self._connector.disconnect_volume(
                base.data_of(connection_info), None, force=force,
                ignore_errors=force)

    def extend(self, connection_info: base.ConnectionInfo,
               size_bytes: int) -> int:
        with _translated("extend", connection_info):
            size = self._connector.extend_volume(
                base.data_of(connection_info))
        if size is None:
            raise nova_exception.VolumeExtendFailed(
                volume_id=connection_info.get("serial"), reason=_(
                    "the host does not see its new size"))
        return int(size)


class Iscsi(BlockDevice):
    protocol = "iscsi"

    def options(self, settings: settings_spec.VolumeSettings
                ) -> dict[str, Any]:
        return {**super().options(settings),
                "transport": settings.iscsi_interface or "default"}


class Iser(BlockDevice):
    protocol = "iser"

    def options(self, settings: settings_spec.VolumeSettings
                ) -> dict[str, Any]:
        return {"use_multipath": settings.iser_multipath,
                "device_scan_attempts": settings.iser_scan_attempts,
                "transport": "iser"}


class FibreChannel(BlockDevice):
    protocol = "fibre_channel"


class NvmeOf(BlockDevice):
    protocol = "nvmeof"
    native_io = False

    def options(self, settings: settings_spec.VolumeSettings
                ) -> dict[str, Any]:
        return {"use_multipath": settings.multipath,
                "device_scan_attempts": settings.nvme_scan_attempts}


class LightOs(BlockDevice):
    protocol = "lightos"
    native_io = False

    def options(self, settings: settings_spec.VolumeSettings
                ) -> dict[str, Any]:
        return {"device_scan_attempts": settings.nvme_scan_attempts}


class ScaleIo(BlockDevice):
    protocol = "scaleio"

    def options(self, settings: settings_spec.VolumeSettings
                ) -> dict[str, Any]:
        return {"device_scan_attempts": settings.scan_attempts}


class StorPool(BlockDevice):
    protocol = "storpool"

    def options(self, settings: settings_spec.VolumeSettings
                ) -> dict[str, Any]:
        return {}


@contextlib.contextmanager
def _translated(action: str, connection_info: base.ConnectionInfo
                ) -> Iterator[None]:
    """Raise :class:`HostError` for what os-brick raises."""
    try:
        yield
    except brick_exception.VolumeDeviceNotFound:
        if action == "disconnect":
            raise
        raise exception.HostError(
            action=action, subject=_subject(connection_info),
            reason=_("no device of it appeared")) from None
    except FAILURES as error:
        raise exception.HostError(
            action=action, subject=_subject(connection_info),
            reason=str(error)) from error


def _subject(connection_info: base.ConnectionInfo) -> str:
    return (f"volume {connection_info.get('serial')} by "
            f"{connection_info.get('driver_volume_type')}")
