"""Which mediated devices are kept for guests that are being made."""

from collections.abc import Iterable, Mapping
import threading

from nova import exception as nova_exception
from nova.i18n import _


class Claims:
    """A guest has the mediated devices that its domain names; until it has
    a domain they are written down here, so that no other one gets them.

    :ivar lock: held by who chooses.
    """

    def __init__(self) -> None:
        self.lock = threading.RLock()
        self._devices: Mapping[str, str] = {}
        self._owners: dict[str, str] = {}

    def learn(self, providers: Mapping[str, str]) -> None:
        """:param providers: {device: uuid of its provider in placement}."""
        self._devices = {provider: device
                         for device, provider in providers.items()}

    def device(self, provider: str) -> str:
        """Return the device that a provider stands for.

        :raises nova.exception.ComputeResourcesUnavailable: there is none.
        """
        try:
            return self._devices[provider]
        except KeyError:
            raise nova_exception.ComputeResourcesUnavailable(reason=_(
                "the mediated devices were allocated of provider %s, which "
                "is none of this host's") % provider) from None

    def claim(self, uuids: Iterable[str], instance_uuid: str) -> None:
        """Keep mediated devices for an instance."""
        with self.lock:
            self._owners |= dict.fromkeys(uuids, instance_uuid)

    def release(self, instance_uuid: str) -> None:
        """Forget what is kept for an instance."""
        with self.lock:
            self._owners = {uuid: owner
                            for uuid, owner in self._owners.items()
                            if owner != instance_uuid}

    def of_others(self, instance_uuid: str) -> frozenset[str]:
        """Return the uuids of those kept for other instances."""
        with self.lock:
            return frozenset(uuid for uuid, owner in self._owners.items()
                             if owner != instance_uuid)
