"""Valid settings, plans and image files; a test changes what it is about."""

import json
import pathlib
import struct
import subprocess
import tempfile
import unittest

from nova import exception as nova_exception

from nova_custom_driver import units
from nova_custom_driver.imagebackend import cache
from nova_custom_driver.spec import disk as spec
from nova_custom_driver.spec import settings as settings_spec

MIB = units.BYTES_PER_MIB
GIB = units.BYTES_PER_GIB
IMAGE = "0d7f3c7a-6c0f-4a57-9a3a-1f6f2d1f0a11"
UUID = "6d2b4ca1-1d0b-4c56-8d0a-6b7f6b9f0c11"
# A boot sector's worth of a guest's data.
CONTENT = b"guest data" + bytes(502)

SWAP = spec.SwapContent()
EPHEMERAL = spec.EphemeralContent(label="ephemeral0", os_type="linux")


def settings(path, **changes):
    return settings_spec.DiskSettings(**{
        "instances_path": path, "cache_directory": path / "_base",
        "images_type": "qcow2", "vmdk_allowed_types": ("monolithicSparse",),
        **changes})


def a_plan(**changes):
    return spec.DiskPlan(**{
        "name": "disk", "target": "vda", "bus": spec.Bus.VIRTIO,
        "content": spec.ImageContent(image_id=IMAGE), "size_bytes": 1 * GIB,
        **changes})


def run(*command, text=True):
    return subprocess.run([*map(str, command)], check=True,
                          capture_output=True, text=text).stdout


def qemu_img(*arguments):
    return run("qemu-img", *arguments)


def virtual_size(source):
    """Return the size in bytes that a guest sees."""
    return json.loads(qemu_img("info", "--output=json", "-f", source.format,
                               source.path))["virtual-size"]


def content(source, size_bytes):
    """Return the disk's first bytes, as a guest reads them."""
    with tempfile.TemporaryDirectory() as directory:
        path = pathlib.Path(directory, "content")
        qemu_img("dd", "-f", source.format, "-O", "raw", f"bs={size_bytes}",
                 "count=1", f"if={source.path}", f"of={path}")
        return path.read_bytes()


def raw_image(path, size_bytes=8 * MIB, content=CONTENT):
    with path.open("wb") as file:
        file.write(content)
        file.truncate(size_bytes)
    return path


def image(path, format_name, size_bytes=8 * MIB, *options):
    """Write an image that holds ``CONTENT``, converted by qemu-img."""
    with tempfile.TemporaryDirectory() as directory:
        raw = raw_image(pathlib.Path(directory, "raw"), size_bytes)
        qemu_img("convert", "-f", "raw", "-O", format_name, *options, raw,
                 path)
    return path


def gpt_image(path, size_bytes=8 * MIB):
    """Write a disk with a protective MBR and a GPT header."""
    partition = struct.pack("<B3sB3sII", 0, b"\0\2\0", 0xEE, b"\xff" * 3, 1,
                            size_bytes // 512 - 1)
    mbr = bytes(446) + partition + bytes(48) + b"\x55\xaa"
    return raw_image(path, size_bytes, mbr + b"EFI PART" + bytes(504))


class Glance:
    """Images in files; downloads are counted.

    :ivar downloads: image ids, one for each download.
    """

    def __init__(self):
        self.images = {}
        self.downloads = []

    def add(self, image_id, path, disk_format):
        self.images[image_id] = (path, disk_format)

    def fetch(self, context, image_id, path, trusted_certs):
        if image_id not in self.images:
            raise nova_exception.ImageNotFound(image_id=image_id)
        path_in_store, disk_format = self.images[image_id]
        self.downloads.append(image_id)
        path.write_bytes(path_in_store.read_bytes())
        return {"disk_format": disk_format}


class DirectoryTestCase(unittest.TestCase):
    """:ivar path: a directory of the test's own."""

    def setUp(self):
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.path = pathlib.Path(directory.name)


class CacheTestCase(DirectoryTestCase):
    """A cache below ``path/instances`` and a store of images beside it."""

    def setUp(self):
        super().setUp()
        self.instances = self.path / "instances"
        self.bases = self.instances / "_base"
        self.store = self.path / "store"
        self.store.mkdir()
        self.instances.mkdir()
        self.glance = Glance()

    def make_cache(self, fetch=None, **changes):
        return cache.BaseImageCache(settings(self.instances, **changes),
                                    fetch or self.glance.fetch)

    def left(self):
        """Return the names in the cache's directory."""
        if not self.bases.exists():
            return []
        return sorted(path.name for path in self.bases.iterdir())
