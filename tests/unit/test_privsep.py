import errno
import functools
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import textwrap
import time
import unittest
from unittest import mock

from oslo_privsep import capabilities

from nova_custom_driver import privsep


class PrivsepTestCase(unittest.TestCase):

    def setUp(self):
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.path = pathlib.Path(directory.name)
        self.file = self.path / "file"
        self.file.write_bytes(b"0123456789")
        self.daemon = mock.Mock()
        for name in ("touch", "last_bytes", "remove_tree", "chown"):
            self.patch(privsep, f"_{name}_privileged",
                       functools.partial(self.call_daemon, name))

    def patch(self, *args, **kwargs):
        patch = mock.patch.object(*args, **kwargs)
        patch.start()
        self.addCleanup(patch.stop)

    def call_daemon(self, name, *args):
        return getattr(self.daemon, name)(*args)

    def refuse(self, module, name, number=errno.EACCES):
        self.patch(module, name, side_effect=OSError(number, "refused"))


class UnprivilegedTest(PrivsepTestCase):
    """No daemon is started where the rights at hand are enough."""

    def tearDown(self):
        self.assertEqual([], self.daemon.mock_calls)

    def test_touch(self):
        os.utime(self.file, (1, 1))
        privsep.touch(self.file)
        self.assertLess(time.time() - self.file.stat().st_mtime, 60)

    def test_a_missing_file_is_not_touched(self):
        with self.assertRaises(FileNotFoundError):
            privsep.touch(self.path / "missing")

    def test_the_last_bytes_and_how_many_came_before(self):
        for count, wanted in ((3, (b"789", 7)), (10, (b"0123456789", 0)),
                              (99, (b"0123456789", 0)), (0, (b"", 10))):
            with self.subTest(count):
                self.assertEqual(wanted, privsep.last_bytes(self.file, count))

    def test_a_missing_log_is_told(self):
        with self.assertRaises(FileNotFoundError):
            privsep.last_bytes(self.path / "missing", 3)

    def test_a_tree_is_removed(self):
        tree = self.path / "tree"
        (tree / "a" / "b").mkdir(parents=True)
        (tree / "a" / "file").touch()
        privsep.remove_tree(tree)
        self.assertFalse(tree.exists())

    def test_a_tree_that_is_gone_is_no_error(self):
        privsep.remove_tree(self.path / "missing")

    def test_a_tree_in_which_others_remove_too(self):
        tree = self.path / "tree"
        tree.mkdir()
        self.patch(shutil, "rmtree", side_effect=[
            FileNotFoundError(), shutil.rmtree(tree) or tree.mkdir()])
        privsep.remove_tree(tree)
        self.assertEqual(2, shutil.rmtree.call_count)

    def test_chown_keeps_the_group(self):
        found = self.file.stat()
        with mock.patch.object(os, "chown") as chown:
            privsep.chown(self.file, found.st_uid)
        chown.assert_called_once_with(str(self.file), found.st_uid, -1,
                                      follow_symlinks=False)


class PrivilegedTest(PrivsepTestCase):
    """What the kernel refuses is asked of the daemon."""

    def test_touch(self):
        self.refuse(os, "utime")
        privsep.touch(self.file)
        self.daemon.touch.assert_called_once_with(str(self.file))

    def test_a_touch_that_even_root_is_refused_is_no_error(self):
        """storage C7."""
        self.refuse(os, "utime")
        self.daemon.touch.side_effect = PermissionError("root is squashed")
        with self.assertLogs("nova_custom_driver", "WARNING"):
            privsep.touch(self.file)

    def test_the_last_bytes(self):
        self.patch(privsep, "open", side_effect=PermissionError, create=True)
        self.daemon.last_bytes.return_value = (b"9", 9)
        self.assertEqual((b"9", 9), privsep.last_bytes(self.file, 1))
        self.daemon.last_bytes.assert_called_once_with(str(self.file), 1)

    def test_a_tree(self):
        self.refuse(shutil, "rmtree")
        privsep.remove_tree(self.path)
        self.daemon.remove_tree.assert_called_once_with(str(self.path))

    def test_chown(self):
        self.refuse(os, "chown", errno.EPERM)
        privsep.chown(self.file, 107)
        self.daemon.chown.assert_called_once_with(str(self.file), 107)

    def test_other_errors_are_not_a_matter_of_rights(self):
        self.refuse(shutil, "rmtree", errno.EBUSY)
        with self.assertRaises(OSError):
            privsep.remove_tree(self.path)
        self.assertEqual([], self.daemon.mock_calls)


class DaemonTest(unittest.TestCase):

    def test_a_daemon_has_no_more_than_it_needs(self):
        self.assertEqual(
            {capabilities.CAP_DAC_OVERRIDE, capabilities.CAP_FOWNER},
            set(privsep.file_context.conf.capabilities))
        self.assertEqual(
            {capabilities.CAP_CHOWN, capabilities.CAP_DAC_READ_SEARCH},
            set(privsep.owner_context.conf.capabilities))

    @unittest.skipUnless(os.geteuid() == 0, "needs root to start a daemon")
    def test_what_it_has_is_enough(self):
        """With real daemons, on files of another user that are closed."""
        with tempfile.TemporaryDirectory() as directory:
            found = subprocess.run(
                [sys.executable, "-W", "ignore", "-c", IN_DAEMONS, directory],
                capture_output=True, text=True, timeout=60, check=False)
        self.assertEqual((0, "done"), (found.returncode, found.stdout),
                         found.stderr)


IN_DAEMONS = textwrap.dedent("""
    import os, pathlib, sys
    from oslo_privsep import priv_context
    from nova_custom_driver import privsep

    for context in (privsep.file_context, privsep.owner_context):
        context.start(priv_context.Method.FORK)
    tree = pathlib.Path(sys.argv[1], "tree")
    (tree / "below").mkdir(parents=True)
    log = tree / "below" / "log"
    log.write_bytes(b"0123456789")
    os.utime(log, (1, 1))
    for path in (log, log.parent, tree):
        os.chown(path, 65534, 65534)
        path.chmod(0o000 if path == log else 0o700)
    # From here on this process may do no more than any user.
    os.setegid(12345)
    os.seteuid(12345)
    assert privsep.last_bytes(log, 3) == (b"789", 7)
    privsep.touch(log)
    privsep.chown(log, 54321)
    os.seteuid(0)
    assert log.stat().st_mtime > 1
    assert (log.stat().st_uid, log.stat().st_gid) == (54321, 65534)
    os.seteuid(12345)
    privsep.remove_tree(tree)
    os.seteuid(0)
    assert not tree.exists()
    print("done", end="")
""")
