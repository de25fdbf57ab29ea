"""What an operation works with."""

import dataclasses
import pathlib
from typing import Any, Protocol

from nova import objects
from nova.network import model as network_model
from nova.objects import instance as instance_object

from nova_custom_driver import journal
from nova_custom_driver import timeline
from nova_custom_driver.imagebackend import base as disk_base
from nova_custom_driver.spec import nic
from nova_custom_driver.spec import settings
from nova_custom_driver.virt.host import base as host_base
from nova_custom_driver.virt.ops import mdev_claims
from nova_custom_driver.virt.volume import base as volume_base


class VifPlugger(Protocol):
    """Connects guests' interfaces on this host."""

    def source(self, vif: network_model.VIF) -> nic.Source:
        """Return the host's side of a port, plugged or not.

        :raises nova.exception.NovaException: the port's kind is not
            supported, or its binding has failed.
        """

    def plug(self, instance: instance_object.Instance,
             vif: network_model.VIF) -> None:
        """Connect a port; one that is connected already is no error."""

    def unplug(self, instance: instance_object.Instance,
               vif: network_model.VIF) -> None:
        """Disconnect a port; one that is gone already is no error."""

    def describe(self, instance: instance_object.Instance,
                 vif: network_model.VIF) -> dict[str, object]:
        """Return what :meth:`unplug_described` needs, as plain JSON."""

    def unplug_described(self, detail: dict[str, object]) -> None:
        """Disconnect a port after its instance was forgotten."""


class VolumeConnector(Protocol):
    """Connects Cinder's volumes to this host.

    A connection is the dictionary that Cinder gave, which Nova keeps.
    """

    def connect(self, connection_info: dict[str, Any]
                ) -> volume_base.Connected:
        """Have a volume on this host; one that is there is no error.

        :raises nova.exception.VolumeDriverNotFound: of no known kind.
        :raises HostError: it cannot be reached.
        """

    def disconnect(self, connection_info: dict[str, Any], *,
                   force: bool = False) -> None:
        """Let go of a volume; one that is gone already is no error.

        :raises HostError: it is still here.
        """

    def extend(self, connection_info: dict[str, Any],
               size_bytes: int) -> int:
        """Notice that a volume has become larger; return its size.

        :raises nova.exception.ExtendVolumeNotSupported: not of this kind.
        """

    def connector(self) -> dict[str, Any]:
        """Return what Cinder has to know of this host."""


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Hands:
    """The host as an operation sees it, and the settings it follows.

    :ivar detach_timeout_seconds: how long a guest may take to let go of a
        device.
    :ivar workers: how many steps of one operation run side by side.
    :ivar pmem: persistent memory that guests may have.
    """

    hypervisor: host_base.Hypervisor
    disks: disk_base.DiskBackend
    bases: disk_base.BaseCache
    images: disk_base.ImageStore
    vifs: VifPlugger
    volumes: VolumeConnector
    journal: journal.Journal
    guest: settings.GuestSettings
    disk: settings.DiskSettings
    network: settings.NetworkSettings
    detach_timeout_seconds: float = 20
    resources: settings.ResourceSettings
    workers: int = 4
    pmem: tuple[objects.LibvirtVPMEMDevice, ...] = ()
    mdevs: mdev_claims.Claims = dataclasses.field(
        default_factory=mdev_claims.Claims)
    observers: tuple[timeline.Observer, ...] = ()

    def directory(self, instance_uuid: str) -> pathlib.Path:
        """Return where an instance's files are, whether it exists or not."""
        return self.disk.instances_path / instance_uuid
