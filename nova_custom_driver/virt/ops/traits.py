"""What this host can do, as traits the scheduler knows."""

from collections.abc import Iterable

from nova.virt import driver as nova_driver
import os_traits

from nova_custom_driver.planner import cpu
from nova_custom_driver.planner import nics
from nova_custom_driver.spec import cpu_trait
from nova_custom_driver.spec import host as host_spec
from nova_custom_driver.spec import settings as settings_spec
from nova_custom_driver.virt.ops import device_traits

# True of this version; each is promised only once it works.
CAPABILITIES = {
    "supports_evacuate": True,
    "supports_device_tagging": True,
    "supports_tagged_attach_volume": True,
    "supports_bfv_rescue": True,
    "supports_trusted_certs": True,
    "supports_image_type_raw": True,
    "supports_image_type_iso": True,
    "supports_image_type_aki": True,
    "supports_image_type_ari": True,
    "supports_image_type_ami": True,
    "supports_image_type_qcow2": True,
}
ARCHES = ("x86_64", "aarch64", "ppc64le", "s390x", "mipsel", "riscv64")
VIF_MODELS = ("virtio", "ne2k_pci", "pcnet", "rtl8139", "e1000", "e1000e",
              "lan9118", "spapr-vlan", "vmxnet3", "igb")
BUSES = ("virtio", "scsi", "ide", "usb", "fdc", "sata", "lxc", "xen", "uml")
VIDEOS = ("cirrus", "qxl", "vga", "vmvga", "xen", "virtio", "gop", "none",
          "bochs")
# What QEMU takes where no model is named.
DEFAULT_MODELS = {"x86_64": "qemu64", "i686": "qemu32"}
IGB_LIBVIRT, IGB_QEMU = 9_003_000, 8_000_000


def capabilities() -> dict[str, bool]:
    """Return what Nova's compute manager may ask of the driver.

    What it may ask and we cannot do is there as well: a trait of a name that
    is missing here would stay as an earlier driver has left it.
    """
    return {**dict.fromkeys(nova_driver.CAPABILITY_TRAITS_MAP, False),
            **nova_driver.ComputeDriver.capabilities, **CAPABILITIES}


def traits(host: host_spec.HostFacts,
           domains: Iterable[host_spec.DomainFacts],
           settings: settings_spec.GuestSettings,
           cpu_flags: frozenset[str]) -> dict[str, bool]:
    """Return {trait: whether this host has it}.

    Traits that are not named here are an operator's own and left alone.

    :param domains: of the machine types guests get, on any architecture.
    :param cpu_flags: of the processor guests see.
    """
    domains = tuple(domains)
    own = tuple(each for each in domains if each.arch == host.cpu.arch)
    found = {name: flag in cpu_flags
             for name, flag in cpu_trait.FLAGS.items()}
    found |= device_traits.traits(host, own, settings)
    firmwares = frozenset[str]().union(*(each.firmwares for each in own))
    found["COMPUTE_FIRMWARE_BIOS"] = "bios" in firmwares
    found["COMPUTE_FIRMWARE_UEFI"] = "efi" in firmwares
    found["HW_CPU_HYPERTHREADING"] = host.has_smt
    found[f"HW_ARCH_{host.cpu.arch.upper()}"] = True
    arches = {guest.arch for guest in host.guests}
    for arch in ARCHES:
        found[f"COMPUTE_ARCH_{arch.upper()}"] = arch in arches
    buses = frozenset[str]().union(*(each.disk_buses for each in domains))
    for bus in BUSES:
        found[f"COMPUTE_STORAGE_BUS_{bus.upper()}"] = bus in buses
    videos = frozenset[str]().union(*(each.video_models for each in domains))
    for model in VIDEOS:
        found[f"COMPUTE_GRAPHICS_MODEL_{model.upper()}"] = model in videos
    found.update(_vif_models(host, settings.virt_type))
    known, _unknown = os_traits.check_traits(found)
    return {name: found[name] for name in known}


def guest_cpu_flags(host: host_spec.HostFacts,
                    domain: host_spec.DomainFacts,
                    settings: settings_spec.GuestSettings,
                    model_flags: dict[str, frozenset[str]]
                    ) -> frozenset[str]:
    """Return the flags of the processor that guests see.

    :param model_flags: {model: flags} of the models configured, or of
        QEMU's default one where guests get that.
    """
    mode = cpu.cpu_mode(settings.cpu_mode, domain)
    if mode is None:
        return frozenset[str]().union(*model_flags.values())
    if mode == "custom":
        base = frozenset[str]().union(*model_flags.values())
    else:
        base = host.cpu.features
    added = {flag.lstrip("+") for flag in settings.cpu_extra_flags
             if not flag.startswith("-")}
    taken = {flag[1:] for flag in settings.cpu_extra_flags
             if flag.startswith("-")}
    return (base | added) - taken


def _vif_models(host: host_spec.HostFacts,
                virt_type: str) -> dict[str, bool]:
    models = set(nics.MODELS_OF[virt_type])
    if host.libvirt_version < IGB_LIBVIRT or host.qemu_version < IGB_QEMU:
        models.discard("igb")
    return {
        f"COMPUTE_NET_VIF_MODEL_{model.upper().replace('-', '_')}":
        model in models for model in VIF_MODELS}
