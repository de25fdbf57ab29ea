"""The guest's own IOMMU."""

from nova import exception as nova_exception
from nova.i18n import _

from nova_custom_driver import exception
from nova_custom_driver.planner import machine
from nova_custom_driver.planner import request as request_module
from nova_custom_driver.spec import device as spec
from nova_custom_driver.spec import host as host_spec

KEY = "hw:viommu_model"
AUTO = "auto"
VIRTIO_LIBVIRT = 8_003_000


def iommu(request: request_module.GuestRequest, arch: str, machine_name: str,
          host: host_spec.HostFacts) -> spec.IommuModel | None:
    """Return the model asked for, of the flavor first; None: none is.

    :raises nova.exception.InvalidVIOMMUArchitecture: neither x86 nor ARM.
    :raises nova.exception.InvalidVIOMMUMachineType: the machine has no
        place for it.
    :raises InvalidGuestRequest: there is no such model.
    """
    asked = (request.extra_specs.get(KEY)
             or request.image_property("hw_viommu_model"))
    if not asked:
        return None
    own = _own(arch, machine_name)
    if asked == AUTO:
        return (spec.IommuModel.VIRTIO
                if host.libvirt_version >= VIRTIO_LIBVIRT else own)
    try:
        model = spec.IommuModel(asked)
    except ValueError:
        raise exception.InvalidGuestRequest(
            key=KEY, value=asked, reason=_("there is no such model")
        ) from None
    if model not in (own, spec.IommuModel.VIRTIO):
        raise nova_exception.InvalidVIOMMUMachineType(
            mtype=machine_name, arch=arch)
    return model


def _own(arch: str, machine_name: str) -> spec.IommuModel:
    """Return the one that real machines of this kind have."""
    if arch in machine.X86:
        fits, model = machine.is_q35(machine_name), spec.IommuModel.INTEL
    elif arch == "aarch64":
        fits, model = "virt" in machine_name, spec.IommuModel.SMMUV3
    else:
        raise nova_exception.InvalidVIOMMUArchitecture(arch=arch)
    if not fits:
        raise nova_exception.InvalidVIOMMUMachineType(
            mtype=machine_name, arch=arch)
    return model
