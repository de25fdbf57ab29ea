"""Disks as qcow2 overlays of their base."""

import contextlib
import pathlib

from nova_custom_driver.imagebackend import base as base_module
from nova_custom_driver.imagebackend import image_format
from nova_custom_driver.imagebackend import instance_file
from nova_custom_driver.imagebackend import qemu_img
from nova_custom_driver.imagebackend import space
from nova_custom_driver.spec import disk as spec


class Qcow2Backend(instance_file.InstanceFiles):
    """Takes no space for what a guest has not written."""

    format = "qcow2"
    keeps_base = True

    def _make(self, path: pathlib.Path, plan: spec.DiskPlan,
              base: base_module.BaseImage | None,
              held: contextlib.ExitStack) -> None:
        match plan.content:
            case spec.EphemeralContent():
                base = held.enter_context(self._bases.ephemeral(
                    instance_file.size_gib(plan), plan.content))
            case spec.SwapContent():
                base = held.enter_context(
                    self._bases.swap(instance_file.size_mib(plan)))
        if base is None:
            raise ValueError(f"disk {plan.name} without a base")
        size = plan.size_bytes or base.virtual_size_bytes
        qemu_img.create_overlay(path, base.path, base.format, size,
                                _cluster_size(base))
        if self._settings.preallocate:
            space.allocate(path, size)


def _cluster_size(base: base_module.BaseImage) -> int | None:
    return (image_format.cluster_size(base.path)
            if base.format == "qcow2" else None)
