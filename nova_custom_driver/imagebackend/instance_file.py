"""What the backends that keep disks as files have in common."""

import os
import pathlib

from nova import exception as nova_exception

from nova_custom_driver import exception
from nova_custom_driver import units
from nova_custom_driver.imagebackend import base as base_module
from nova_custom_driver.imagebackend import disk_info
from nova_custom_driver.imagebackend import files
from nova_custom_driver.imagebackend import filesystem
from nova_custom_driver.imagebackend import image_format
from nova_custom_driver.imagebackend import qemu_img
from nova_custom_driver.spec import disk as spec
from nova_custom_driver.spec import settings as settings_spec


class InstanceFiles:
    """Disks as files of one format in the instance's directory.

    A subclass makes the file in :meth:`_make`.
    """

    format: str
    keeps_base: bool

    def __init__(self, settings: settings_spec.DiskSettings,
                 bases: base_module.BaseCache) -> None:
        self._settings = settings
        self._bases = bases

    def source(self, instance_uuid: str, plan: spec.DiskPlan) -> spec.Source:
        path = self._path(instance_uuid, plan)
        if isinstance(plan.content, spec.ConfigDriveContent):
            found: str | None = "raw"
        else:
            found = disk_info.DiskInfo(path.parent).format(path)
        return spec.FileSource(path=pathlib.PurePosixPath(path),
                               format=found or self.format)

    def exists(self, instance_uuid: str, plan: spec.DiskPlan) -> bool:
        return self._path(instance_uuid, plan).exists()

    def create(self, instance_uuid: str, plan: spec.DiskPlan,
               base: base_module.BaseImage | None) -> spec.Source:
        path = self._path(instance_uuid, plan)
        if isinstance(plan.content, spec.EphemeralContent):
            filesystem.check(plan.content)
        if base is not None:
            _check_size(base, plan)
        if path.exists():
            raise _refused(path, "there is a file of that name")
        try:
            self._create(path, plan, base)
        except OSError as error:
            raise _refused(path, str(error)) from error
        return spec.FileSource(path=pathlib.PurePosixPath(path),
                               format=self.format)

    def extend(self, source: spec.Source, size_bytes: int) -> None:
        path = spec.path_of(source)
        try:
            self._extend(path, source.format, size_bytes)
        except OSError as error:
            raise exception.HostError(
                action="extend", subject=f"disk {path}",
                reason=str(error)) from error

    def _extend(self, path: pathlib.Path, format_name: str,
                size_bytes: int) -> None:
        if format_name == "raw":
            if size_bytes > path.stat().st_size:
                os.truncate(path, size_bytes)
                filesystem.grow(path)
        elif size_bytes > image_format.virtual_size(path):
            qemu_img.resize(path, format_name, size_bytes)

    def extract(self, source: spec.Source, path: pathlib.Path,
                format_name: str, *, compressed: bool) -> None:
        qemu_img.flatten(spec.path_of(source), source.format, path,
                         format_name, compressed=compressed)

    def delete(self, instance_uuid: str, source: spec.Source) -> None:
        path = spec.path_of(source)
        path.unlink(missing_ok=True)
        disk_info.DiskInfo(path.parent).forget(path)

    def _create(self, path: pathlib.Path, plan: spec.DiskPlan,
                base: base_module.BaseImage | None) -> None:
        info = disk_info.DiskInfo(path.parent)
        with files.whole(path) as part:
            self._make(part, plan, base)
            # Before the file has its name, so that no file is ever there
            # whose format is not known.
            info.record(path, self.format)

    def _make(self, path: pathlib.Path, plan: spec.DiskPlan,
              base: base_module.BaseImage | None) -> None:
        """Make the file, with the content ``plan`` names."""
        raise NotImplementedError

    def _path(self, instance_uuid: str, plan: spec.DiskPlan) -> pathlib.Path:
        return self._settings.instances_path / instance_uuid / plan.name


def size_gib(plan: spec.DiskPlan) -> int:
    return (plan.size_bytes or 0) // units.BYTES_PER_GIB


def size_mib(plan: spec.DiskPlan) -> int:
    return (plan.size_bytes or 0) // units.BYTES_PER_MIB


def _refused(path: pathlib.Path, reason: str) -> exception.HostError:
    return exception.HostError(action="make", subject=f"disk {path}",
                               reason=reason)


def _check_size(base: base_module.BaseImage, plan: spec.DiskPlan) -> None:
    if plan.size_bytes is not None \
            and base.virtual_size_bytes > plan.size_bytes:
        raise nova_exception.FlavorDiskSmallerThanImage(
            flavor_size=plan.size_bytes, image_size=base.virtual_size_bytes)
