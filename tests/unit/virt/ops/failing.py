"""Count the calls an operation makes to its hands, and fail one of them."""

import collections
import contextlib
import functools
import threading
from unittest import mock

from nova_custom_driver import exception
from nova_custom_driver import journal
from nova_custom_driver.imagebackend import base as disk_base
from nova_custom_driver.imagebackend import config_drive
from nova_custom_driver.virt.host import base as host_base
from nova_custom_driver.virt.ops import device_metadata
from nova_custom_driver.virt.ops import hands
from tests.fakes import hypervisor
from tests.fakes import imagebackend
from tests.fakes import vif

PROMISES = (
    (hypervisor.FakeHypervisor, host_base.Hypervisor),
    (hypervisor.FakeDomain, host_base.Domain),
    (imagebackend.MemoryBackend, disk_base.DiskBackend),
    (imagebackend.MemoryCache, disk_base.BaseCache),
    (vif.MemoryPlugger, hands.VifPlugger),
)
# These may have done their work although they raise: a call that has run
# into its deadline, or a plug that broke half way.
UNSURE = (hypervisor.FakeHypervisor, hypervisor.FakeDomain,
          vif.MemoryPlugger)


class Calls:
    """Calls to all hands, whoever makes them.

    :ivar made: (owner's name, method, which time) in order, from 1.
    :ivar fail: the one of them to raise ``error``; None: none.
    :ivar after: raise once the work is done.
    """

    def __init__(self, fail=None, *, after=False):
        self.made = []
        self.fail = fail
        self.after = after
        self.error = exception.HostError(
            action="do", subject=str(fail), reason="injected")
        self._count = collections.Counter()
        self._lock = threading.Lock()
        self._inside = threading.local()

    @contextlib.contextmanager
    def watching(self):
        with contextlib.ExitStack() as patches:
            for owner, name in points():
                patches.enter_context(mock.patch.object(
                    owner, name, self._watched(owner, name)))
            yield self

    def _watched(self, owner, name):
        original = getattr(owner, name)

        @functools.wraps(original)
        def call(*args, **kwargs):
            # What a fake calls of itself is not the operation's call.
            if getattr(self._inside, "call", False):
                return original(*args, **kwargs)
            failing = self._note(owner, name)
            if failing and not self.after:
                raise self.error
            self._inside.call = True
            try:
                result = original(*args, **kwargs)
            finally:
                self._inside.call = False
            if failing:
                raise self.error
            return result

        return call

    def _note(self, owner, name):
        with self._lock:
            key = (owner.__name__.split(".")[-1], name)
            self._count[key] += 1
            self.made.append((*key, self._count[key]))
            return self.made[-1] == self.fail


def points():
    """Yield every (owner, name) of the promises, and the other hands."""
    for owner, promise in PROMISES:
        for name, member in vars(promise).items():
            if callable(member) and not name.startswith("_"):
                yield owner, name
    yield journal.Entry, "note"
    yield config_drive, "build"
    yield device_metadata, "find"
    yield device_metadata, "build"
