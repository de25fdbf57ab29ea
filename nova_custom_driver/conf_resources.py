"""Nova's options of what a host offers, as settings."""

from collections.abc import Mapping

from nova import exception as nova_exception
from nova.conf import neutron
from nova.i18n import _
from nova.virt import hardware
from oslo_config import cfg

from nova_custom_driver import conf as conf_module
from nova_custom_driver import conf_devices
from nova_custom_driver.spec import settings


def resource_settings(conf: cfg.ConfigOpts) -> settings.ResourceSettings:
    """Return what of the host guests may have.

    :raises nova.exception.Invalid: an option cannot be understood.
    """
    neutron.register_dynamic_opts(conf)
    return settings.ResourceSettings(
        reserved_memory_mib=conf.reserved_host_memory_mb,
        reserved_disk_mib=conf.reserved_host_disk_mb,
        reserved_cpus=conf.reserved_host_cpus,
        cpu_shared_set=conf_module.cpu_shared_set(),
        cpu_set_is_legacy=bool(conf.vcpu_pin_set),
        cpu_dedicated_set=frozenset(hardware.get_cpu_dedicated_set() or ()),
        dedicated_cpus_sleep=conf.libvirt.cpu_power_management,
        file_backed_memory_mib=conf.libvirt.file_backed_memory,
        reserved_pages=hardware.numa_get_reserved_huge_pages(),
        physnet_nodes=_physnet_nodes(conf),
        tunnel_nodes=frozenset(conf.neutron_tunnel.numa_nodes),
        tdx_guests=conf.libvirt.num_intel_tdx_guests,
        reserve_for_base_cache=(
            conf.workarounds.reserve_disk_resource_for_image_cache),
        mdev=conf_devices.mdev_settings(conf))


def _physnet_nodes(conf: cfg.ConfigOpts) -> Mapping[str, frozenset[int]]:
    nodes = {}
    for name in conf.neutron.physnets:
        group = f"neutron_physnet_{name}"
        nodes[name] = frozenset(conf[group].numa_nodes)
        if not nodes[name]:
            raise nova_exception.InvalidNetworkNUMAAffinity(reason=_(
                "[neutron]physnets names %(name)s, but "
                "[%(group)s]numa_nodes is not set") % {
                    "name": name, "group": group})
    return nodes
