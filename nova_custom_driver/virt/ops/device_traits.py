"""What devices guests can have here, as traits the scheduler knows."""

from collections.abc import Iterable

import os_traits

from nova_custom_driver.planner import refusals
from nova_custom_driver.spec import host as host_spec
from nova_custom_driver.spec import settings as settings_spec

# What asks for each, by its flavor; until that is met none is promised.
ASKED_BY = {
    "COMPUTE_NET_VIRTIO_PACKED": "hw:virtio_packed_ring",
    "COMPUTE_SECURITY_TPM_": "hw:tpm_version",
    "COMPUTE_SOUND_MODEL_": "hw:sound_model",
    "COMPUTE_VIOMMU_MODEL_": "hw:viommu_model",
}
TPM_MODELS = {"TIS": "tpm-tis", "CRB": "tpm-crb"}
TPM_VERSIONS = {"1_2": "1.2", "2_0": "2.0"}
TPM_SECRETS = ("user", "host", "deployment")
SOUNDS = ("SB16", "ES1370", "PCSPK", "AC97", "ICH6", "ICH9", "USB")
VIRTIO_SOUND_LIBVIRT, VIRTIO_SOUND_QEMU = 10_004_000, 8_002_000
VIRTIO_IOMMU_LIBVIRT = 8_003_000


def traits(host: host_spec.HostFacts,
           domains: Iterable[host_spec.DomainFacts],
           settings: settings_spec.GuestSettings) -> dict[str, bool]:
    """Return {trait: whether guests can have it}, of these devices all.

    :param domains: of the host's own architecture.
    """
    found = {"COMPUTE_NET_VIRTIO_PACKED": True, **_sounds(host),
             **_iommus(host), **_tpms(tuple(domains), settings)}
    for prefix, extra_spec in ASKED_BY.items():
        if refusals.refuses(extra_spec):
            found |= dict.fromkeys(os_traits.get_traits(prefix=prefix), False)
    return found


def _sounds(host: host_spec.HostFacts) -> dict[str, bool]:
    # libvirt lists no sound cards; all but this one are older than any
    # version that Nova runs with.
    virtio = (host.libvirt_version >= VIRTIO_SOUND_LIBVIRT
              and host.qemu_version >= VIRTIO_SOUND_QEMU)
    return {**{f"COMPUTE_SOUND_MODEL_{name}": True for name in SOUNDS},
            "COMPUTE_SOUND_MODEL_VIRTIO": virtio}


def _iommus(host: host_spec.HostFacts) -> dict[str, bool]:
    arches = {guest.arch for guest in host.guests}
    return {
        "COMPUTE_VIOMMU_MODEL_AUTO": True,
        "COMPUTE_VIOMMU_MODEL_INTEL": "x86_64" in arches,
        "COMPUTE_VIOMMU_MODEL_SMMUV3": "aarch64" in arches,
        "COMPUTE_VIOMMU_MODEL_VIRTIO":
            host.libvirt_version >= VIRTIO_IOMMU_LIBVIRT}


def _tpms(domains: tuple[host_spec.DomainFacts, ...],
          settings: settings_spec.GuestSettings) -> dict[str, bool]:
    models = _all(domains, "tpm/model")
    # libvirt lists the versions since 8.6.
    versions = _all(domains, "tpm/backendVersion") or {*TPM_VERSIONS.values()}
    found = {
        **{name: model in models for name, model in TPM_MODELS.items()},
        **{name: version in versions
           for name, version in TPM_VERSIONS.items()},
        **{f"SECRET_SECURITY_{name.upper()}":
           name in settings.tpm_secret_security for name in TPM_SECRETS}}
    return {f"COMPUTE_SECURITY_TPM_{name}": settings.tpm and has
            for name, has in found.items()}


def _all(domains: Iterable[host_spec.DomainFacts], path: str) -> set[str]:
    return {value for domain in domains
            for value in domain.enums.get(path, ())}
