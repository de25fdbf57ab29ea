"""What is being made for which instance, written down before it is made.

One file an operation, ``<directory>/<instance uuid>``, one JSON object a
line.  The file goes when the operation has ended well or was undone whole.
What is found at the next start was cut off in the middle.
"""

from collections.abc import Iterator, Mapping
import contextlib
import dataclasses
import enum
import json
import os
import pathlib
import threading
import types
from typing import Self

from oslo_log import log as logging
from oslo_utils import uuidutils

LOG = logging.getLogger(__name__)


class Kind(enum.StrEnum):
    """Host resources that outlive the process that made them.

    MIRROR is the copy of a running guest's disk, by the disk's name in the
    guest; SAVED_MEMORY a guest that was stopped to be started again.
    """

    DIRECTORY = "directory"
    FILE = "file"
    VIF = "vif"
    DOMAIN = "domain"
    MIRROR = "mirror"
    SAVED_MEMORY = "saved memory"
    VOLUME = "volume"
    MDEV = "mediated device"


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Resource:
    """:ivar detail: what undoing needs beside the name, as plain JSON."""

    kind: Kind
    name: str
    detail: Mapping[str, object] = dataclasses.field(default_factory=dict)


class Entry:
    """The journal of one operation on one instance; for all its threads.

    As a context manager it is closed when the block ends well.  A block that
    raises leaves it open: only its caller knows whether undoing was whole.
    """

    def __init__(self, path: pathlib.Path) -> None:
        self._path = path
        self._file: int | None = None
        self._lock = threading.Lock()

    def note(self, *resources: Resource) -> None:
        """Write ``resources`` down; on disk when this returns.

        :raises OSError: the journal cannot be written, so nothing may be
            made.
        """
        lines = "".join(
            json.dumps(dataclasses.asdict(resource)) + "\n"
            for resource in resources)
        with self._lock:
            if self._file is None:
                self._file = self._create()
            # The line break in front: a line that was cut off earlier must
            # not swallow this one.
            _write(self._file, f"\n{lines}".encode())
            os.fdatasync(self._file)

    def close(self) -> None:
        """Forget the operation; what it made is the instance's now, or gone.

        Forgotten on disk as well when this returns: an entry that came back
        after a power cut would have a finished guest undone.
        """
        self.release()
        with contextlib.suppress(FileNotFoundError):
            self._path.unlink()
            _sync_directory(self._path.parent)

    def release(self) -> None:
        """Stop writing but keep the file for the next start."""
        with self._lock:
            if self._file is not None:
                os.close(self._file)
                self._file = None

    def _create(self) -> int:
        _make_directory(self._path.parent)
        file = os.open(self._path,
                       os.O_CREAT | os.O_WRONLY | os.O_APPEND, 0o600)
        try:
            # Without this a power cut can lose the name of a synced file.
            _sync_directory(self._path.parent)
        except OSError:
            os.close(file)
            raise
        return file

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None,
                 error: BaseException | None,
                 traceback: types.TracebackType | None) -> None:
        if error is None:
            self.close()
        else:
            self.release()


class Journal:
    """The open operations of one host.

    :param directory: ``instances_path/.journal/<host>``; the host is part of
        it because the instances path may be shared.
    """

    def __init__(self, directory: pathlib.Path) -> None:
        self._directory = directory

    def entry(self, instance_uuid: str) -> Entry:
        """Return the journal of an operation on that instance."""
        return Entry(self._directory / instance_uuid)

    def unfinished(self) -> dict[str, tuple[Resource, ...]]:
        """Return {instance uuid: resources in the order they were made}."""
        with contextlib.suppress(FileNotFoundError):
            return {path.name: tuple(_resources(path))
                    for path in sorted(self._directory.iterdir())
                    if uuidutils.is_uuid_like(path.name)}
        return {}


def _resources(path: pathlib.Path) -> Iterator[Resource]:
    for line in path.read_text(errors="replace").splitlines():
        if not line:
            continue
        try:
            fields = json.loads(line)
            yield Resource(kind=Kind(fields["kind"]), name=fields["name"],
                           detail=fields["detail"])
        except (ValueError, KeyError, TypeError):
            # A line cut off by a crash: it was not synced, so what it names
            # was never made.
            LOG.warning("Ignoring an unreadable line in %s: %s", path, line)


def _write(file: int, content: bytes) -> None:
    """Write all of ``content``; one ``write`` may take only a part."""
    while content:
        content = content[os.write(file, content):]


def _make_directory(path: pathlib.Path) -> None:
    """Make ``path`` and its parents, each name on disk on return."""
    if path.is_dir():
        return
    _make_directory(path.parent)
    path.mkdir(exist_ok=True)
    _sync_directory(path.parent)


def _sync_directory(path: pathlib.Path) -> None:
    directory = os.open(path, os.O_DIRECTORY)
    try:
        os.fsync(directory)
    finally:
        os.close(directory)
