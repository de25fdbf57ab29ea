"""Ports plugged in memory, with the promise of the real plugger."""

import threading

from nova import exception as nova_exception

from nova_custom_driver.virt.vif import convert


class MemoryPlugger:
    """Ports in a dictionary.

    :ivar plugged: {port: instance uuid}.
    :ivar refuses: ports that cannot be plugged.
    :ivar breaks: ports whose plugging fails half way, with something left.
    :ivar keeps: ports that cannot be unplugged.
    """

    def __init__(self, refuses=(), breaks=(), keeps=()):
        self.plugged = {}
        self.refuses = set(refuses)
        self.breaks = set(breaks)
        self.keeps = set(keeps)
        self._lock = threading.Lock()

    def source(self, vif):
        return convert.source(vif)

    def plug(self, instance, vif):
        convert.check(vif)
        if vif["id"] in self.refuses:
            raise nova_exception.InternalError(f"port {vif['id']} refused")
        with self._lock:
            self.plugged[vif["id"]] = instance.uuid
        if vif["id"] in self.breaks:
            raise nova_exception.InternalError(f"port {vif['id']} broke")

    def unplug(self, instance, vif):
        if vif["type"] not in convert.UNBOUND:
            self.unplug_described(self.describe(instance, vif))

    def describe(self, instance, vif):
        convert.check(vif)
        return {"port": vif["id"]}

    def unplug_described(self, detail):
        if detail["port"] in self.keeps:
            raise nova_exception.InternalError(
                f"port {detail['port']} is kept")
        with self._lock:
            self.plugged.pop(detail["port"], None)
