"""What every kind of volume can do."""

import dataclasses
from typing import Any, Protocol

from nova_custom_driver.spec import disk

# {"driver_volume_type": ..., "data": {...}, "serial": ...}, as Cinder gives
# it and Nova keeps it; see "Volume Attachments" in Cinder's API.
ConnectionInfo = dict[str, Any]


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Connected:
    """A volume this host has at hand.

    :ivar io: how QEMU does I/O to it; None: QEMU's default.
    :ivar cache: libvirt's mode; None: the operator's for such a source.
    """

    source: disk.Source
    io: str | None = None
    cache: str | None = None


class VolumeKind(Protocol):
    """One way to reach volumes: a ``driver_volume_type`` of Cinder's.

    A plug-in is a class of the entry point group
    ``nova_custom_driver.volumes``, made with the
    :class:`~nova_custom_driver.spec.settings.VolumeSettings`.
    """

    def connect(self, connection_info: ConnectionInfo) -> Connected:
        """Have the volume on this host; one that is there is no error.

        May write into ``connection_info["data"]`` what :meth:`disconnect`
        needs; Nova keeps it.

        :raises HostError: it cannot be reached.
        """

    def disconnect(self, connection_info: ConnectionInfo, *,
                   force: bool) -> None:
        """Let go of the volume; one that is gone is no error.

        :param force: also if data may be lost: the guest is deleted.
        :raises HostError: it is still here.
        """

    def extend(self, connection_info: ConnectionInfo,
               size_bytes: int) -> int:
        """Notice that Cinder has made the volume larger; return its size.

        :raises nova.exception.ExtendVolumeNotSupported: this kind cannot.
        """


def data_of(connection_info: ConnectionInfo) -> dict[str, Any]:
    """Return the part that depends on the kind."""
    data: dict[str, Any] = connection_info.setdefault("data", {})
    return data
