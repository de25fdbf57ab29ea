"""Whether Nova's options of the host's processors go together."""

from nova.virt import hardware
from oslo_config import cfg
from oslo_log import log as logging

from nova_custom_driver import exception

LOG = logging.getLogger(__name__)


def check(conf: cfg.ConfigOpts) -> None:
    """Refuse sets of processors that contradict each other.

    :raises UnsupportedConfiguration: naming the option.
    :raises nova.exception.Invalid: a set cannot be read.
    """
    legacy = hardware.get_vcpu_pin_set() or set()
    shared = hardware.get_cpu_shared_set() or set()
    dedicated = hardware.get_cpu_dedicated_set() or set()
    if legacy:
        _check_legacy(conf, dedicated)
        return
    if both := shared & dedicated:
        raise exception.UnsupportedConfiguration(
            option="[compute]cpu_dedicated_set",
            value=conf.compute.cpu_dedicated_set,
            reason=f"processors {sorted(both)} are in cpu_shared_set, too")
    if conf.reserved_host_cpus and (shared or dedicated):
        raise exception.UnsupportedConfiguration(
            option="[DEFAULT]reserved_host_cpus",
            value=conf.reserved_host_cpus,
            reason="with [compute]cpu_shared_set or cpu_dedicated_set, "
                   "those are the host's own that are in neither")


def _check_legacy(conf: cfg.ConfigOpts, dedicated: set[int]) -> None:
    if dedicated:
        raise exception.UnsupportedConfiguration(
            option="[DEFAULT]vcpu_pin_set", value=conf.vcpu_pin_set,
            reason="with [compute]cpu_dedicated_set, use [compute]"
                   "cpu_shared_set in its place")
    LOG.warning("[DEFAULT]vcpu_pin_set is deprecated: say with [compute]"
                "cpu_shared_set which processors guests share, and with "
                "cpu_dedicated_set which are given to one guest each")
