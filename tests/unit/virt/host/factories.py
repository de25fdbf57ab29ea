"""What libvirt would give, made by hand."""

import libvirt

from nova_custom_driver.spec import settings


def libvirt_error(code, domain=libvirt.VIR_FROM_QEMU, text="why", number=-1):
    """Return an error as libvirt raises it.

    :param number: of the system's error, if it was one.
    """
    made = libvirt.libvirtError(text)
    made.err = (code, domain, text, 2, None, None, None, number, -1)
    return made


def host_settings(**changes):
    """Return settings of libvirt's own test driver, without a daemon."""
    return settings.HostSettings(**{
        "uri": "test:///default", "host": "host1",
        "call_timeout_seconds": 5, **changes})
