"""Devices that guests were asked to let go of."""

import threading

from lxml import etree

Device = tuple[str, str]


def has(xml: str, alias: str) -> bool:
    """Return whether a domain has the device.

    :param xml: of the running domain.
    """
    return any(node.get("name") == alias for node
               in etree.fromstring(xml).iterfind("./devices/*/alias"))


class Unplugs:
    """What was asked of guests and is not over, by (uuid, alias).

    QEMU takes a request once; whoever asks again waits for the same answer.
    A guest that lets go late ends its entry, too, by libvirt's event.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._asked: set[Device] = set()
        self._refused: set[Device] = set()

    def begin(self, uuid: str, alias: str) -> bool:
        """Return whether the guest has to be asked."""
        with self._lock:
            self._refused.discard((uuid, alias))
            if (uuid, alias) in self._asked:
                return False
            self._asked.add((uuid, alias))
            return True

    def end(self, uuid: str, alias: str) -> None:
        """Forget the request: the device is gone."""
        with self._lock:
            self._asked.discard((uuid, alias))
            self._refused.discard((uuid, alias))

    def refuse(self, uuid: str, alias: str) -> None:
        """Note that the guest keeps the device."""
        with self._lock:
            if (uuid, alias) in self._asked:
                self._asked.discard((uuid, alias))
                self._refused.add((uuid, alias))

    def forget(self, uuid: str) -> None:
        """Forget all of a guest that has stopped."""
        with self._lock:
            for devices in (self._asked, self._refused):
                devices.difference_update(
                    {device for device in devices if device[0] == uuid})

    def take_refusal(self, uuid: str, alias: str) -> bool:
        """Return whether the guest has refused."""
        with self._lock:
            return (uuid, alias) in self._refused
