"""Volumes in Ceph, which QEMU opens itself."""

from nova_custom_driver.spec import disk
from nova_custom_driver.spec import settings as settings_spec
from nova_custom_driver.virt.volume import base


class Rbd:
    """Nothing is connected on the host."""

    def __init__(self, settings: settings_spec.VolumeSettings) -> None:
        self._settings = settings

    def connect(self, connection_info: base.ConnectionInfo
                ) -> base.Connected:
        data = base.data_of(connection_info)
        pool, _slash, image = str(data["name"]).partition("/")
        user, secret = self._user(data)
        return base.Connected(source=disk.RbdSource(
            pool=pool, image=image, user=user, secret_uuid=secret,
            monitors=tuple(zip(
                map(str, data.get("hosts", ())),
                map(str, data.get("ports", ())), strict=False))))

    def disconnect(self, connection_info: base.ConnectionInfo, *,
                   force: bool) -> None:
        """Do nothing: QEMU has closed it."""

    def extend(self, connection_info: base.ConnectionInfo,
               size_bytes: int) -> int:
        return size_bytes

    def _user(self, data: dict[str, object]
              ) -> tuple[str | None, str | None]:
        """Return (user, libvirt's secret).

        What Cinder says comes first: its cluster may be another than that of
        ``[libvirt]rbd_user``.
        """
        settings = self._settings
        if data.get("auth_enabled"):
            if data.get("secret_uuid"):
                return str(data["auth_username"]), str(data["secret_uuid"])
            return settings.rbd_user, settings.rbd_secret_uuid
        if settings.rbd_secret_uuid:
            return settings.rbd_user, settings.rbd_secret_uuid
        return None, None
