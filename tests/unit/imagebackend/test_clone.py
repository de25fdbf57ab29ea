import errno
import os
from unittest import mock

from hypothesis import given
from hypothesis import settings
from hypothesis import strategies as st

from nova_custom_driver.imagebackend import clone
from tests.unit.imagebackend import factories

BLOCK = 4096
# Blocks of a sparse file: None is a hole.
blocks = st.lists(st.none() | st.binary(min_size=1, max_size=8), max_size=12)


class CloneTest(factories.DirectoryTestCase):

    def setUp(self):
        super().setUp()
        self.source = self.path / "source"
        self.copy = self.path / "copy"

    def write(self, content):
        with self.source.open("wb") as file:
            for index, block in enumerate(content):
                if block is not None:
                    file.seek(index * BLOCK)
                    file.write(block)
            file.truncate(len(content) * BLOCK)

    @settings(deadline=None)
    @given(blocks)
    def test_a_copy_is_the_same(self, content):
        self.write(content)
        clone.copy(self.source, self.copy)
        self.assertEqual(self.source.read_bytes(), self.copy.read_bytes())

    @settings(deadline=None)
    @given(blocks, st.sampled_from(sorted(clone.UNSUPPORTED)))
    def test_a_copy_is_the_same_where_the_kernel_cannot(self, content, error):
        self.write(content)
        with mock.patch.object(os, "copy_file_range",
                               side_effect=OSError(error, "no")), \
                mock.patch.object(clone, "MEMORY_CHUNK", 1000):
            clone.copy(self.source, self.copy)
        self.assertEqual(self.source.read_bytes(), self.copy.read_bytes())

    def test_holes_stay_holes(self):
        factories.raw_image(self.source, 1 << 30)
        clone.copy(self.source, self.copy)
        self.assertEqual(1 << 30, self.copy.stat().st_size)
        self.assertLess(self.copy.stat().st_blocks * 512, 1 << 20)

    def test_a_copy_may_be_larger(self):
        factories.raw_image(self.source, BLOCK)
        clone.copy(self.source, self.copy, 3 * BLOCK)
        self.assertEqual(self.source.read_bytes() + bytes(2 * BLOCK),
                         self.copy.read_bytes())

    def test_other_errors_are_not_swallowed(self):
        factories.raw_image(self.source)
        with mock.patch.object(os, "copy_file_range",
                               side_effect=OSError(errno.ENOSPC, "full")), \
                self.assertRaisesRegex(OSError, "full"):
            clone.copy(self.source, self.copy)

    def test_a_source_cut_short_meanwhile_is_an_error(self):
        factories.raw_image(self.source)
        with mock.patch.object(os, "copy_file_range", return_value=0), \
                self.assertRaisesRegex(OSError, "shorter"):
            clone.copy(self.source, self.copy)

    def test_an_empty_file_takes_no_blocks(self):
        clone.empty(self.copy, 1 << 40)
        self.assertEqual((1 << 40, 0), (self.copy.stat().st_size,
                                        self.copy.stat().st_blocks))
