"""Disks as raw files, each a full copy of its base."""

import contextlib
import os
import pathlib

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
              base: base_module.BaseImage | None,
              held: contextlib.ExitStack) -> None:
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
            clone.copy(base.path, path, plan.size_bytes)
            return
        qemu_img.convert(
            base.path, base.format, path, "raw",
            direct_io=space.supports_direct_io(path.parent),
            cpu_time_limit_seconds=self._settings.cpu_time_limit_seconds,
            address_space_limit_bytes=(
                self._settings.address_space_limit_bytes))
        if plan.size_bytes is not None:
            os.truncate(path, plan.size_bytes)
