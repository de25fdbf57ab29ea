"""Disks as raw files, each a full copy of its base."""

import os
import pathlib

from nova_custom_driver.imagebackend import acceptance
from nova_custom_driver.imagebackend import base as base_module
from nova_custom_driver.imagebackend import clone
from nova_custom_driver.imagebackend import filesystem
from nova_custom_driver.imagebackend import instance_file
from nova_custom_driver.imagebackend import qemu_img
from nova_custom_driver.imagebackend import space
from nova_custom_driver.spec import disk as spec


class RawBackend(instance_file.InstanceFiles):
    """Needs no base once the disk is made."""

    format = "raw"
    keeps_base = False

    def _make(self, path: pathlib.Path, plan: spec.DiskPlan,
              base: base_module.BaseImage | None) -> None:
        match plan.content:
            case spec.EphemeralContent():
                clone.empty(path, plan.size_bytes or 0)
                filesystem.format_ephemeral(
                    path, plan.content,
                    self._settings.default_ephemeral_format)
            case spec.SwapContent():
                clone.empty(path, plan.size_bytes or 0)
                filesystem.format_swap(path)
            case _:
                self._copy(path, plan, base)
        if self._settings.preallocate:
            space.allocate(path, path.stat().st_size)

    def _copy(self, path: pathlib.Path, plan: spec.DiskPlan,
              base: base_module.BaseImage | None) -> None:
        if base is None:
            raise ValueError(f"disk {plan.name} without a base")
        if base.format == "raw":
            clone.copy(base.path, path)
        else:
            self._convert(base, path, plan)
        if plan.size_bytes is not None \
                and plan.size_bytes > base.virtual_size_bytes:
            os.truncate(path, plan.size_bytes)
            filesystem.grow(path)

    def _convert(self, base: base_module.BaseImage, path: pathlib.Path,
                 plan: spec.DiskPlan) -> None:
        image_id = (plan.content.image_id
                    if isinstance(plan.content, spec.ImageContent)
                    else base.path.name)
        qemu_img.convert_to_raw(
            base.path, base.format, path, image_id,
            limits=acceptance.limits(self._settings),
            direct_io=space.supports_direct_io(path.parent))
