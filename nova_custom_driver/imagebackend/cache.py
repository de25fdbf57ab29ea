"""The base cache: images fetched and checked once for all guests.

Names, places and locks are those of the in-tree driver, so that both can
work on one host, or on one shared instances path, without making a base
twice: ``_base/<sha1 of the image id>``, and a lock file of that name below
``locks``.
"""

from collections.abc import Callable, Iterator
import contextlib
import dataclasses
import hashlib
import os
import pathlib
import threading
from typing import Any, TypeAlias

from nova import context as nova_context
from nova import exception as nova_exception
from nova.i18n import _
from nova.objects import trusted_certs as trusted_certs_object
from oslo_concurrency import lockutils
from oslo_log import log as logging

from nova_custom_driver import privsep
from nova_custom_driver import units
from nova_custom_driver.imagebackend import clone
from nova_custom_driver.imagebackend import files
from nova_custom_driver.imagebackend import filesystem
from nova_custom_driver.imagebackend import glance
from nova_custom_driver.imagebackend import image_format
from nova_custom_driver.imagebackend import qemu_img
from nova_custom_driver.imagebackend import space
from nova_custom_driver.spec import disk as spec
from nova_custom_driver.spec import settings as settings_spec

LOG = logging.getLogger(__name__)

TrustedCerts: TypeAlias = trusted_certs_object.TrustedCerts
Fetch = Callable[[nova_context.RequestContext, str, pathlib.Path,
                  TrustedCerts | None], dict[str, Any]]


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Base:
    """A finished file of the cache."""

    path: pathlib.Path
    format: str
    virtual_size_bytes: int


class BaseImageCache:
    """The bases below one instances path.

    :param fetch: downloads an image and returns Glance's record of it, as
        :func:`nova_custom_driver.imagebackend.glance.fetch` does.
    """

    def __init__(self, settings: settings_spec.DiskSettings,
                 fetch: Fetch = glance.fetch) -> None:
        self._settings = settings
        self._fetch = fetch
        self._directory = settings.cache_directory
        self._headers: dict[tuple[str, int, int], image_format.Header] = {}
        self._lock = threading.Lock()
        filesystem.load_commands(settings.mkfs_commands)

    @contextlib.contextmanager
    def image(self, context: nova_context.RequestContext, image_id: str,
              trusted_certs: TrustedCerts | None = None) -> Iterator[Base]:
        path = self._image_path(image_id)
        self._make_once(path, lambda: self._fetch_image(
            context, image_id, path, trusted_certs))
        yield self._use(path)

    def kernel(self, context: nova_context.RequestContext, image_id: str,
               destination: pathlib.Path,
               trusted_certs: TrustedCerts | None = None) -> None:
        path = self._image_path(image_id)
        self._make_once(path, lambda: self._fetch_plain(
            context, image_id, path, trusted_certs))
        privsep.touch(path)
        clone.copy(path, destination)

    def prefetch(self, context: nova_context.RequestContext,
                 image_id: str) -> bool:
        path = self._image_path(image_id)
        return self._make_once(path, lambda: self._fetch_image(
            context, image_id, path, None))

    @contextlib.contextmanager
    def ephemeral(self, size_gib: int,
                  content: spec.EphemeralContent) -> Iterator[Base]:
        default = self._settings.default_ephemeral_format
        suffix = filesystem.name_hash(content, default)
        path = self._directory / f"ephemeral_{size_gib}_{suffix}"
        size = size_gib * units.BYTES_PER_GIB
        self._make_once(path, lambda: _make_empty(
            path, size, lambda part: filesystem.format_ephemeral(
                part, content, default)))
        yield self._use_own(path, size)

    @contextlib.contextmanager
    def swap(self, size_mib: int) -> Iterator[Base]:
        path = self._directory / f"swap_{size_mib}"
        size = size_mib * units.BYTES_PER_MIB
        self._make_once(path, lambda: _make_empty(
            path, size, filesystem.format_swap))
        yield self._use_own(path, size)

    def _image_path(self, image_id: str) -> pathlib.Path:
        digest = hashlib.sha1(image_id.encode(), usedforsecurity=False)
        return self._directory / digest.hexdigest()

    def _make_once(self, path: pathlib.Path,
                   make: Callable[[], None]) -> bool:
        """Have ``path`` made if it is not there; return whether it was made.

        Whoever asks meanwhile, in this process or another, waits and finds
        the file.
        """
        if path.exists():
            return False
        self._directory.mkdir(parents=True, exist_ok=True)
        with lockutils.lock(
                path.name, "nova-", external=True,
                lock_path=str(self._settings.instances_path / "locks")):
            if path.exists():
                return False
            make()
            return True

    def _fetch_plain(self, context: nova_context.RequestContext,
                     image_id: str, path: pathlib.Path,
                     trusted_certs: TrustedCerts | None) -> None:
        """Fetch a kernel or ramdisk, which QEMU loads byte for byte."""
        part = _part(path)
        with files.removed_on_error(part):
            self._fetch(context, image_id, part, trusted_certs)
            files.publish(part, path)

    def _fetch_image(self, context: nova_context.RequestContext,
                     image_id: str, path: pathlib.Path,
                     trusted_certs: TrustedCerts | None) -> None:
        part, converted = _part(path), path.with_name(f"{path.name}.converted")
        with files.removed_on_error(part, converted):
            image = self._fetch(context, image_id, part, trusted_certs)
            header = self._check(part, image_id, image)
            if header.format == "raw" or not self._settings.force_raw_images:
                files.publish(part, path)
                return
            self._convert(part, header, converted, image_id)
            files.publish(converted, path)
            part.unlink()

    def _check(self, part: pathlib.Path, image_id: str,
               image: dict[str, Any]) -> image_format.Header:
        if not self._settings.deep_inspection:
            return image_format.read(part)
        return image_format.check(
            part, image_id, image["disk_format"],
            vmdk_types=self._settings.vmdk_allowed_types)

    def _convert(self, part: pathlib.Path, header: image_format.Header,
                 converted: pathlib.Path, image_id: str) -> None:
        settings = self._settings
        qemu_img.convert(
            part, header.format, converted, "raw",
            direct_io=space.supports_direct_io(self._directory),
            cpu_time_limit_seconds=settings.cpu_time_limit_seconds,
            address_space_limit_bytes=settings.address_space_limit_bytes)
        # An image within the image would be taken for the base's own format
        # when the base is used.
        found = image_format.read(converted).format
        if found != "raw":
            raise nova_exception.ImageUnacceptable(
                image_id=image_id, reason=_(
                    "what it holds is itself a %s image") % found)

    def _use(self, path: pathlib.Path) -> Base:
        """Return the base, touched, its header read once per process."""
        privsep.touch(path)
        found = os.stat(path)
        key = (str(path), found.st_ino, found.st_size)
        with self._lock:
            header = self._headers.get(key)
        if header is None:
            header = image_format.read(path)
            with self._lock:
                self._headers[key] = header
        return Base(path=path, format=header.format,
                    virtual_size_bytes=header.virtual_size_bytes)

    def _use_own(self, path: pathlib.Path, size_bytes: int) -> Base:
        """Return a base we made ourselves, so known without a look."""
        privsep.touch(path)
        return Base(path=path, format="raw", virtual_size_bytes=size_bytes)


def _part(path: pathlib.Path) -> pathlib.Path:
    return path.with_name(f"{path.name}.part")


def _make_empty(path: pathlib.Path, size_bytes: int,
                fill: Callable[[pathlib.Path], None]) -> None:
    part = _part(path)
    with files.removed_on_error(part):
        clone.empty(part, size_bytes)
        fill(part)
        files.publish(part, path)
