"""Volumes that are files on a share this host mounts."""

import hashlib
import os
import pathlib

from nova import exception as nova_exception
from nova.i18n import _
from nova.privsep import fs
from oslo_concurrency import lockutils
from oslo_concurrency import processutils
from oslo_log import log as logging

from nova_custom_driver import exception
from nova_custom_driver.spec import disk
from nova_custom_driver.spec import settings as settings_spec
from nova_custom_driver.virt.volume import base

LOG = logging.getLogger(__name__)


class MountedShare:
    """Files of one kind of network file system.

    A share is mounted at ``<base>/<md5 of its name>``, as the in-tree driver
    does it.  It is unmounted when the last volume goes: the kernel knows
    whether a guest still has a file of it open, so nobody counts.

    :cvar filesystem: mount(8)'s name of it.
    """

    filesystem: str

    def __init__(self, settings: settings_spec.VolumeSettings) -> None:
        self._settings = settings

    def connect(self, connection_info: base.ConnectionInfo
                ) -> base.Connected:
        data = base.data_of(connection_info)
        directory = self._directory(data)
        self._mount(data, directory)
        path = directory / str(data["name"])
        data["device_path"] = str(path)
        return self.connected(disk.FileSource(
            path=pathlib.PurePosixPath(path),
            format=str(data.get("format") or "raw")))

    def disconnect(self, connection_info: base.ConnectionInfo, *,
                   force: bool) -> None:
        directory = self._directory(base.data_of(connection_info))
        with lockutils.lock(str(directory), "nova-custom-driver-"):
            if not os.path.ismount(directory):
                return
            try:
                fs.umount(str(directory))
                directory.rmdir()
            except (processutils.ProcessExecutionError, OSError) as error:
                LOG.debug("%s stays mounted: %s", directory, error)

    def extend(self, connection_info: base.ConnectionInfo,
               size_bytes: int) -> int:
        raise nova_exception.ExtendVolumeNotSupported

    def connected(self, source: disk.FileSource) -> base.Connected:
        """Return the file with the modes of its kind."""
        raise NotImplementedError

    def base_directory(self) -> pathlib.Path:
        """Return where shares are mounted."""
        raise NotImplementedError

    def mount_options(self, data: dict[str, object]) -> list[str]:
        """Return what the operator and Cinder want of the mount."""
        raise NotImplementedError

    def _directory(self, data: dict[str, object]) -> pathlib.Path:
        name = hashlib.md5(str(data["export"]).encode(),
                           usedforsecurity=False).hexdigest()
        return self.base_directory() / name

    def _mount(self, data: dict[str, object],
               directory: pathlib.Path) -> None:
        with lockutils.lock(str(directory), "nova-custom-driver-"):
            directory.mkdir(parents=True, exist_ok=True)
            if os.path.ismount(directory):
                return
            try:
                fs.mount(self.filesystem, str(data["export"]),
                         str(directory), self.mount_options(data))
            except (processutils.ProcessExecutionError, OSError) as error:
                directory.rmdir()
                raise exception.HostError(
                    action="mount", subject=f"share {data['export']}",
                    reason=_("%s") % (getattr(error, "stderr", None)
                                      or error)) from error


class Nfs(MountedShare):
    filesystem = "nfs"

    def connected(self, source: disk.FileSource) -> base.Connected:
        return base.Connected(
            source=source,
            io=None if self._settings.default_io else "native")

    def extend(self, connection_info: base.ConnectionInfo,
               size_bytes: int) -> int:
        return size_bytes

    def base_directory(self) -> pathlib.Path:
        return self._settings.nfs_directory

    def mount_options(self, data: dict[str, object]) -> list[str]:
        return _options(self._settings.nfs_options, data)


class Smb(MountedShare):
    filesystem = "cifs"

    def connected(self, source: disk.FileSource) -> base.Connected:
        return base.Connected(source=source, cache="writeback")

    def base_directory(self) -> pathlib.Path:
        return self._settings.smb_directory

    def mount_options(self, data: dict[str, object]) -> list[str]:
        options = _options(self._settings.smb_options, data)
        if "username" not in " ".join(options):
            options += ["-o", "username=guest"]
        return options


def _options(operators: str | None, data: dict[str, object]) -> list[str]:
    options = ["-o", operators] if operators else []
    return options + str(data.get("options") or "").split()
