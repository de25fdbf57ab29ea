from concurrent import futures
import multiprocessing
import os
import signal
import subprocess
import threading
import time
from unittest import mock

from nova import exception as nova_exception
from nova import utils as nova_utils
from nova.virt.libvirt import imagecache as in_tree
from oslo_concurrency import processutils

from nova_custom_driver import exception
from nova_custom_driver import privsep
from nova_custom_driver.imagebackend import acceptance
from nova_custom_driver.imagebackend import files
from nova_custom_driver.imagebackend import filesystem
from nova_custom_driver.imagebackend import image_format
from nova_custom_driver.imagebackend import qemu_img
from nova_custom_driver.spec import disk as spec
from tests.unit.imagebackend import factories

IMAGE = factories.IMAGE
MIB = factories.MIB
# Forked children share the imports, so they start at once.
fork = multiprocessing.get_context("fork")


class CacheTestCase(factories.CacheTestCase):

    def setUp(self):
        super().setUp()
        self.name = in_tree.get_cache_fname(IMAGE)
        self.base = self.bases / self.name

    def add(self, format_name, image_id=IMAGE):
        path = factories.image(self.store / image_id, format_name)
        self.glance.add(image_id, path, format_name)

    def use(self, cache):
        with cache.image(None, IMAGE) as base:
            return base


class ImageTest(CacheTestCase):

    def test_a_base_has_the_in_tree_drivers_name(self):
        """storage C1."""
        self.add("raw")
        self.assertEqual(self.base, self.use(self.make_cache()).path)

    def test_an_image_is_made_raw(self):
        """storage C9."""
        self.add("qcow2")
        base = self.use(self.make_cache())
        self.assertEqual(("raw", 8 * MIB, None), (
            base.format, base.virtual_size_bytes, base.cluster_size_bytes))
        self.assertEqual(factories.CONTENT, base.path.read_bytes()[:512])
        self.assertEqual([self.name], self.left())

    def test_an_image_stays_as_it_is_if_raw_is_not_forced(self):
        self.add("qcow2")
        base = self.use(self.make_cache(force_raw_images=False))
        self.assertEqual(("qcow2", 8 * MIB, 65536), (
            base.format, base.virtual_size_bytes, base.cluster_size_bytes))
        self.assertEqual((self.store / IMAGE).read_bytes(),
                         base.path.read_bytes())
        self.assertEqual([self.name], self.left())

    def test_an_image_is_downloaded_once(self):
        self.add("raw")
        for _ in range(2):
            self.use(self.make_cache())
        self.assertEqual([IMAGE], self.glance.downloads)

    def test_a_cached_image_takes_one_look_and_no_process(self):
        self.add("raw")
        cache = self.make_cache()
        self.use(cache)
        with mock.patch.object(image_format, "read",
                               wraps=image_format.read) as read, \
                mock.patch.object(subprocess, "Popen") as execute:
            cache = self.make_cache()
            for _ in range(3):
                self.use(cache)
        self.assertEqual(1, read.call_count)
        execute.assert_not_called()

    def test_another_file_of_that_name_is_looked_at_again(self):
        self.add("raw")
        cache = self.make_cache()
        self.use(cache)
        factories.raw_image(self.path / "other", 9 * MIB)
        os.rename(self.path / "other", self.base)
        self.assertEqual(9 * MIB, self.use(cache).virtual_size_bytes)

    def test_a_base_is_touched_when_it_is_used(self):
        """storage C7."""
        self.add("raw")
        cache = self.make_cache()
        self.use(cache)
        os.utime(self.base, (1, 1))
        self.use(cache)
        self.assertLess(time.time() - self.base.stat().st_mtime, 60)

    def test_a_base_the_cleaner_was_quicker_to_remove_is_made_again(self):
        self.add("raw")
        cache = self.make_cache()
        self.use(cache)
        touch = privsep.touch

        def clean_first(path):
            if len(self.glance.downloads) == 1:
                path.unlink()
            touch(path)

        with mock.patch.object(privsep, "touch", clean_first):
            self.assertTrue(self.use(cache).path.exists())
        self.assertEqual([IMAGE, IMAGE], self.glance.downloads)

    def test_a_base_that_is_not_safe_is_refused(self):
        """storage B2: it may be older than today's checks."""
        self.bases.mkdir()
        factories.qemu_img("create", "-f", "qcow2", "-b", "/etc/passwd",
                           "-F", "raw", self.base, "1M")
        with self.assertRaises(nova_exception.InvalidDiskInfo):
            self.use(self.make_cache())

    def test_an_operator_can_turn_the_inspection_off(self):
        """storage C8: of images and bases alike."""
        self.add("qcow2")
        cache = self.make_cache(deep_inspection=False)
        with mock.patch.object(image_format, "_inspect") as inspect:
            base = self.use(cache)
        inspect.assert_not_called()
        self.assertEqual(("raw", 8 * MIB), (
            base.format, base.virtual_size_bytes))

    def test_prefetching_says_whether_there_was_anything_to_do(self):
        """storage C11."""
        self.add("qcow2")
        cache = self.make_cache()
        self.assertTrue(cache.prefetch(None, IMAGE))
        self.assertFalse(cache.prefetch(None, IMAGE))
        self.assertEqual("raw", self.use(cache).format)

    def test_trusted_certificates_reach_the_download(self):
        fetch = mock.Mock(side_effect=self.glance.fetch)
        self.add("raw")
        certs = object()
        with self.make_cache(fetch).image("context", IMAGE, certs):
            pass
        fetch.assert_called_once_with(
            "context", IMAGE, files.part_of(self.base), certs)


class FailureTest(CacheTestCase):
    """storage C2: nothing half made is used or left."""

    def assert_nothing_left(self, error, cache=None):
        with self.assertRaises(error):
            self.use(cache or self.make_cache())
        self.assertEqual([], self.left())

    def test_a_download_that_fails(self):
        def fetch(context, image_id, path, trusted_certs):
            path.write_bytes(b"half")
            raise nova_exception.ImageNotFound(image_id=image_id)

        self.assert_nothing_left(nova_exception.ImageNotFound,
                                 self.make_cache(fetch))

    def test_a_full_disk_is_this_hosts_failure(self):
        def fetch(context, image_id, path, trusted_certs):
            path.write_bytes(b"half")
            raise OSError(28, "No space left on device")

        self.assert_nothing_left(exception.HostError, self.make_cache(fetch))

    def test_an_image_that_claims_to_be_another(self):
        path = factories.image(self.store / IMAGE, "qcow2")
        self.glance.add(IMAGE, path, "raw")
        self.assert_nothing_left(nova_exception.ImageUnacceptable)

    def test_an_image_that_cannot_be_converted(self):
        self.add("qcow2")
        # Behind the header: the table of where the clusters are.
        with (self.store / IMAGE).open("r+b") as file:
            file.seek(40)
            file.write(b"\xff" * 8)
        self.assert_nothing_left(nova_exception.ImageUnacceptable)

    def test_an_image_within_the_image(self):
        """storage C9: the in-tree driver would take it for its format."""
        inner = factories.image(self.path / "inner", "qcow2")
        factories.qemu_img("convert", "-f", "raw", "-O", "qcow2", inner,
                           self.store / IMAGE)
        self.glance.add(IMAGE, self.store / IMAGE, "qcow2")
        self.assert_nothing_left(nova_exception.ImageUnacceptable)

    def test_the_next_caller_starts_anew(self):
        self.add("raw")
        cache = self.make_cache(mock.Mock(
            side_effect=[nova_exception.ImageNotFound(image_id=IMAGE)]))
        self.assert_nothing_left(nova_exception.ImageNotFound, cache)
        self.assertEqual("raw", self.use(self.make_cache()).format)


class TogetherTest(CacheTestCase):
    """storage C6: one download, however many boots ask at once."""

    def setUp(self):
        super().setUp()
        self.add("qcow2")
        self.log = self.path / "downloads"

    def slow_fetch(self, context, image_id, path, trusted_certs):
        with self.log.open("a") as log:
            log.write(f"{image_id}\n")
        image = self.glance.fetch(context, image_id, path, trusted_certs)
        time.sleep(0.2)
        return image

    def downloads(self):
        return self.log.read_text().splitlines()

    def test_threads(self):
        cache = self.make_cache(self.slow_fetch)
        with futures.ThreadPoolExecutor(10) as pool:
            bases = list(pool.map(lambda _: self.use(cache), range(10)))
        self.assertEqual([IMAGE], self.downloads())
        self.assertEqual(1, len(set(bases)))

    def test_processes(self):
        barrier = fork.Barrier(4)

        def boot():
            cache = self.make_cache(self.slow_fetch)
            barrier.wait()
            ok = self.use(cache).path.read_bytes()[:512] == factories.CONTENT
            os._exit(0 if ok else 1)

        children = [fork.Process(target=boot) for _ in range(4)]
        for child in children:
            child.start()
        for child in children:
            child.join()
        self.assertEqual([0] * 4, [child.exitcode for child in children])
        self.assertEqual([IMAGE], self.downloads())

    def test_other_images_are_not_held_up(self):
        self.add("raw", "another")
        started, go_on = threading.Event(), threading.Event()

        def fetch(context, image_id, path, trusted_certs):
            if image_id == IMAGE:
                started.set()
                go_on.wait(10)
            return self.glance.fetch(context, image_id, path, trusted_certs)

        cache = self.make_cache(fetch)
        with futures.ThreadPoolExecutor() as pool:
            slow = pool.submit(self.use, cache)
            started.wait(10)
            with cache.image(None, "another"):
                self.assertFalse(slow.done())
            go_on.set()
            self.assertEqual("raw", slow.result().format)

    def test_the_in_tree_driver_is_waited_for(self):
        locks = str(self.instances / "locks")
        locked, release = fork.Event(), fork.Event()

        @nova_utils.synchronized(self.name, external=True, lock_path=locks)
        def in_tree_driver():
            locked.set()
            release.wait(10)
            self.bases.mkdir(exist_ok=True)
            factories.raw_image(self.base)

        child = fork.Process(target=in_tree_driver)
        child.start()
        self.assertTrue(locked.wait(10))
        with futures.ThreadPoolExecutor() as pool:
            waiting = pool.submit(self.use, self.make_cache(self.slow_fetch))
            with self.assertRaises(TimeoutError):
                waiting.result(0.3)
            release.set()
            self.assertEqual("raw", waiting.result(10).format)
        child.join()
        self.assertFalse(self.log.exists())


class CrashTest(CacheTestCase):
    """storage C2: killed in the middle, the next caller gets it whole."""

    def setUp(self):
        super().setUp()
        self.add("qcow2")
        self.half_way = fork.Event()

    def stop(self):
        """Say that the middle is reached, and wait for the end."""
        self.half_way.set()
        time.sleep(60)

    def kill(self, boot):
        child = fork.Process(target=boot)
        child.start()
        self.assertTrue(self.half_way.wait(10))
        os.kill(child.pid, signal.SIGKILL)
        child.join()

    def in_download(self):
        def fetch(context, image_id, path, trusted_certs):
            path.write_bytes((self.store / IMAGE).read_bytes()[:4096])
            self.stop()

        self.use(self.make_cache(fetch))

    def in_conversion(self):
        def convert(source, source_format, path, image_id, **_):
            factories.raw_image(path, MIB)
            self.stop()

        with mock.patch.object(qemu_img, "convert_to_raw", convert):
            self.use(self.make_cache())

    def before_the_name(self):
        with mock.patch.object(files, "publish", lambda *_: self.stop()):
            self.use(self.make_cache())

    def test_killed(self):
        for boot in (self.in_download, self.in_conversion,
                     self.before_the_name):
            with self.subTest(boot.__name__):
                self.half_way.clear()
                self.kill(boot)
                self.assertNotEqual([], self.left())
                self.assertNotIn(self.name, self.left())
                base = self.use(self.make_cache())
                self.assertEqual(factories.CONTENT,
                                 base.path.read_bytes()[:512])
                self.assertEqual(8 * MIB, base.path.stat().st_size)
                self.assertEqual([self.name], self.left())
                self.base.unlink()

    def test_what_was_cut_off_is_removed(self):
        for boot in (self.in_download, self.in_conversion):
            self.half_way.clear()
            self.kill(boot)
        self.make_cache().remove_unfinished()
        self.assertEqual([], self.left())

    def test_what_is_being_made_is_not_removed(self):
        child = fork.Process(target=self.in_download)
        child.start()
        self.assertTrue(self.half_way.wait(10))
        self.make_cache().remove_unfinished()
        self.assertEqual([f"{self.name}.part"], self.left())
        os.kill(child.pid, signal.SIGKILL)
        child.join()

    def test_finished_bases_are_not_removed(self):
        cache = self.make_cache()
        self.use(cache)
        cache.remove_unfinished()
        self.assertEqual([self.name], self.left())


class KernelTest(CacheTestCase):
    """storage F7."""

    def setUp(self):
        super().setUp()
        self.kernel = self.path / "kernel"
        self.content = b"MZ a kernel" + bytes(range(256)) * 20
        (self.store / IMAGE).write_bytes(self.content)
        self.glance.add(IMAGE, self.store / IMAGE, "aki")

    def test_a_kernel_is_copied_byte_for_byte(self):
        self.make_cache().kernel(None, IMAGE, self.kernel)
        self.assertEqual(self.content, self.kernel.read_bytes())

    def test_a_kernel_is_downloaded_once(self):
        for _ in range(2):
            self.make_cache().kernel(None, IMAGE, self.kernel)
        self.assertEqual([IMAGE], self.glance.downloads)
        self.assertEqual([self.name], self.left())

    def test_a_kernel_may_look_like_a_disk(self):
        factories.image(self.store / IMAGE, "qcow2")
        self.make_cache().kernel(None, IMAGE, self.kernel)
        self.assertEqual((self.store / IMAGE).read_bytes(),
                         self.kernel.read_bytes())

    def test_nothing_is_left_of_a_failure(self):
        cache = self.make_cache(mock.Mock(
            side_effect=nova_exception.ImageNotFound(image_id=IMAGE)))
        with self.assertRaises(nova_exception.ImageNotFound):
            cache.kernel(None, IMAGE, self.kernel)
        self.assertEqual([], self.left())
        self.assertFalse(self.kernel.exists())

    def test_a_place_it_cannot_be_copied_to_is_this_hosts_failure(self):
        with self.assertRaisesRegex(exception.HostError, "copy image"):
            self.make_cache().kernel(None, IMAGE, self.path / "no" / "kernel")


class GeneratedTest(CacheTestCase):
    """storage C3, C4, C5, B10."""

    LINUX = spec.EphemeralContent(label="ephemeral0", os_type="linux")

    def test_swap(self):
        with self.make_cache().swap(16) as base:
            self.assertEqual((self.bases / "swap_16", "raw", 16 * MIB), (
                base.path, base.format, base.virtual_size_bytes))
            self.assertEqual(b"SWAPSPACE2", base.path.read_bytes()[4086:4096])
        self.assertEqual(["swap_16"], self.left())

    def test_ephemeral(self):
        with self.make_cache().ephemeral(1, self.LINUX) as base:
            self.assertEqual((self.bases / "ephemeral_1_0706d66", "raw",
                              factories.GIB), (
                base.path, base.format, base.virtual_size_bytes))
            with base.path.open("rb") as file:
                superblock = file.read(2048)[1024:]
        self.assertEqual(b"\x53\xef", superblock[56:58])
        self.assertEqual(b"ephemeral0", superblock[120:136].rstrip(b"\0"))

    def test_an_operators_command_makes_it(self):
        line = "linux=mkfs.ext2 -q -F -L mine %(target)s"
        with mock.patch.object(filesystem.fs, "_MKFS_COMMAND", {}), \
                self.make_cache(mkfs_commands=(line,)).ephemeral(
                    1, self.LINUX) as base:
            self.assertNotEqual("ephemeral_1_0706d66", base.path.name)
            self.assertIn("mine", factories.run("blkid", "-p", base.path))

    def test_each_is_made_once(self):
        cache = self.make_cache()

        def boot(_):
            with cache.ephemeral(1, self.LINUX), cache.swap(16):
                pass

        with mock.patch.object(
                filesystem, "format_swap",
                wraps=filesystem.format_swap) as swap, mock.patch.object(
                filesystem, "format_ephemeral",
                wraps=filesystem.format_ephemeral) as ephemeral, \
                futures.ThreadPoolExecutor(8) as pool:
            list(pool.map(boot, range(8)))
        self.assertEqual((1, 1), (swap.call_count, ephemeral.call_count))

    def test_one_the_in_tree_driver_is_just_making_is_waited_for(self):
        """It makes them in place, so that the file is there is not enough."""
        self.bases.mkdir()
        locked, release = fork.Event(), fork.Event()

        @nova_utils.synchronized("swap_16", external=True,
                                 lock_path=str(self.instances / "locks"))
        def in_tree_driver():
            (self.bases / "swap_16").touch()
            locked.set()
            release.wait(10)

        def boot():
            with self.make_cache().swap(16):
                pass

        child = fork.Process(target=in_tree_driver)
        child.start()
        self.assertTrue(locked.wait(10))
        with futures.ThreadPoolExecutor() as pool:
            waiting = pool.submit(boot)
            with self.assertRaises(TimeoutError):
                waiting.result(0.3)
            release.set()
            waiting.result(10)
        child.join()

    def test_nothing_is_left_of_a_failure(self):
        with mock.patch.object(
                filesystem.fs, "configurable_mkfs",
                side_effect=processutils.ProcessExecutionError(stderr="no")), \
                self.assertRaisesRegex(exception.HostError, "no"), \
                self.make_cache().ephemeral(1, self.LINUX):
            pass
        self.assertEqual([], self.left())

    def test_a_base_that_is_there_is_touched(self):
        with self.make_cache().swap(16) as base:
            os.utime(base.path, (1, 1))
        with self.make_cache().swap(16) as base:
            self.assertLess(time.time() - base.path.stat().st_mtime, 60)


class LimitsTest(CacheTestCase):

    def test_limits_are_those_of_the_settings(self):
        """storage C9."""
        limits = acceptance.limits(factories.settings(
            self.path, cpu_time_limit_seconds=7,
            address_space_limit_bytes=1 << 30))
        self.assertEqual(
            ("prlimit", "--cpu=7", "--as=1073741824", "--"),
            limits.prefix())
