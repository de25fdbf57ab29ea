"""``disk.info``: the format of every file of an instance.

Written once, when a file is made, and believed ever after: a guest can write
another format's header into its raw disk, so what is found in a file says
nothing.  The file is a JSON object {path: format}, as the in-tree driver
writes it.
"""

import json
import os
import pathlib

from nova import exception as nova_exception
from nova.i18n import _
from oslo_concurrency import lockutils

FORMATS = frozenset(("raw", "qcow2", "ploop"))
NAME = "disk.info"


class DiskInfo:
    """The recorded formats of one instance's directory."""

    def __init__(self, directory: pathlib.Path) -> None:
        self._path = directory / NAME

    def format(self, path: pathlib.Path) -> str | None:
        """Return the format that was recorded; None: none was.

        :raises nova.exception.InvalidDiskInfo: the file is damaged, or names
            a format this driver does not know.
        """
        name = self._read().get(str(path))
        if name is not None and name not in FORMATS:
            raise nova_exception.InvalidDiskInfo(reason=_(
                "%(file)s gives %(path)s the unknown format %(format)s") % {
                    "file": self._path, "path": path, "format": name})
        return name

    def record(self, path: pathlib.Path, format_name: str) -> None:
        """Write a new file's format down.

        :raises nova.exception.InvalidDiskInfo: another one was recorded.
        """
        with self._lock():
            formats = self._read()
            if formats.setdefault(str(path), format_name) != format_name:
                raise nova_exception.InvalidDiskInfo(reason=_(
                    "%(path)s was recorded as %(old)s and cannot become "
                    "%(new)s") % {"path": path, "old": formats[str(path)],
                                  "new": format_name})
            self._write(formats)

    def forget(self, path: pathlib.Path) -> None:
        """Take back what was recorded of a file that is gone."""
        with self._lock():
            formats = self._read()
            if formats.pop(str(path), None) is not None:
                self._write(formats)

    def _lock(self) -> lockutils.Semaphores:
        return lockutils.lock(str(self._path), "nova-custom-driver-")

    def _read(self) -> dict[str, str]:
        try:
            text = self._path.read_text()
        except FileNotFoundError:
            return {}
        try:
            formats = json.loads(text or "{}")
        except ValueError as error:
            raise nova_exception.InvalidDiskInfo(reason=_(
                "%(file)s cannot be read: %(error)s") % {
                    "file": self._path, "error": error}) from error
        if not isinstance(formats, dict):
            raise nova_exception.InvalidDiskInfo(
                reason=_("%s holds no object") % self._path)
        return formats

    def _write(self, formats: dict[str, str]) -> None:
        part = self._path.with_suffix(".info.tmp")
        file = os.open(part, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o644)
        with os.fdopen(file, "w") as stream:
            stream.write(json.dumps(formats) + "\n")
            stream.flush()
            os.fdatasync(stream.fileno())
        os.rename(part, self._path)
