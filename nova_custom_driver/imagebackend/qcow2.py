"""Disks as qcow2 overlays of their base."""

import pathlib

from nova_custom_driver.imagebackend import base as base_module
from nova_custom_driver.imagebackend import clone
from nova_custom_driver.imagebackend import filesystem
from nova_custom_driver.imagebackend import instance_file
from nova_custom_driver.imagebackend import qemu_img
from nova_custom_driver.imagebackend import space
from nova_custom_driver.spec import disk as spec


class Qcow2Backend(instance_file.InstanceFiles):
    """Takes no space for what a guest has not written."""

    format = "qcow2"
    keeps_base = True

    def _make(self, path: pathlib.Path, plan: spec.DiskPlan,
              base: base_module.BaseImage | None) -> None:
        match plan.content:
            case spec.EphemeralContent():
                self._make_ephemeral(path, plan, plan.content)
            case spec.SwapContent():
                with self._bases.swap(instance_file.size_mib(plan)) as swap:
                    self._make_overlay(path, plan, swap)
            case _:
                if base is None:
                    raise ValueError(f"disk {plan.name} without a base")
                self._make_overlay(path, plan, base)

    def _make_overlay(self, path: pathlib.Path, plan: spec.DiskPlan,
                      base: base_module.BaseImage) -> None:
        size = plan.size_bytes or base.virtual_size_bytes
        qemu_img.create_overlay(path, base.path, base.format, size,
                                base.cluster_size_bytes)
        if self._settings.preallocate:
            space.allocate(path, size)

    def _make_ephemeral(self, path: pathlib.Path, plan: spec.DiskPlan,
                        content: spec.EphemeralContent) -> None:
        if not filesystem.is_shared(content,
                                    self._settings.default_ephemeral_format):
            self._pack_filesystem(path, plan, content)
            return
        size_gib = instance_file.size_gib(plan)
        with self._bases.ephemeral(size_gib, content) as base:
            self._make_overlay(path, plan, base)

    def _pack_filesystem(self, path: pathlib.Path, plan: spec.DiskPlan,
                         content: spec.EphemeralContent) -> None:
        """Make a file system that no base has, without one."""
        raw = path.with_name(f"{path.name}.raw")
        try:
            clone.empty(raw, plan.size_bytes or 0)
            filesystem.format_ephemeral(
                raw, content, self._settings.default_ephemeral_format)
            qemu_img.pack(raw, path)
        finally:
            raw.unlink(missing_ok=True)
