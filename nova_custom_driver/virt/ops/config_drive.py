"""Write the instance's metadata onto its config drive."""

from collections.abc import Mapping
import functools
import pathlib

from nova.api.metadata import base as instance_metadata
from nova.network import model as network_model
from nova.objects import instance as instance_object

from nova_custom_driver.imagebackend import config_drive
from nova_custom_driver.spec import disk as disk_spec
from nova_custom_driver.virt.ops import hands as hands_module
from nova_custom_driver.virt.ops import operation


def plan_of(disks: tuple[disk_spec.DiskPlan, ...]
            ) -> disk_spec.DiskPlan | None:
    """Return the config drive among the planned disks, if there is one."""
    for plan in disks:
        if isinstance(plan.content, disk_spec.ConfigDriveContent):
            return plan
    return None


def write(instance: instance_object.Instance,
          injected_files: list[tuple[str, str]],
          extra_metadata: Mapping[str, str],
          network_info: network_model.NetworkInfo, path: pathlib.Path,
          hands: hands_module.Hands, op: operation.Operation) -> None:
    """Write the drive to ``path``; one that exists is left as it is.

    ``instance.device_metadata`` must be up to date: it is on the drive.
    """
    if path.exists():
        return
    op.undo.push("delete the config drive",
                 functools.partial(path.unlink, missing_ok=True))
    metadata = instance_metadata.InstanceMetadata(
        instance, content=injected_files, extra_md=dict(extra_metadata),
        network_info=network_info)
    _, product, version = hands.guest.release
    config_drive.build(
        metadata.metadata_for_config_drive(), path,
        hands.guest.config_drive_format, publisher=f"{product} {version}",
        mkisofs=hands.disk.mkisofs_command)
