"""Volumes that are on this host already, as a device or a file."""

import pathlib

from nova import exception as nova_exception

from nova_custom_driver.spec import disk
from nova_custom_driver.spec import settings as settings_spec
from nova_custom_driver.virt.volume import base


class _Path:
    """Nothing is connected on the host."""

    def __init__(self, settings: settings_spec.VolumeSettings) -> None:
        """Take no notice of settings: there are none for these."""

    def disconnect(self, connection_info: base.ConnectionInfo, *,
                   force: bool) -> None:
        """Do nothing: it stays where it is."""

    def extend(self, connection_info: base.ConnectionInfo,
               size_bytes: int) -> int:
        raise nova_exception.ExtendVolumeNotSupported


class Device(_Path):
    """``local``: a block device."""

    def connect(self, connection_info: base.ConnectionInfo
                ) -> base.Connected:
        return base.Connected(source=disk.BlockSource(
            path=_path(connection_info)))


class File(_Path):
    """``gpfs``: a file on a file system that every host has mounted."""

    def connect(self, connection_info: base.ConnectionInfo
                ) -> base.Connected:
        return base.Connected(source=disk.FileSource(
            path=_path(connection_info), format="raw"))


def _path(connection_info: base.ConnectionInfo) -> pathlib.PurePosixPath:
    return pathlib.PurePosixPath(
        str(base.data_of(connection_info)["device_path"]))
