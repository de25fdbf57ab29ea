"""The base cache: images fetched and checked once for all guests.

Names, places and locks are those of the in-tree driver, so that both can
work on one host, or on one shared instances path, without making a base
twice: ``_base/<sha1 of the image id>``, and a lock file of that name below
``locks``.

A base is made under another name and renamed when it is whole, so one that
has its name can be used without the lock.
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
from nova.compute import utils as compute_utils
from nova.objects import trusted_certs as trusted_certs_object
from oslo_concurrency import lockutils
from oslo_log import log as logging

from nova_custom_driver import exception
from nova_custom_driver import privsep
from nova_custom_driver import units
from nova_custom_driver.imagebackend import acceptance
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

# Of what is being made: see files.part_of and _converted.
UNFINISHED = frozenset((".part", ".converted"))

TrustedCerts: TypeAlias = trusted_certs_object.TrustedCerts
Fetch = Callable[[nova_context.RequestContext, str, pathlib.Path,
                  TrustedCerts | None], dict[str, Any]]


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Base:
    """A finished file of the cache."""

    path: pathlib.Path
    format: str
    virtual_size_bytes: int
    cluster_size_bytes: int | None = None


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
        self._ready(path, lambda: self._fetch_image(
            context, image_id, path, trusted_certs))
        header = self._header(path)
        yield Base(path=path, format=header.format,
                   virtual_size_bytes=header.virtual_size_bytes,
                   cluster_size_bytes=header.cluster_size_bytes)

    def kernel(self, context: nova_context.RequestContext, image_id: str,
               destination: pathlib.Path,
               trusted_certs: TrustedCerts | None = None) -> None:
        path = self._image_path(image_id)
        self._ready(path, lambda: self._fetch_plain(
            context, image_id, path, trusted_certs))
        with _translated("copy", image_id), \
                files.whole(destination) as part:
            clone.copy(path, part)

    def prefetch(self, context: nova_context.RequestContext,
                 image_id: str) -> bool:
        path = self._image_path(image_id)
        return not path.exists() and self._make_once(
            path, lambda: self._fetch_image(context, image_id, path, None))

    @contextlib.contextmanager
    def ephemeral(self, size_gib: int,
                  content: spec.EphemeralContent) -> Iterator[Base]:
        default = self._settings.default_ephemeral_format
        suffix = filesystem.name_hash(content, default)
        path = self._directory / f"ephemeral_{size_gib}_{suffix}"
        with self._generated(
                path, size_gib * units.BYTES_PER_GIB,
                lambda part: filesystem.format_ephemeral(
                    part, content, default)) as base:
            yield base

    @contextlib.contextmanager
    def swap(self, size_mib: int) -> Iterator[Base]:
        path = self._directory / f"swap_{size_mib}"
        with self._generated(path, size_mib * units.BYTES_PER_MIB,
                             filesystem.format_swap) as base:
            yield base

    def remove_unfinished(self) -> None:
        """Remove what a crash has cut off; what is being made now stays."""
        for path in self._directory.glob("*.*"):
            if path.suffix not in UNFINISHED:
                continue
            with contextlib.suppress(lockutils.AcquireLockFailedException), \
                    self._locked(path.with_suffix(""), blocking=False):
                LOG.warning("Removing %s, which was cut off", path)
                path.unlink(missing_ok=True)

    def _image_path(self, image_id: str) -> pathlib.Path:
        digest = hashlib.sha1(image_id.encode(), usedforsecurity=False)
        return self._directory / digest.hexdigest()

    def _ready(self, path: pathlib.Path, make: Callable[[], None]) -> None:
        """Have ``path`` there, and touched.

        Once touched, no cleaner takes it for unused.  One that was quicker
        has removed it, so it is made again.
        """
        while True:
            if not path.exists():
                self._make_once(path, make)
            with contextlib.suppress(FileNotFoundError):
                return privsep.touch(path)

    def _make_once(self, path: pathlib.Path,
                   make: Callable[[], None]) -> bool:
        """Have ``path`` made if it is not there; return whether it was made.

        Whoever asks meanwhile, in this process or another, waits and finds
        the file.
        """
        self._directory.mkdir(parents=True, exist_ok=True)
        with self._locked(path):
            if path.exists():
                return False
            make()
            return True

    def _locked(self, path: pathlib.Path, *, blocking: bool = True
                ) -> contextlib.AbstractContextManager[object]:
        lock: contextlib.AbstractContextManager[object] = lockutils.lock(
            path.name, "nova-", external=True, do_log=False,
            lock_path=str(self._settings.instances_path / "locks"),
            blocking=blocking)
        return lock

    def _fetch_plain(self, context: nova_context.RequestContext,
                     image_id: str, path: pathlib.Path,
                     trusted_certs: TrustedCerts | None) -> None:
        """Fetch a kernel or ramdisk, which QEMU loads byte for byte."""
        with _translated("fetch", image_id), files.whole(path) as part:
            self._fetch(context, image_id, part, trusted_certs)

    def _fetch_image(self, context: nova_context.RequestContext,
                     image_id: str, path: pathlib.Path,
                     trusted_certs: TrustedCerts | None) -> None:
        part, converted = files.part_of(path), _converted(path)
        with _translated("fetch", image_id), \
                files.removed_on_error(part, converted):
            image = self._fetch(context, image_id, part, trusted_certs)
            header = acceptance.accept(part, image_id, image, self._settings)
            if header.format == "raw" or not self._settings.force_raw_images:
                files.publish(part, path)
                return
            self._convert(part, header.format, converted, image_id)
            # First, so that a crash leaves no more than a whole base.
            part.unlink()
            files.publish(converted, path)

    def _convert(self, part: pathlib.Path, format_name: str,
                 converted: pathlib.Path, image_id: str) -> None:
        with compute_utils.disk_ops_semaphore:
            qemu_img.convert_to_raw(
                part, format_name, converted, image_id,
                limits=acceptance.limits(self._settings),
                direct_io=space.supports_direct_io(self._directory))
        acceptance.accept_raw(converted, image_id, self._settings)

    def _header(self, path: pathlib.Path) -> image_format.Header:
        """Return a base's header, read once for each file."""
        found = os.stat(path)
        # Not by its times: every use changes them.
        key = (str(path), found.st_ino, found.st_size)
        with self._lock:
            header = self._headers.get(key)
        if header is None:
            header = acceptance.header(path, self._settings)
            with self._lock:
                self._headers[key] = header
        return header

    @contextlib.contextmanager
    def _generated(self, path: pathlib.Path, size_bytes: int,
                   fill: Callable[[pathlib.Path], None]) -> Iterator[Base]:
        """Hold a base of our own making, so known without a look."""
        def make() -> None:
            with files.whole(path) as part:
                clone.empty(part, size_bytes)
                fill(part)

        # Under the lock even if it is there: the in-tree driver makes these
        # in place, so another host may be at it right now.
        with _translated("make", path.name):
            self._make_once(path, make)
            self._ready(path, make)
        yield Base(path=path, format="raw", virtual_size_bytes=size_bytes)


def _converted(path: pathlib.Path) -> pathlib.Path:
    return path.with_name(f"{path.name}.converted")


@contextlib.contextmanager
def _translated(action: str, name: str) -> Iterator[None]:
    """Raise :class:`HostError` for what the file system refuses."""
    try:
        yield
    except OSError as error:
        raise exception.HostError(
            action=action, subject=f"image {name}",
            reason=str(error)) from error
