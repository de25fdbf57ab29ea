"""libvirt's errors in our words, by their codes."""

from collections.abc import Iterator
import contextlib
import errno

import libvirt
from nova import exception as nova_exception

from nova_custom_driver import exception

# The connection itself is at fault, see virterror.h.
BROKEN = frozenset((
    libvirt.VIR_ERR_NO_CONNECT,
    libvirt.VIR_ERR_INVALID_CONN,
    libvirt.VIR_ERR_RPC,
))
# These codes say little; the part of libvirt that raised them tells whether
# it was the wire.
VAGUE = frozenset((libvirt.VIR_ERR_SYSTEM_ERROR,
                   libvirt.VIR_ERR_INTERNAL_ERROR))
WIRE = frozenset((libvirt.VIR_FROM_REMOTE, libvirt.VIR_FROM_RPC))


def is_broken_connection(error: libvirt.libvirtError) -> bool:
    """Return whether the error is of the connection, not of the call."""
    code = error.get_error_code()
    return code in BROKEN or (
        code in VAGUE and error.get_error_domain() in WIRE)


def is_busy(error: BaseException | None) -> bool:
    """Return whether a process outlived even SIGKILL, for now."""
    return isinstance(error, libvirt.libvirtError) and (
        error.get_error_code() == libvirt.VIR_ERR_SYSTEM_ERROR
        and error.get_int1() == errno.EBUSY)


@contextlib.contextmanager
def translated(action: str, subject: str, host: str) -> Iterator[None]:
    """Raise Nova's or our exception for a libvirt error in the block.

    :param action: in the infinitive ("start").
    :param subject: what it is done to ("domain instance-00000001").
    :param host: named when it is the connection that fails.
    """
    try:
        yield
    except libvirt.libvirtError as error:
        raise translate(error, action, subject, host) from error


def translate(error: libvirt.libvirtError, action: str, subject: str,
              host: str) -> nova_exception.NovaException:
    """Return the exception that stands for ``error``."""
    code = error.get_error_code()
    if code == libvirt.VIR_ERR_NO_DOMAIN:
        return nova_exception.InstanceNotFound(instance_id=subject)
    if is_broken_connection(error):
        return nova_exception.HypervisorUnavailable(host=host)
    return exception.HostError(
        action=action, subject=subject,
        reason=error.get_error_message() or str(error), code=code)
