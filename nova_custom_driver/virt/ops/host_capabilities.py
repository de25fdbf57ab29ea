"""What Nova may ask of the driver on this host."""

from collections.abc import Iterable

from nova_custom_driver.planner import refusals
from nova_custom_driver.spec import host as host_spec
from nova_custom_driver.spec import settings as settings_spec

# {capability: the extra spec that asks for it}; promised once that is met.
ASKED_BY = {
    "supports_address_space_emulated": "hw:maxphysaddr_mode",
    "supports_address_space_passthrough": "hw:maxphysaddr_mode",
    "supports_pcpus": "hw:cpu_policy",
    "supports_secure_boot": "os:secure_boot",
    "supports_vtpm": "hw:tpm_version",
}
ADDRESS_WIDTH_LIBVIRT = 8_007_000
# Storage that holds no format of its own.
RAW_STORAGE = frozenset(("lvm", "rbd"))


def of(host: host_spec.HostFacts, domains: Iterable[host_spec.DomainFacts],
       guest: settings_spec.GuestSettings, disk: settings_spec.DiskSettings,
       resources: settings_spec.ResourceSettings) -> dict[str, bool]:
    """Return {capability: whether this host has it}, of those that are not
    the same everywhere.

    :param domains: of the host's own architecture.
    """
    address_width = host.libvirt_version >= ADDRESS_WIDTH_LIBVIRT
    found = {
        "supports_accelerators": True,
        "supports_address_space_emulated": address_width,
        "supports_address_space_passthrough": address_width,
        "supports_image_type_qcow2": (
            disk.images_type not in RAW_STORAGE or disk.force_raw_images),
        "supports_mem_backing_file": bool(resources.file_backed_memory_mib),
        "supports_pcpus": True,
        "supports_secure_boot": any(domain.secure_boot for domain in domains),
        "supports_socket_pci_numa_affinity": True,
        "supports_vtpm": guest.tpm,
    }
    return {name: has and not refusals.refuses(ASKED_BY.get(name, ""))
            for name, has in found.items()}
