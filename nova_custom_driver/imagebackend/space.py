"""Room for disks, and what the file system under them can do."""

import os
import pathlib

from nova.privsep import utils as privsep_utils
from oslo_concurrency import processutils
from oslo_log import log as logging

from nova_custom_driver.spec import host as spec

LOG = logging.getLogger(__name__)


def usage(path: pathlib.Path) -> spec.DiskUsage:
    """Return the space of the file system that holds ``path``."""
    found = os.statvfs(path)
    return spec.DiskUsage(
        total_bytes=found.f_frsize * found.f_blocks,
        free_bytes=found.f_frsize * found.f_bavail,
        used_bytes=found.f_frsize * (found.f_blocks - found.f_bfree))


def supports_direct_io(path: pathlib.Path) -> bool:
    """Return whether files below ``path`` can bypass the page cache."""
    return bool(privsep_utils.supports_direct_io(str(path)))


def allocate(path: pathlib.Path, size_bytes: int) -> None:
    """Reserve blocks for a file that may grow to ``size_bytes``.

    Its size stays as it is.  A file system that cannot do this is no error:
    the disk works all the same, its blocks come as they are written.
    """
    try:
        # Python's own posix_fallocate would change the size.
        processutils.execute("fallocate", "-n", "-l", str(size_bytes),
                             str(path))
    except (processutils.ProcessExecutionError, OSError) as error:
        LOG.warning("Could not preallocate %s: %s", path, error)
