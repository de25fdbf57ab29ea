"""What the kernel can do to encrypt guests' memory.

See ``virt/kvm/x86/amd-memory-encryption.rst`` and, of the capacity file,
"Misc" in ``admin-guide/cgroup-v2.rst`` of the kernel's documentation.
"""

import pathlib

from oslo_log import log as logging
from oslo_utils import strutils

from nova_custom_driver.spec import host as spec

LOG = logging.getLogger(__name__)

AMD = pathlib.Path("/sys/module/kvm_amd/parameters")
CAPACITY = pathlib.Path("/sys/fs/cgroup/misc.capacity")


def kernel(amd: pathlib.Path = AMD,
           capacity: pathlib.Path = CAPACITY) -> spec.KernelEncryption:
    """Return what the running kernel has enabled."""
    return spec.KernelEncryption(
        enabled=frozenset(name for name in ("sev", "sev_es", "sev_snp")
                          if strutils.bool_from_string(_text(amd / name))),
        tdx_guests=tdx_guests(_text(capacity)))


def tdx_guests(capacity: str) -> int | None:
    """Return how many guests TDX can encrypt; None: it is not said."""
    for line in capacity.splitlines():
        match line.split():
            case ["tdx", number] if number.isdigit():
                return int(number)
            case ["tdx", *rest]:
                LOG.warning("The kernel's capacity of TDX is no number: %s",
                            rest)
    return None


def _text(path: pathlib.Path) -> str:
    try:
        return path.read_text().strip()
    except OSError:
        return ""
