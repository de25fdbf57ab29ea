"""Persistent memory of the host; see ndctl-list(1)."""

import json
import pathlib

from nova import exception as nova_exception
from nova.i18n import _
from nova.privsep import libvirt as privileged

from nova_custom_driver.spec import node_device as spec

DEVICES = pathlib.PurePosixPath("/dev")


def namespaces() -> tuple[spec.PmemNamespace, ...]:
    """Return the namespaces that have a name, in the order of their list.

    :raises nova.exception.GetPMEMNamespacesFailed: ndctl is not there, or
        does not know of any.
    """
    try:
        return parse(privileged.get_pmem_namespaces())
    except Exception as error:
        raise nova_exception.GetPMEMNamespacesFailed(reason=_(
            "ndctl must be installed to list them: %s") % error) from error


def parse(text: str) -> tuple[spec.PmemNamespace, ...]:
    """Return what ``ndctl list -X`` says, less what has no name."""
    return tuple(
        spec.PmemNamespace(
            name=found["name"], size_bytes=found["size"],
            align_bytes=found["daxregion"]["align"],
            path=str(DEVICES
                     / found["daxregion"]["devices"][0]["chardev"]))
        for found in json.loads(text or "[]") if found.get("name"))
