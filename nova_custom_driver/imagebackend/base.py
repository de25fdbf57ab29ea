"""What every disk backend and the base cache can do."""

from collections.abc import Mapping
import contextlib
import pathlib
from typing import Any, Protocol

from nova import context as nova_context
from nova.objects import trusted_certs as trusted_certs_object

from nova_custom_driver.spec import disk as spec


class BaseImage(Protocol):
    """A finished file of the base cache.

    It was just touched, so no cleaner takes it for unused.
    """

    @property
    def path(self) -> pathlib.Path: ...

    @property
    def format(self) -> str: ...

    @property
    def virtual_size_bytes(self) -> int: ...

    @property
    def cluster_size_bytes(self) -> int | None:
        """Return qcow2's unit of allocation; None: the format has none."""


class BaseCache(Protocol):
    """Finished images, downloaded and checked once for all guests."""

    def image(self, context: nova_context.RequestContext, image_id: str,
              trusted_certs: trusted_certs_object.TrustedCerts | None = None,
              ) -> contextlib.AbstractContextManager[BaseImage]:
        """Hold the base of a Glance image, fetching it if need be.

        :raises nova.exception.ImageUnacceptable: it is not what Glance says,
            or not safe to open.
        :raises nova.exception.ImageNotFound: Glance has no such image.
        """

    def kernel(self, context: nova_context.RequestContext, image_id: str,
               destination: pathlib.Path,
               trusted_certs: trusted_certs_object.TrustedCerts | None = None,
               ) -> None:
        """Copy a kernel or ramdisk image to ``destination``.

        :raises: as :meth:`image` does; nothing is left at ``destination``.
        """

    def prefetch(self, context: nova_context.RequestContext,
                 image_id: str) -> bool:
        """Fetch an image ahead; return False if it was there already."""

    def ephemeral(self, size_gib: int, content: spec.EphemeralContent
                  ) -> contextlib.AbstractContextManager[BaseImage]:
        """Hold an empty file system of that size, made if need be.

        :raises HostError: it could not be made.
        """

    def swap(self, size_mib: int
             ) -> contextlib.AbstractContextManager[BaseImage]:
        """Hold swap space of that size, made if need be.

        :raises HostError: it could not be made.
        """

    def remove_unfinished(self) -> None:
        """Remove what a crash has cut off; what is being made now stays.

        To be called when the service starts.
        """


class ImageStore(Protocol):
    """Where images come from, and snapshots go: Glance."""

    def name(self, context: nova_context.RequestContext,
             image_id: str) -> str:
        """Return what an image is called.

        :raises nova.exception.ImageNotFound: there is none.
        """

    def upload(self, context: nova_context.RequestContext, image_id: str,
               record: Mapping[str, Any], path: pathlib.Path) -> None:
        """Give an image its content, from a file, and its properties.

        :param record: in the words of ``nova.image.glance``.
        :raises nova.exception.ImageNotFound: it was deleted meanwhile.
        """


class DiskBackend(Protocol):
    """Keeps guests' disks on one kind of storage.

    :ivar keeps_base: whether a disk goes on reading the base it was made
        from.
    """

    keeps_base: bool

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
        :raises HostError: the storage refused, or has such a disk already.
        """

    def extend(self, source: spec.Source, size_bytes: int) -> None:
        """Make a disk at least that large, and with it a file system that
        fills it; the guest is off.

        :raises HostError: it could not be made larger.
        """

    def extract(self, source: spec.Source, path: pathlib.Path,
                format_name: str, *, compressed: bool) -> None:
        """Write what a disk holds to a new file that needs no other.

        Nobody writes to the disk meanwhile.

        :param format_name: in QEMU's words ("raw", "qcow2", "vmdk", "vdi").
        :param compressed: if the format can be.
        :raises HostError: it could not be written; nothing is left.
        """

    def delete(self, instance_uuid: str, source: spec.Source) -> None:
        """Remove a disk.  One that is gone already is no error."""
