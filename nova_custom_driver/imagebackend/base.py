"""What every disk backend can do."""

import contextlib
import pathlib
from typing import Protocol

from nova_custom_driver.spec import disk as spec


class BaseImage(Protocol):
    """A finished file of the base cache, held against removal."""

    @property
    def path(self) -> pathlib.Path: ...

    @property
    def format(self) -> str: ...

    @property
    def virtual_size_bytes(self) -> int: ...


class DiskBackend(Protocol):
    """Keeps guests' disks on one kind of storage."""

    def source(self, instance_uuid: str, plan: spec.DiskPlan) -> spec.Source:
        """Return where ``plan``'s disk is kept, whether or not it exists.

        Its format is the recorded one where the disk exists.
        """

    def exists(self, instance_uuid: str, plan: spec.DiskPlan) -> bool:
        """Return whether the disk's storage is there."""

    def create(self, instance_uuid: str, plan: spec.DiskPlan,
               base: BaseImage | None) -> spec.Source:
        """Make the storage for one disk.

        When this returns, the disk is whole; when it raises, nothing is left.

        :param base: the cached image to start from; None: made empty, with
            the content ``plan`` names.
        :raises nova.exception.FlavorDiskSmallerThanImage: the base is larger
            than the disk shall be.
        :raises HostError: the storage refused.
        """

    def delete(self, instance_uuid: str, source: spec.Source) -> None:
        """Remove a disk.  One that is gone already is no error."""


class BaseCache(Protocol):
    """Finished images, downloaded and checked once for all guests."""

    def image(self, image_id: str
              ) -> contextlib.AbstractContextManager[BaseImage]:
        """Hold the base of a Glance image, fetching it if need be."""
