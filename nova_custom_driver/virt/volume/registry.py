"""Kinds of volumes by the name Cinder gives them."""

import threading
from typing import Any, cast

from nova import exception as nova_exception
from os_brick import exception as brick_exception
from os_brick.initiator import connector
import stevedore
from stevedore import exception as stevedore_exception

from nova_custom_driver.spec import settings as settings_spec
from nova_custom_driver.virt.volume import base

NAMESPACE = "nova_custom_driver.volumes"


class Volumes:
    """The volumes of this host."""

    def __init__(self, settings: settings_spec.VolumeSettings) -> None:
        self._settings = settings
        self._kinds: dict[str, base.VolumeKind] = {}
        self._lock = threading.Lock()

    def kind(self, name: str) -> base.VolumeKind:
        """Return the kind called ``name``, made once.

        :raises nova.exception.VolumeDriverNotFound: there is none.
        :raises nova.exception.VolumeDriverNotSupported: os-brick has no such
            connector for this machine.
        """
        with self._lock:
            if name not in self._kinds:
                self._kinds[name] = self._make(name)
            return self._kinds[name]

    def connect(self, connection_info: base.ConnectionInfo
                ) -> base.Connected:
        return self._of(connection_info).connect(connection_info)

    def disconnect(self, connection_info: base.ConnectionInfo, *,
                   force: bool = False) -> None:
        self._of(connection_info).disconnect(connection_info, force=force)

    def extend(self, connection_info: base.ConnectionInfo,
               size_bytes: int) -> int:
        return self._of(connection_info).extend(connection_info, size_bytes)

    def connector(self) -> dict[str, Any]:
        """Return what Cinder has to know of this host to let it connect.

        See :func:`os_brick.initiator.connector.get_connector_properties`.
        """
        settings = self._settings
        return cast(dict[str, Any], connector.get_connector_properties(
            settings.root_helper, settings.address, settings.multipath,
            enforce_multipath=settings.enforce_multipath,
            host=settings.host))

    def _of(self, connection_info: base.ConnectionInfo) -> base.VolumeKind:
        return self.kind(str(connection_info.get("driver_volume_type")))

    def _make(self, name: str) -> base.VolumeKind:
        try:
            manager: Any = stevedore.DriverManager(
                NAMESPACE, name, invoke_on_load=True,
                invoke_args=(self._settings,))
        except stevedore_exception.NoMatches as error:
            raise nova_exception.VolumeDriverNotFound(
                driver_type=name) from error
        except brick_exception.InvalidConnectorProtocol as error:
            raise nova_exception.VolumeDriverNotSupported(
                volume_driver=name) from error
        return cast(base.VolumeKind, manager.driver)
