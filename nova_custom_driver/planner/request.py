"""What a plan is made from."""

from collections.abc import Mapping, Sequence
import dataclasses
import pathlib
import time
from typing import Any

from nova.i18n import _
from nova.network import model as network_model
from nova.objects import flavor as flavor_object
from nova.objects import image_meta as image_meta_object
from nova.objects import instance as instance_object

from nova_custom_driver import exception
from nova_custom_driver.spec import firmware


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class GuestFiles:
    """Where the guest's own files are; None: it has no such."""

    kernel: pathlib.PurePosixPath | None
    ramdisk: pathlib.PurePosixPath | None
    console_log: pathlib.PurePosixPath


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Rescue:
    """What a guest is rescued with.

    :ivar image_meta: of the rescue image.
    :ivar kernel_id: image of the kernel, as ``ramdisk_id``; None: the disk
        has its own.
    :ivar stable: all of the guest's disks stay where they are, and the
        rescue image's comes last; else it comes first, beside the root disk
        alone.
    """

    image_id: str
    image_meta: image_meta_object.ImageMeta
    stable: bool
    kernel_id: str | None = None
    ramdisk_id: str | None = None


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class GuestRequest:
    """Nova's wish for one guest, and what the host has given it already.

    :ivar block_device_info: as ``nova.virt.driver.get_block_device_info``
        makes it; read only.
    :ivar serial_ports: TCP ports taken for its serial console.
    :ivar firmware_record: of its domain, if there is one.
    :ivar rescue: None: it boots from its own disks.
    :ivar accelerators: what Cyborg has bound to it, as ``accel_info``.
    :ivar mdevs: uuids of the mediated devices it was given.
    :ivar model_flags: {CPU model: flags}, for the models configured.
    :ivar asked_at: seconds since the epoch; the plan itself knows no clock.
    """

    instance: instance_object.Instance
    image_meta: image_meta_object.ImageMeta
    network_info: network_model.NetworkInfo
    block_device_info: Mapping[str, Any] | None
    config_drive: bool
    files: GuestFiles
    serial_ports: tuple[int, ...] = ()
    firmware_record: firmware.Record | None = None
    rescue: Rescue | None = None
    accelerators: Sequence[Mapping[str, Any]] = ()
    mdevs: tuple[str, ...] = ()
    model_flags: Mapping[str, frozenset[str]] = dataclasses.field(
        default_factory=dict)
    asked_at: float = dataclasses.field(default_factory=time.time)

    @property
    def flavor(self) -> flavor_object.Flavor:
        return self.instance.flavor

    @property
    def extra_specs(self) -> dict[str, str]:
        return self.instance.flavor.extra_specs or {}

    def image_property(self, name: str) -> Any:
        """Return an image property; None: the image has none."""
        return self.image_meta.properties.get(name)

    def integer(self, extra_spec: str) -> int | None:
        """Return an extra spec that is a number; None: it is not set.

        :raises InvalidGuestRequest: it is no number.
        """
        value = self.extra_specs.get(extra_spec)
        if value is None:
            return None
        try:
            return int(value)
        except ValueError:
            raise exception.InvalidGuestRequest(
                key=extra_spec, value=value,
                reason=_("it must be a whole number")) from None
