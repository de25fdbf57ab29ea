"""What every disk backend has to pass, ours, fakes and plug-ins.

A plug-in's own tests subclass it together with ``unittest.TestCase``::

    class MyBackendTest(disk_backend.DiskBackendContract, unittest.TestCase):

        def setUp(self):
            self.backend = MyBackend(settings, bases)
        ...

and say how to look at the storage in the methods that raise
``NotImplementedError``.  ``uuids`` are instances that may own disks; where
the storage needs something made for an instance first, ``setUp`` makes it.
"""

from concurrent import futures
import pathlib
import tempfile

from nova import exception as nova_exception

from nova_custom_driver import exception
from nova_custom_driver import units
from nova_custom_driver.spec import disk as spec

MIB = units.BYTES_PER_MIB
GIB = units.BYTES_PER_GIB
BASE_BYTES = 8 * MIB


class DiskBackendContract:
    """storage B1, B2, B10, B12."""

    backend = None
    uuids = ("6d2b4ca1-1d0b-4c56-8d0a-6b7f6b9f0c11",
             "b1b8d0a5-44f9-4a1c-9c0d-0f7d6f3a2e22")

    # How to look at the storage.

    def a_base(self):
        """Return a finished base of 8 MiB that is not all zeros."""
        raise NotImplementedError

    def a_broken_base(self):
        """Return a base from which no disk can be made."""
        raise NotImplementedError

    def remove_base(self, base):
        """Take the base away."""
        raise NotImplementedError

    def size_bytes(self, source):
        """Return the size the guest would see."""
        raise NotImplementedError

    def holds(self, source, plan, base):
        """Return whether the disk starts with ``base``, or the content that
        ``plan`` names where that is None."""
        raise NotImplementedError

    def is_extract(self, path, format_name, source):
        """Return whether a file holds all that the guest would read."""
        raise NotImplementedError

    def stored(self):
        """Return the names of all that is stored for ``uuids``, records
        included, however they are spelled; used to compare only."""
        raise NotImplementedError

    # Plans

    def a_plan(self, **changes):
        return spec.DiskPlan(**{
            "name": "disk", "target": "vda", "bus": spec.Bus.VIRTIO,
            "content": spec.ImageContent(image_id="an-image"),
            "size_bytes": 16 * MIB, **changes})

    def an_ephemeral(self, index=0, **changes):
        return self.a_plan(
            name=f"disk.eph{index}", target="vdb", size_bytes=1 * GIB,
            content=spec.EphemeralContent(label=f"ephemeral{index}",
                                          os_type="linux", **changes))

    def a_swap(self):
        return self.a_plan(name="disk.swap", target="vdc",
                           content=spec.SwapContent(), size_bytes=16 * MIB)

    def create(self, plan, base=None, uuid=None):
        return self.backend.create(uuid or self.uuids[0], plan, base)

    # The promise

    def test_a_disk_is_there_once_it_is_made(self):
        plan = self.a_plan()
        self.assertFalse(self.backend.exists(self.uuids[0], plan))
        source = self.create(plan, self.a_base())
        self.assertTrue(self.backend.exists(self.uuids[0], plan))
        self.assertEqual(source, self.backend.source(self.uuids[0], plan))

    def test_a_disk_holds_its_base_and_is_as_large_as_planned(self):
        plan, base = self.a_plan(), self.a_base()
        source = self.create(plan, base)
        self.assertTrue(self.holds(source, plan, base))
        self.assertEqual(16 * MIB, self.size_bytes(source))

    def test_a_disk_without_a_size_is_as_large_as_its_base(self):
        source = self.create(self.a_plan(size_bytes=None), self.a_base())
        self.assertEqual(BASE_BYTES, self.size_bytes(source))

    def test_a_disk_may_be_just_as_large_as_its_base(self):
        source = self.create(self.a_plan(size_bytes=BASE_BYTES),
                             self.a_base())
        self.assertEqual(BASE_BYTES, self.size_bytes(source))

    def test_a_base_too_large_is_refused(self):
        """storage B2: Nova then gives up, as no host can do it."""
        base, before = self.a_base(), self.stored()
        with self.assertRaises(nova_exception.FlavorDiskSmallerThanImage):
            self.create(self.a_plan(size_bytes=BASE_BYTES - MIB), base)
        self.assertEqual(before, self.stored())

    def test_only_a_backend_that_says_so_needs_the_base_later(self):
        plan, base = self.a_plan(), self.a_base()
        source = self.create(plan, base)
        if self.backend.keeps_base:
            return
        self.remove_base(base)
        self.assertEqual(16 * MIB, self.size_bytes(source))

    def test_a_disk_grows_and_never_shrinks(self):
        """storage B8, B9."""
        plan, base = self.a_plan(), self.a_base()
        source = self.create(plan, base)
        for asked, size in ((24 * MIB, 24 * MIB), (8 * MIB, 24 * MIB),
                            (24 * MIB, 24 * MIB)):
            self.backend.extend(source, asked)
            self.assertEqual(size, self.size_bytes(source))
        self.assertTrue(self.holds(source, plan, base))

    def test_a_file_system_grows_with_its_disk(self):
        plan = self.an_ephemeral()
        source = self.create(plan)
        self.backend.extend(source, 2 * GIB)
        self.assertEqual(2 * GIB, self.size_bytes(source))
        self.assertTrue(self.holds(source, plan, None))

    def test_what_is_extracted_needs_no_base(self):
        """storage N1."""
        plan, base = self.a_plan(), self.a_base()
        source = self.create(plan, base)
        with tempfile.TemporaryDirectory() as directory:
            for format_name, compressed in (
                    ("raw", False), ("qcow2", False), ("qcow2", True),
                    ("vmdk", False), ("vdi", True)):
                path = pathlib.Path(directory, f"{format_name}{compressed}")
                self.backend.extract(source, path, format_name,
                                     compressed=compressed)
                self.assertTrue(self.is_extract(path, format_name, source))

    def test_what_cannot_be_extracted_leaves_nothing(self):
        source = self.create(self.a_plan(), self.a_base())
        missing = pathlib.Path("/nowhere/at/all")
        with self.assertRaises(exception.HostError):
            self.backend.extract(source, missing, "raw", compressed=False)
        self.assertFalse(missing.exists())

    def test_an_ephemeral_disk_has_its_file_system(self):
        for plan in (self.an_ephemeral(), self.an_ephemeral(1),
                     self.an_ephemeral(2, filesystem="ext3")):
            with self.subTest(plan.name):
                source = self.create(plan)
                self.assertTrue(self.holds(source, plan, None))
                self.assertEqual(1 * GIB, self.size_bytes(source))

    def test_an_unknown_file_system_is_refused(self):
        before = self.stored()
        with self.assertRaises(nova_exception.InvalidBDMFormat):
            self.create(self.an_ephemeral(filesystem="reiser5"))
        self.assertEqual(before, self.stored())

    def test_a_swap_disk_is_swap_space(self):
        """storage B10."""
        source = self.create(self.a_swap())
        self.assertTrue(self.holds(source, self.a_swap(), None))
        self.assertEqual(16 * MIB, self.size_bytes(source))

    def test_nothing_is_left_of_a_disk_that_could_not_be_made(self):
        base, before = self.a_broken_base(), self.stored()
        with self.assertRaises(nova_exception.NovaException):
            self.create(self.a_plan(), base)
        self.assertFalse(self.backend.exists(self.uuids[0], self.a_plan()))
        self.assertEqual(before, self.stored())

    def test_a_disk_is_never_made_over_another(self):
        plan, base = self.a_plan(), self.a_base()
        source = self.create(plan, base)
        before = self.stored()
        with self.assertRaises(nova_exception.NovaException):
            self.create(plan, base)
        self.assertEqual(before, self.stored())
        self.assertTrue(self.holds(source, plan, base))

    def test_a_deleted_disk_is_gone_and_can_be_made_again(self):
        plan, base = self.a_plan(), self.a_base()
        source = self.create(plan, base)
        self.backend.delete(self.uuids[0], source)
        self.assertFalse(self.backend.exists(self.uuids[0], plan))
        self.assertEqual(source, self.create(plan, base))

    def test_a_disk_that_is_gone_can_be_deleted(self):
        source = self.create(self.a_plan(), self.a_base())
        self.backend.delete(self.uuids[0], source)
        self.backend.delete(self.uuids[0], source)

    def test_guests_do_not_share_disks(self):
        plan, base = self.a_plan(), self.a_base()
        one = self.create(plan, base, self.uuids[0])
        self.assertFalse(self.backend.exists(self.uuids[1], plan))
        other = self.create(plan, base, self.uuids[1])
        self.assertNotEqual(one, other)
        self.backend.delete(self.uuids[0], one)
        self.assertTrue(self.backend.exists(self.uuids[1], plan))

    def test_disks_of_a_guest_are_made_side_by_side(self):
        base = self.a_base()
        plans = [(self.a_plan(), base), (self.an_ephemeral(), None),
                 (self.a_swap(), None)]
        with futures.ThreadPoolExecutor() as pool:
            sources = list(pool.map(lambda each: self.create(*each), plans))
        self.assertEqual(
            sources, [self.backend.source(self.uuids[0], plan)
                      for plan, _ in plans])
