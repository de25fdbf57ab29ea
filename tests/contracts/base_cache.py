"""What every base cache has to pass, the real one and the fake."""

import inspect
import pathlib
import tempfile

from nova import exception as nova_exception

from nova_custom_driver import units
from nova_custom_driver.imagebackend import base
from nova_custom_driver.spec import disk as spec

IMAGE_BYTES = 8 * units.BYTES_PER_MIB


class BaseCacheContract:
    """The subclass sets ``cache``, to which "an-image" of 8 MiB is known."""

    cache = None

    def downloads(self):
        """Return the ids of images that were downloaded, in order."""
        raise NotImplementedError

    def test_it_takes_what_the_promise_says(self):
        for name, promise in inspect.getmembers(base.BaseCache,
                                                inspect.isfunction):
            if name.startswith("_"):
                continue
            with self.subTest(name):
                wanted = list(inspect.signature(promise).parameters)[1:]
                found = inspect.signature(getattr(self.cache, name))
                self.assertEqual(wanted, list(found.parameters))

    def test_a_base_tells_its_size_and_format(self):
        with self.cache.image(None, "an-image") as found:
            self.assertEqual((IMAGE_BYTES, "raw", None), (
                found.virtual_size_bytes, found.format,
                found.cluster_size_bytes))

    def test_an_image_is_downloaded_once(self):
        for _ in range(2):
            with self.cache.image(None, "an-image"):
                pass
        self.assertFalse(self.cache.prefetch(None, "an-image"))
        self.assertEqual(["an-image"], self.downloads())

    def test_an_image_can_be_fetched_ahead(self):
        self.assertTrue(self.cache.prefetch(None, "an-image"))
        self.assertEqual(["an-image"], self.downloads())

    def test_an_image_glance_does_not_have(self):
        with self.assertRaises(nova_exception.ImageNotFound), \
                self.cache.image(None, "no-image"):
            pass

    def test_a_kernel_is_there_or_not(self):
        with tempfile.TemporaryDirectory() as name:
            kernel = pathlib.Path(name, "kernel")
            with self.assertRaises(nova_exception.ImageNotFound):
                self.cache.kernel(None, "no-image", kernel)
            self.assertFalse(kernel.exists())
            self.cache.kernel(None, "an-image", kernel)
            self.assertTrue(kernel.exists())

    def test_generated_bases_are_as_large_as_asked_for(self):
        content = spec.EphemeralContent(label="ephemeral0")
        with self.cache.ephemeral(1, content) as ephemeral, \
                self.cache.swap(16) as swap:
            self.assertEqual(
                (units.BYTES_PER_GIB, 16 * units.BYTES_PER_MIB),
                (ephemeral.virtual_size_bytes, swap.virtual_size_bytes))

    def test_there_is_nothing_unfinished(self):
        with self.cache.image(None, "an-image"):
            pass
        self.cache.remove_unfinished()
        self.assertFalse(self.cache.prefetch(None, "an-image"))
