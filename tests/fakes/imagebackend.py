"""Disks and bases in memory, with the promise of the real ones."""

import contextlib
import dataclasses
import pathlib
import threading

from nova import exception as nova_exception

from nova_custom_driver import exception
from nova_custom_driver import units
from nova_custom_driver.imagebackend import filesystem
from nova_custom_driver.spec import disk as spec

IMAGE_BYTES = 8 * units.BYTES_PER_MIB


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class MemoryBase:
    path: pathlib.Path
    format: str = "raw"
    virtual_size_bytes: int = IMAGE_BYTES
    cluster_size_bytes: int | None = None


class MemoryCache:
    """Bases in a dictionary.

    :ivar images: {image id: size in bytes} of what "Glance" has; None: any
        image, of ``IMAGE_BYTES``.
    :ivar fetched: image ids in the order they were downloaded.
    :ivar errors: {image id: what fetching it raises}.
    """

    def __init__(self, images=None):
        self.images = images
        self.fetched = []
        self.errors = {}
        self._lock = threading.Lock()

    @contextlib.contextmanager
    def image(self, context, image_id, trusted_certs=None):
        self._fetch(image_id)
        yield MemoryBase(path=pathlib.Path("/bases", image_id),
                         virtual_size_bytes=self._size(image_id))

    def kernel(self, context, image_id, destination, trusted_certs=None):
        self._fetch(image_id)
        destination.write_text(image_id)

    def prefetch(self, context, image_id):
        return self._fetch(image_id)

    @contextlib.contextmanager
    def ephemeral(self, size_gib, content):
        yield MemoryBase(path=pathlib.Path("/bases/ephemeral"),
                         virtual_size_bytes=size_gib * units.BYTES_PER_GIB)

    @contextlib.contextmanager
    def swap(self, size_mib):
        yield MemoryBase(path=pathlib.Path("/bases/swap"),
                         virtual_size_bytes=size_mib * units.BYTES_PER_MIB)

    def remove_unfinished(self):
        pass

    def _fetch(self, image_id):
        with self._lock:
            if image_id in self.errors:
                raise self.errors[image_id]
            self._size(image_id)
            if image_id in self.fetched:
                return False
            self.fetched.append(image_id)
            return True

    def _size(self, image_id):
        if self.images is None:
            return IMAGE_BYTES
        try:
            return self.images[image_id]
        except KeyError:
            raise nova_exception.ImageNotFound(image_id=image_id) from None


class MemoryImages:
    """A Glance that keeps what it is given.

    :ivar images: {image id: name}.
    :ivar uploads: {image id: (record, text of the file)}.
    """

    def __init__(self, **images):
        self.images = images
        self.uploads = {}

    def name(self, context, image_id):
        try:
            return self.images[image_id]
        except KeyError:
            raise nova_exception.ImageNotFound(image_id=image_id) from None

    def upload(self, context, image_id, record, path):
        self.name(context, image_id)
        self.uploads[image_id] = (dict(record), path.read_text())


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class MemoryDisk:
    plan: spec.DiskPlan
    size_bytes: int


class MemoryBackend:
    """Disks in a dictionary; refuses those it is told to.

    :ivar disks: {(instance uuid, name): disk}.
    :ivar refuses: names of disks whose making fails.
    """

    keeps_base = True

    def __init__(self, instances_path="/instances", refuses=()):
        self.disks = {}
        self.refuses = set(refuses)
        self._instances_path = pathlib.PurePosixPath(instances_path)
        self._lock = threading.Lock()

    def source(self, instance_uuid, plan):
        is_drive = isinstance(plan.content, spec.ConfigDriveContent)
        return spec.FileSource(
            path=pathlib.PurePosixPath(
                self._instances_path, instance_uuid, plan.name),
            format="raw" if is_drive else "qcow2")

    def exists(self, instance_uuid, plan):
        return (instance_uuid, plan.name) in self.disks

    def create(self, instance_uuid, plan, base):
        if isinstance(plan.content, spec.EphemeralContent):
            filesystem.check(plan.content)
        made = isinstance(plan.content,
                          spec.EphemeralContent | spec.SwapContent)
        if base is None and not made:
            raise ValueError(f"disk {plan.name} without a base")
        image_size = base.virtual_size_bytes if base else 0
        if plan.size_bytes is not None and image_size > plan.size_bytes:
            raise nova_exception.FlavorDiskSmallerThanImage(
                flavor_size=plan.size_bytes, image_size=image_size)
        with self._lock:
            if plan.name in self.refuses \
                    or (instance_uuid, plan.name) in self.disks:
                raise exception.HostError(
                    action="make", subject=f"disk {plan.name}",
                    reason="the storage refused")
            self.disks[instance_uuid, plan.name] = MemoryDisk(
                plan=plan, size_bytes=plan.size_bytes or image_size)
        return self.source(instance_uuid, plan)

    def extend(self, source, size_bytes):
        key = source.path.parent.name, source.path.name
        with self._lock:
            disk = self.disks[key]
            self.disks[key] = dataclasses.replace(
                disk, size_bytes=max(disk.size_bytes, size_bytes))

    def extract(self, source, path, format_name, *, compressed):
        try:
            path.write_text(f"{format_name} of {source.path}")
        except OSError as error:
            raise exception.HostError(
                action="convert", subject=f"disk {path}",
                reason=str(error)) from error

    def delete(self, instance_uuid, source):
        with self._lock:
            self.disks.pop((instance_uuid, source.path.name), None)
