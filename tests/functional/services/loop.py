"""Block devices of this host, made of files."""

import pathlib
import subprocess

import fixtures


class Loop(fixtures.Fixture):
    """A loop device.

    :param size_bytes: of a new file; None: that of ``content``.
    :param content: file to start from.
    :ivar path: of the device.
    """

    def __init__(self, size_bytes=None, content=None):
        self._size_bytes = size_bytes
        self._content = content

    def _setUp(self):
        directory = pathlib.Path(self.useFixture(fixtures.TempDir()).path)
        self.file = directory / "volume"
        self.file.write_bytes(
            self._content.read_bytes() if self._content else b"")
        if self._size_bytes is not None:
            with self.file.open("r+b") as file:
                file.truncate(self._size_bytes)
        self.path = subprocess.run(
            ["losetup", "--find", "--show", self.file], check=True,
            capture_output=True, text=True).stdout.strip()
        self.addCleanup(subprocess.run, ["losetup", "--detach", self.path],
                        check=True)
