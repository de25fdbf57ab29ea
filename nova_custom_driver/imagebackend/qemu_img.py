"""qemu-img, run here and nowhere else; formats are always named."""

import pathlib

from nova import exception as nova_exception
from nova.i18n import _
from oslo_concurrency import processutils

from nova_custom_driver import exception

# Glance's names of formats that QEMU calls otherwise.
QEMU_NAMES = {"vhd": "vpc"}


def create(path: pathlib.Path, format_name: str, size_bytes: int) -> None:
    """Make an empty image.

    :raises HostError: qemu-img failed; nothing is left.
    """
    _run("create", path, "create", "-q", "-f", format_name, str(path),
         str(size_bytes))


def create_overlay(path: pathlib.Path, backing: pathlib.Path,
                   backing_format: str, size_bytes: int,
                   cluster_size: int | None = None) -> None:
    """Make a qcow2 image that shows ``backing`` until it is written to.

    :param size_bytes: virtual size, at least that of ``backing``.
    :raises HostError: qemu-img failed; nothing is left.
    """
    options = ["-o", f"cluster_size={cluster_size}"] if cluster_size else []
    _run("create", path, "create", "-q", "-f", "qcow2", "-b", str(backing),
         "-F", backing_format, *options, str(path), str(size_bytes))


def convert(source: pathlib.Path, source_format: str, path: pathlib.Path,
            format_name: str, *, direct_io: bool, cpu_time_limit_seconds: int,
            address_space_limit_bytes: int) -> None:
    """Convert an image that a user made, so within limits.

    :param direct_io: keep the result out of the host's page cache.
    :raises nova.exception.ImageUnacceptable: it cannot be converted; nothing
        is left.
    """
    # By util-linux's own command: a Python wrapper would take longer than
    # small images do.
    limits = ["prlimit", f"--cpu={cpu_time_limit_seconds}",
              f"--as={address_space_limit_bytes}"]
    try:
        _execute(
            *limits, "qemu-img", "convert", "-q", "-t",
            "none" if direct_io else "writeback",
            "-f", QEMU_NAMES.get(source_format, source_format),
            "-O", format_name, str(source), str(path))
    except processutils.ProcessExecutionError as error:
        path.unlink(missing_ok=True)
        raise nova_exception.ImageUnacceptable(
            image_id=source.name, reason=_(
                "it could not be converted from %(source)s to %(target)s: "
                "%(error)s") % {
                    "source": source_format, "target": format_name,
                    "error": error.stderr or error}) from error


def _run(action: str, path: pathlib.Path, *arguments: str) -> None:
    try:
        _execute("qemu-img", *arguments)
    except (processutils.ProcessExecutionError, OSError) as error:
        path.unlink(missing_ok=True)
        reason = getattr(error, "stderr", None) or str(error)
        raise exception.HostError(
            action=action, subject=f"disk {path}", reason=reason) from error


def _execute(*command: str) -> None:
    processutils.execute(*command, env_variables=None,
                         log_errors=processutils.LogErrors.ALL)
