"""Nova's options of devices, as settings."""

import pathlib

from nova import exception as nova_exception
from nova.conf import devices as nova_devices
from nova.i18n import _
from nova.pci import utils as pci_utils
from oslo_config import cfg
from oslo_log import log as logging

from nova_custom_driver.spec import settings

LOG = logging.getLogger(__name__)
# Where devices are that no hardware stands behind, such as samples.
VIRTUAL = pathlib.Path("/sys/devices/virtual")


def mdev_settings(conf: cfg.ConfigOpts) -> settings.MdevSettings:
    """Return which mediated devices are made of which device.

    :raises nova.exception.InvalidLibvirtMdevConfig: a device has two types,
        or is named in a way that no device is.
    """
    nova_devices.register_dynamic_opts(conf)
    types: dict[str, settings.MdevType] = {}
    devices: dict[str, str] = {}
    default = None
    for name in conf.devices.enabled_mdev_types:
        group = conf[f"mdev_{name}"]
        if not group.device_addresses:
            if default is not None:
                LOG.warning(
                    "%s is not used: [mdev_%s]device_addresses is not set, "
                    "and %s is for the devices not named already", name,
                    name, default)
                continue
            default = name
        types[name] = settings.MdevType(
            resource_class=group.mdev_class,
            max_instances=group.max_instances)
        for address in group.device_addresses:
            if address in devices:
                raise _invalid(name, address, _(
                    "%s is made of it already") % devices[address])
            _check_address(name, address)
            devices[address] = name
    return settings.MdevSettings(types=types, devices=devices,
                                 default=default)


def pmem_labels(conf: cfg.ConfigOpts) -> dict[str, tuple[str, ...]]:
    """Return {label: names of the namespaces guests may have by it}.

    :raises nova.exception.PMEMNamespaceConfigInvalid: an entry does not
        read label:name|name, or a name is there twice.
    """
    labels: dict[str, tuple[str, ...]] = {}
    seen: set[str] = set()
    for entry in conf.libvirt.pmem_namespaces:
        label, colon, names = entry.partition(":")
        if not colon:
            raise nova_exception.PMEMNamespaceConfigInvalid(reason=_(
                "'%s' does not read label:name|name") % entry)
        for name in names.split("|"):
            if name in seen:
                raise nova_exception.PMEMNamespaceConfigInvalid(reason=_(
                    "the namespace %s is named twice") % name)
            seen.add(name)
        labels[label] = (*labels.get(label, ()), *names.split("|"))
    return labels


def _check_address(name: str, address: str) -> None:
    try:
        pci_utils.parse_address(address)
    except nova_exception.PciDeviceWrongAddressFormat as error:
        if not (VIRTUAL / address.replace("_", "/")).exists():
            raise _invalid(name, address, _(
                "it is neither a PCI address nor a virtual device of this "
                "host")) from error


def _invalid(name: str, address: str,
             reason: str) -> nova_exception.InvalidLibvirtMdevConfig:
    return nova_exception.InvalidLibvirtMdevConfig(reason=_(
        "[mdev_%(name)s]device_addresses names %(address)s: %(reason)s") % {
            "name": name, "address": address, "reason": reason})
