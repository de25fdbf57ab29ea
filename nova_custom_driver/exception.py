"""Errors that start in this driver.

::

    NovaException
     +- HostError                  this host refused; Nova may try another
     |   +- HostCallTimeout        ... by not answering; also a
     |                             HypervisorUnavailable
     +- InvalidGuestRequest        no host can build this; Nova gives up
     |                             (an InvalidInput)
     +- UnsupportedDiskBackend     the configuration names a backend we lack
     +- UnsupportedConfiguration   the service must not start like this
     |                             (an InvalidConfiguration)

Wherever Nova has a class of its own, that one is raised instead.  The class
decides what Nova does next, see ``ComputeManager._build_and_run_instance``:
it gives up on an ``InvalidInput`` and tries another host otherwise.
"""

from nova import exception as nova_exception
from nova.i18n import _


class HostError(nova_exception.NovaException):
    """:ivar code: libvirt's ``VIR_ERR_*`` number; the text is never parsed."""

    msg_fmt = _("Could not %(action)s %(subject)s: %(reason)s")

    def __init__(self, *, action: str, subject: str, reason: str,
                 code: int | None = None) -> None:
        super().__init__(action=action, subject=subject, reason=reason)
        self.code = code


class HostCallTimeout(HostError, nova_exception.HypervisorUnavailable):
    """libvirt did not answer in ``[custom_driver]libvirt_call_timeout``."""

    msg_fmt = _("Could not %(action)s %(subject)s: %(reason)s.  libvirtd may "
                "be hung; see its log, and restart it if so")


class InvalidGuestRequest(nova_exception.InvalidInput):
    msg_fmt = _("%(key)s=%(value)s cannot be met: %(reason)s")


class UnsupportedDiskBackend(nova_exception.NovaException):
    msg_fmt = _("No disk backend is called '%(name)s'; there are: %(known)s")


class UnsupportedConfiguration(nova_exception.InvalidConfiguration):
    msg_fmt = _("%(option)s=%(value)s is not supported: %(reason)s")
