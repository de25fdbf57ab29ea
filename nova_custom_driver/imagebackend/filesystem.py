"""File systems and swap on a new disk."""

import pathlib

from nova import exception as nova_exception
from nova.i18n import _
from nova.privsep import fs
from oslo_concurrency import processutils
from oslo_log import log as logging

from nova_custom_driver import exception
from nova_custom_driver.imagebackend import command
from nova_custom_driver.spec import disk as spec

LOG = logging.getLogger(__name__)

SUPPORTED = frozenset(("ext2", "ext3", "ext4", "xfs"))
# Where ext2 and its successors have their magic number; see "Super Block" in
# the kernel's documentation of ext4.
EXT_MAGIC_OFFSET = 1024 + 0x38
EXT_MAGIC = b"\x53\xef"
# The label in the bases that guests share.
FIRST_LABEL = "ephemeral0"


def load_commands(lines: tuple[str, ...]) -> None:
    """Take over ``[DEFAULT]virt_mkfs``: "os_type=command" each.

    :raises UnsupportedConfiguration: a line has another form.
    """
    for line in lines:
        os_type, equals, command = line.partition("=")
        if not equals:
            raise exception.UnsupportedConfiguration(
                option="[DEFAULT]virt_mkfs", value=line,
                reason="each entry reads os_type=command")
        fs.load_mkfs_command(os_type, command)


def name_hash(content: spec.EphemeralContent,
              default_format: str | None) -> str:
    """Return the part of a base's name that stands for its file system."""
    extension: str = fs.get_file_extension_for_os_type(
        fs.get_fs_type_for_os_type(content.os_type), default_format)
    return extension


def is_shared(content: spec.EphemeralContent,
              default_format: str | None) -> bool:
    """Return whether a base can hold ``content``.

    A base's name tells neither its label nor a file system that the request
    chose, and Nova's cache cleaner keeps the base of a guest's first
    ephemeral disk only.
    """
    return (content.label == FIRST_LABEL
            and content.filesystem in (None, default_format))


def check(content: spec.EphemeralContent) -> None:
    """:raises nova.exception.InvalidBDMFormat: no such file system."""
    if content.filesystem and content.filesystem not in SUPPORTED:
        raise nova_exception.InvalidBDMFormat(details=_(
            "the file system %(wanted)s is not supported; there are: "
            "%(known)s") % {"wanted": content.filesystem,
                            "known": ", ".join(sorted(SUPPORTED))})


def format_ephemeral(path: pathlib.Path, content: spec.EphemeralContent,
                     default_format: str | None) -> None:
    """Make the file system ``content`` asks for.

    :raises HostError: mkfs failed.
    """
    try:
        fs.configurable_mkfs(
            content.os_type, content.label, str(path), False,
            default_format, specified_fs=content.filesystem)
    except (processutils.ProcessExecutionError, OSError) as error:
        raise _failed("make a file system on", path, error) from error


def format_swap(path: pathlib.Path) -> None:
    """Make swap space.

    :raises HostError: mkswap failed.
    """
    try:
        command.run("mkswap", str(path))
    except (processutils.ProcessExecutionError, OSError) as error:
        raise _failed("make swap space on", path, error) from error


def grow(path: pathlib.Path) -> None:
    """Let a file system that fills a raw disk fill it again.

    Only ext2 and its successors, and only without a partition table.  A disk
    on which this fails is still a good one: its guest can do the same.
    """
    with path.open("rb") as file:
        file.seek(EXT_MAGIC_OFFSET)
        if file.read(len(EXT_MAGIC)) != EXT_MAGIC:
            return
    try:
        fs.unprivileged_e2fsck(str(path))
        fs.unprivileged_resize2fs(str(path), check_exit_code=[0])
    except (processutils.ProcessExecutionError, OSError) as error:
        LOG.warning("Could not grow the file system on %s: %s", path, error)


def _failed(action: str, path: pathlib.Path,
            error: Exception) -> exception.HostError:
    return exception.HostError(
        action=action, subject=str(path),
        reason=getattr(error, "stderr", None) or str(error))
