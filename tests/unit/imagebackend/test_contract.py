"""All backends, and the fake, keep the same promise."""

import pathlib
import unittest

from nova_custom_driver.imagebackend import cache
from nova_custom_driver.imagebackend import disk_info
from nova_custom_driver.imagebackend import qcow2
from nova_custom_driver.imagebackend import raw
from nova_custom_driver.spec import disk as spec
from tests.contracts import base_cache
from tests.contracts import disk_backend
from tests.fakes import imagebackend as fakes
from tests.unit.imagebackend import factories

EXT_MAGIC = slice(1080, 1082)
SWAP_MAGIC = slice(4086, 4096)


class FileBackendContract(disk_backend.DiskBackendContract):
    """:cvar backend_class: the backend under test."""

    backend_class = None

    def setUp(self):
        super().setUp()
        self.backend = self.backend_class(
            factories.settings(self.instances, **self.changes()),
            self.make_cache())
        for uuid in self.uuids:
            (self.instances / uuid).mkdir()

    def changes(self):
        return {}

    def a_base(self):
        path = factories.raw_image(self.path / "base")
        return cache.Base(path=path, format="raw",
                          virtual_size_bytes=8 * factories.MIB)

    def a_broken_base(self):
        return cache.Base(path=self.path / "missing", format="raw",
                          virtual_size_bytes=8 * factories.MIB)

    def remove_base(self, base):
        base.path.unlink()

    def size_bytes(self, source):
        return factories.virtual_size(source)

    def holds(self, source, plan, base):
        content = self.content(source)
        if base is not None:
            size = base.virtual_size_bytes
            return (content[:512] == factories.CONTENT
                    and not any(content[512:size]))
        if isinstance(plan.content, spec.SwapContent):
            return content[SWAP_MAGIC] == b"SWAPSPACE2"
        label = content[1144:1160].rstrip(b"\0").decode()
        return (content[EXT_MAGIC] == b"\x53\xef"
                and label == plan.content.label)

    def stored(self):
        found = {
            str(path): path.read_bytes()
            for uuid in self.uuids
            for path in (self.instances / uuid).iterdir()
            if path.name != disk_info.NAME}
        records = {
            uuid: disk_info.DiskInfo(self.instances / uuid).all()
            for uuid in self.uuids}
        return found, records

    def is_extract(self, path, format_name, source):
        copy = spec.FileSource(path=path, format=format_name)
        size = self.size_bytes(source)
        return (self.size_bytes(copy) == size
                and factories.content(copy, size)
                == factories.content(source, size))

    def content(self, source):
        return factories.content(source, 8 * factories.MIB)


class Qcow2ContractTest(FileBackendContract, factories.CacheTestCase):
    backend_class = qcow2.Qcow2Backend


class RawContractTest(FileBackendContract, factories.CacheTestCase):
    backend_class = raw.RawBackend


class PreallocatedQcow2ContractTest(Qcow2ContractTest):
    """storage B7."""

    def changes(self):
        return {"preallocate": True}


class PreallocatedRawContractTest(RawContractTest):
    """storage B7."""

    def changes(self):
        return {"preallocate": True}


class MemoryContractTest(disk_backend.DiskBackendContract,
                         unittest.TestCase):

    def setUp(self):
        self.backend = fakes.MemoryBackend()

    def a_base(self):
        return fakes.MemoryBase(path=pathlib.Path("/bases/an-image"))

    def a_broken_base(self):
        self.backend.refuses.add("disk")
        return self.a_base()

    def size_bytes(self, source):
        return self.found(source).size_bytes

    def holds(self, source, plan, base):
        return self.found(source).plan == plan

    def is_extract(self, path, format_name, source):
        return path.read_text() == f"{format_name} of {source.path}"

    def stored(self):
        return dict(self.backend.disks)

    def found(self, source):
        return self.backend.disks[source.path.parent.name, source.path.name]


class CacheContractTest(base_cache.BaseCacheContract,
                        factories.CacheTestCase):

    def setUp(self):
        super().setUp()
        self.glance.add("an-image", factories.image(
            self.store / "an-image", "qcow2"), "qcow2")
        self.cache = self.make_cache()

    def downloads(self):
        return self.glance.downloads


class MemoryCacheContractTest(base_cache.BaseCacheContract,
                              unittest.TestCase):

    def setUp(self):
        self.cache = fakes.MemoryCache({"an-image": fakes.IMAGE_BYTES})

    def downloads(self):
        return self.cache.fetched
