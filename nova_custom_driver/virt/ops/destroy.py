"""Take a guest and all that was made for it off the host."""

from collections.abc import Mapping
import contextlib
import os
import pathlib
from typing import Any

from nova import exception as nova_exception
from nova.console import serial
from nova.network import model as network_model
from nova.objects import instance as instance_object
from oslo_log import log as logging

from nova_custom_driver import privsep
from nova_custom_driver.spec import domain as domain_spec
from nova_custom_driver.virt.host import base as host_base
from nova_custom_driver.virt.ops import hands as hands_module
from nova_custom_driver.virt.ops import network
from nova_custom_driver.virt.ops import volumes
from nova_custom_driver.virt.xml import read

LOG = logging.getLogger(__name__)


def find(hands: hands_module.Hands,
         instance_uuid: str) -> host_base.Domain | None:
    """Return the instance's domain, or None if it is gone."""
    try:
        return hands.hypervisor.find(instance_uuid)
    except nova_exception.InstanceNotFound:
        return None


def stop(hands: hands_module.Hands, instance_uuid: str) -> None:
    """Cut the guest's power; being off or gone already is no error.

    :raises InstancePowerOffFailure: QEMU did not die.
    """
    domain = find(hands, instance_uuid)
    if domain is not None:
        domain.destroy()


def forget(hands: hands_module.Hands, instance_uuid: str) -> None:
    """Undefine the domain and give its serial ports back."""
    domain = find(hands, instance_uuid)
    if domain is None:
        return
    with contextlib.suppress(nova_exception.InstanceNotFound):
        for port in read.serials(domain.xml(inactive=True)):
            if isinstance(port, domain_spec.SerialTcp):
                serial.release_port(port.host, port.port)
    domain.undefine()


def clean(hands: hands_module.Hands, instance: instance_object.Instance,
          network_info: network_model.NetworkInfo,
          block_device_info: Mapping[str, Any] | None, *, vifs: bool,
          files: bool) -> None:
    """Remove what the guest's host side consists of.

    The domain goes last: while it is there, a crash in between leaves
    something that Nova will find and delete again.
    """
    if vifs:
        network.unplug(instance, network_info, hands, ignore_errors=True)
    volumes.disconnect_all(block_device_info, hands, ignore_errors=files)
    if files:
        _delete_and_record(hands, instance)
    forget(hands, instance.uuid)


def delete_files(hands: hands_module.Hands, instance_uuid: str) -> bool:
    """Remove the instance's directory; return whether it is gone.

    It is renamed first, so that what is half deleted is never mistaken for
    an instance, and a later call finds the rest.
    """
    directory = hands.directory(instance_uuid)
    doomed = directory.with_name(f"{directory.name}_del")
    for candidate in (directory,
                      directory.with_name(f"{directory.name}_resize")):
        if candidate.exists():
            _delete_tree(doomed)
            try:
                os.rename(candidate, doomed)
            except OSError as error:
                LOG.error("Could not rename %s: %s", candidate, error)
                return False
            break
    _delete_tree(doomed)
    return not doomed.exists()


def _delete_and_record(hands: hands_module.Hands,
                       instance: instance_object.Instance) -> None:
    # Nova's periodic task counts the attempts and looks at ``cleaned``:
    # ComputeManager._run_pending_deletes.
    attempts = int(instance.system_metadata.get("clean_attempts", "0"))
    gone = delete_files(hands, instance.uuid)
    instance.system_metadata["clean_attempts"] = str(attempts + 1)
    if gone:
        instance.cleaned = True
    with contextlib.suppress(nova_exception.InstanceNotFound):
        instance.save()


def _delete_tree(path: pathlib.Path) -> None:
    try:
        privsep.remove_tree(path)
    except OSError as error:
        LOG.error("Could not delete %s: %s", path, error)
