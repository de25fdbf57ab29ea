"""``disk.info``: the format of every file of an instance.

Written once, before a file gets its name, and believed ever after: a guest
can write another format's header into its raw disk, so what is found in a
file says nothing.  The file is a JSON object {path: format}, as the in-tree
driver writes it, replaced as a whole.

An instance's directory belongs to one nova-compute at a time, so a lock
within the process is enough, as it is for the in-tree driver
(``Image.resolve_driver_format``): a lock file for each instance would be left
behind.
"""

import contextlib
import json
import os
import pathlib

from nova import exception as nova_exception
from nova.i18n import _
from oslo_concurrency import lockutils

from nova_custom_driver.imagebackend import files

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

    def all(self) -> dict[pathlib.Path, str]:
        """Return {path: format} of every file recorded."""
        return {pathlib.Path(path): name
                for path, name in self._read().items()}

    def record(self, path: pathlib.Path, format_name: str) -> None:
        """Write a new file's format down; on disk when this returns.

        What was recorded of a file that is gone gives way.

        :raises nova.exception.InvalidDiskInfo: the file is there, with
            another format.
        """
        with self._lock():
            formats = self._read()
            old = formats.get(str(path))
            if old == format_name:
                return
            if old is not None and path.exists():
                raise nova_exception.InvalidDiskInfo(reason=_(
                    "%(path)s was recorded as %(old)s and cannot become "
                    "%(new)s") % {"path": path, "old": old,
                                  "new": format_name})
            self._write({**formats, str(path): format_name})

    def forget(self, path: pathlib.Path) -> None:
        """Take back what was recorded of a file that is gone."""
        with self._lock():
            formats = self._read()
            if formats.pop(str(path), None) is not None:
                self._write(formats)

    def _lock(self) -> contextlib.AbstractContextManager[object]:
        lock: contextlib.AbstractContextManager[object] = lockutils.lock(
            str(self._path), do_log=False)
        return lock

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
        with files.whole(self._path) as part:
            # Not writable for others, whatever the umask.
            file = os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o644)
            with os.fdopen(file, "w") as stream:
                stream.write(json.dumps(formats) + "\n")
