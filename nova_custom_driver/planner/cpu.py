"""A guest's processor."""

from collections.abc import Mapping
import re

from nova import exception as nova_exception
from nova.i18n import _
from nova.virt import hardware
from oslo_utils import strutils

from nova_custom_driver import exception
from nova_custom_driver.planner import request as request_module
from nova_custom_driver.spec import cpu as spec
from nova_custom_driver.spec import cpu_trait
from nova_custom_driver.spec import host as host_spec
from nova_custom_driver.spec import settings as settings_spec

TUNING = ("shares", "period", "quota")
# What QEMU emulates when the guest's architecture is not the host's; of the
# others, its own default.
EMULATED_MODELS: Mapping[str, str] = {
    "aarch64": "cortex-a57", "ppc64le": "POWER8"}
# libvirt takes no word about their processors.
UNDESCRIBED = frozenset(("mipsel",))
# Of a numbered group as well: "trait1:HW_CPU_X86_AVX".
TRAIT = re.compile(r"trait[a-zA-Z0-9_-]*:(.+)")


def cpu(request: request_module.GuestRequest, host: host_spec.HostFacts,
        domain: host_spec.DomainFacts,
        settings: settings_spec.GuestSettings) -> spec.Cpu | None:
    """Return the processor the guest sees; None: what the machine has.

    :raises nova.exception.InvalidCPUInfo: no configured model has the flags
        the flavor's traits require.
    """
    if domain.arch != host.cpu.arch:
        return _emulated(request, domain.arch)
    mode = cpu_mode(settings.cpu_mode, domain)
    return spec.Cpu(
        mode=mode, topology=topology(request),
        model=(_model(request, domain, settings)
               if mode is spec.Mode.CUSTOM else None),
        features=(() if mode is None else
                  tuple(_feature(flag)
                        for flag in dict.fromkeys(settings.cpu_extra_flags))),
        address_width=address_width(request))


def cpu_mode(configured: str | None,
             domain: host_spec.DomainFacts) -> spec.Mode | None:
    """Return the mode; None for "none".

    Unset: the host's model, or on aarch64, where libvirt cannot name it, the
    host's processor itself.

    :raises UnsupportedConfiguration: the host cannot do the configured one.
    """
    if configured == "none":
        return None
    mode = configured or (
        spec.Mode.HOST_PASSTHROUGH if domain.arch == "aarch64"
        else spec.Mode.HOST_MODEL)
    if mode not in domain.cpu_modes:
        raise exception.UnsupportedConfiguration(
            option="[libvirt]cpu_mode", value=mode, reason=_(
                "with virt_type=%(virt)s this host offers: %(modes)s") % {
                    "virt": domain.virt_type,
                    "modes": ", ".join(sorted(domain.cpu_modes))})
    return spec.Mode(mode)


def topology(request: request_module.GuestRequest) -> spec.Topology:
    """Return the best topology that flavor and image allow.

    :raises nova.exception.ImageVCPULimitsRangeExceeded: and its like, as
        ``nova.virt.hardware`` says.
    """
    best = hardware.get_best_cpu_topology(request.flavor, request.image_meta)
    return spec.Topology(sockets=best.sockets, cores=best.cores,
                         threads=best.threads)


def address_width(request: request_module.GuestRequest
                  ) -> spec.AddressWidth | None:
    """Return how wide physical addresses are, by the flavor before the
    image; None: as the hypervisor likes.

    :raises InvalidGuestRequest: there is no such mode, or the width is no
        number.
    """
    mode = (request.extra_specs.get("hw:maxphysaddr_mode")
            or request.image_property("hw_maxphysaddr_mode"))
    if not mode:
        return None
    if mode not in list(spec.AddressMode):
        raise exception.InvalidGuestRequest(
            key="hw:maxphysaddr_mode", value=mode,
            reason=_("it is one of %s") % ", ".join(spec.AddressMode))
    bits = (request.integer("hw:maxphysaddr_bits")
            or request.image_property("hw_maxphysaddr_bits"))
    return spec.AddressWidth(mode=spec.AddressMode(mode), bits=bits)


def tuning(request: request_module.GuestRequest,
           host: host_spec.HostFacts) -> spec.Tuning | None:
    """Return the guest's share of the host's processors; None: any.

    :raises nova.exception.UnsupportedHostCPUControlPolicy: the host has no
        cpu control group.
    """
    wanted = spec.Tuning(**{
        name: request.integer(f"quota:cpu_{name}") for name in TUNING})
    if wanted == spec.Tuning():
        return None
    if not host.cpu_cgroup:
        raise nova_exception.UnsupportedHostCPUControlPolicy
    return wanted


def pmu(request: request_module.GuestRequest) -> bool | None:
    """Return whether the guest has a performance monitor; None: either."""
    found = hardware.get_pmu_constraint(request.flavor, request.image_meta)
    return None if found is None else bool(found)


def hidden(request: request_module.GuestRequest) -> bool:
    """Return whether the guest must not notice the hypervisor."""
    return any(strutils.bool_from_string(value) for value in (
        request.extra_specs.get("hw:hide_hypervisor_id"),
        request.extra_specs.get("hide_hypervisor_id"),
        request.image_property("img_hide_hypervisor_id")))


def required_flags(extra_specs: Mapping[str, str]) -> frozenset[str]:
    """Return the processor flags a flavor's traits require."""
    return frozenset(
        cpu_trait.FLAGS[match[1]] for key, value in extra_specs.items()
        if value == "required" and (match := TRAIT.fullmatch(key))
        and match[1] in cpu_trait.FLAGS)


def _emulated(request: request_module.GuestRequest,
              arch: str) -> spec.Cpu | None:
    if arch in UNDESCRIBED:
        return None
    model = EMULATED_MODELS.get(arch)
    return spec.Cpu(mode=spec.Mode.CUSTOM if model else None, model=model,
                    topology=topology(request),
                    address_width=address_width(request))


def _model(request: request_module.GuestRequest,
           domain: host_spec.DomainFacts,
           settings: settings_spec.GuestSettings) -> str:
    models = settings.cpu_models or (
        ("max",) if domain.arch == "aarch64" else ())
    flags = required_flags(request.extra_specs)
    for model in models:
        if flags <= request.model_flags.get(model, frozenset()):
            return known_model(model, domain)
    raise nova_exception.InvalidCPUInfo(reason=_(
        "none of the models %(models)s of [libvirt]cpu_models has all of "
        "%(flags)s") % {"models": ", ".join(models),
                        "flags": ", ".join(sorted(flags))})


def known_model(model: str, domain: host_spec.DomainFacts) -> str:
    """Return libvirt's spelling of a model; operators may use any case."""
    known = {name.lower(): name for name in domain.cpu_models}
    try:
        return known[model.lower()]
    except KeyError:
        raise nova_exception.InvalidCPUInfo(reason=_(
            "this host cannot give guests the model %s of "
            "[libvirt]cpu_models") % model) from None


def _feature(flag: str) -> spec.Feature:
    policy = (spec.Policy.DISABLE if flag.startswith("-")
              else spec.Policy.REQUIRE)
    return spec.Feature(name=flag.lstrip("+-"), policy=policy)
