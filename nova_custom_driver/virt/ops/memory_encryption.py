"""How many guests' memory this host can encrypt, and how."""

from collections.abc import Iterable

import os_resource_classes as classes
import os_traits

from nova_custom_driver.spec import host as host_spec
from nova_custom_driver.virt.ops import providers

CLASS = str(classes.MEM_ENCRYPTION_CONTEXT)
TRAITS = {
    "amd_sev": os_traits.HW_CPU_X86_AMD_SEV,
    "amd_sev_es": os_traits.HW_CPU_X86_AMD_SEV_ES,
    "amd_sev_snp": os_traits.HW_CPU_X86_AMD_SEV_SNP,
    "intel_tdx": os_traits.HW_CPU_X86_INTEL_TDX,
}
ES_QEMU = 8_000_000


def children(host: host_spec.HostFacts,
             domains: Iterable[host_spec.DomainFacts], cpu_mode: str | None,
             tdx_guests: int | None) -> tuple[providers.Child, ...]:
    """Return a provider for each kind of encryption, of none there are 0.

    :param domains: of the host's own architecture.
    :param cpu_mode: as configured.
    :param tdx_guests: as configured; None: what the kernel says.
    """
    domains = tuple(domains)
    slots = dict.fromkeys(TRAITS, 0)
    if host.cpu.arch == "x86_64":
        slots |= _amd(host, domains)
        if cpu_mode == "host-passthrough" and any(
                domain.tdx for domain in domains):
            slots["intel_tdx"] = (host.kernel_encryption.tdx_guests or 0
                                  if tdx_guests is None else tdx_guests)
    return tuple(
        providers.Child(name=name, resource_class=CLASS, total=total,
                        max_unit=1, traits=frozenset((TRAITS[name],)))
        for name, total in slots.items())


def _amd(host: host_spec.HostFacts,
         domains: Iterable[host_spec.DomainFacts]) -> dict[str, int]:
    enabled = host.kernel_encryption.enabled
    found = next((domain.sev for domain in domains if domain.sev), None)
    if found is None or "sev" not in enabled:
        return {}
    slots = {"amd_sev": found.max_guests}
    if "sev_snp" in enabled:
        # Both take their keys from the same ones.
        if any("sev-snp" in domain.launch_security for domain in domains):
            slots["amd_sev_snp"] = found.max_es_guests
    elif "sev_es" in enabled and host.qemu_version >= ES_QEMU:
        slots["amd_sev_es"] = found.max_es_guests
    return slots
