"""Volumes in memory, with the promise of the real ones."""

import pathlib
import threading
import time

from nova_custom_driver import exception
from nova_custom_driver.spec import disk as spec
from nova_custom_driver.virt.volume import base


class MemoryVolumes:
    """Connects what it is told to; notes it.

    :ivar connected: {volume id: connection}.
    :ivar refuses: ids of those that cannot be connected.
    :ivar keeps: ids of those that cannot be disconnected.
    :ivar seconds: how long each takes.
    """

    def __init__(self, seconds=0):
        self.connected = {}
        self.refuses = set()
        self.keeps = set()
        self.seconds = seconds
        self._lock = threading.Lock()

    def connect(self, connection_info):
        volume_id = connection_info["serial"]
        time.sleep(self.seconds)
        with self._lock:
            self.connected[volume_id] = connection_info
        if volume_id in self.refuses:
            raise self._error("connect", volume_id)
        path = f"/dev/disk/by-id/{volume_id}"
        base.data_of(connection_info)["device_path"] = path
        return base.Connected(io="native", source=spec.BlockSource(
            path=pathlib.PurePosixPath(path)))

    def disconnect(self, connection_info, *, force=False):
        volume_id = connection_info["serial"]
        time.sleep(self.seconds)
        if volume_id in self.keeps:
            raise self._error("disconnect", volume_id)
        with self._lock:
            self.connected.pop(volume_id, None)

    def extend(self, connection_info, size_bytes):
        return size_bytes

    def connector(self):
        return {"host": "here", "ip": "192.0.2.1"}

    def _error(self, action, volume_id):
        return exception.HostError(action=action, subject=volume_id,
                                   reason="the storage refused")
