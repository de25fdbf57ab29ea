"""Disk backends by the name an operator writes in ``images_type``."""

from typing import Any, cast

from nova.i18n import _
import stevedore
from stevedore import exception as stevedore_exception

from nova_custom_driver import exception
from nova_custom_driver.imagebackend import base
from nova_custom_driver.spec import settings as settings_spec

NAMESPACE = "nova_custom_driver.imagebackends"


def backend(name: str, settings: settings_spec.DiskSettings,
            bases: base.BaseCache) -> base.DiskBackend:
    """Return the backend called ``name``, ours or an operator's plug-in.

    :raises UnsupportedDiskBackend: there is none of that name.
    """
    try:
        manager: Any = stevedore.DriverManager(
            NAMESPACE, name, invoke_on_load=True,
            invoke_args=(settings, bases))
    except stevedore_exception.NoMatches as error:
        known = stevedore.ExtensionManager(NAMESPACE).names()
        raise exception.UnsupportedDiskBackend(
            name=name, known=", ".join(sorted(known)) or _("none")
        ) from error
    return cast(base.DiskBackend, manager.driver)
