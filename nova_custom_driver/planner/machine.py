"""Which architecture and machine type a guest gets."""

from nova import exception as nova_exception
from nova.objects import image_meta as image_meta_object

from nova_custom_driver.spec import host as host_spec
from nova_custom_driver.spec import settings as settings_spec

X86 = frozenset(("i686", "x86_64"))
PPC = frozenset(("ppc", "ppc64", "ppc64le"))
S390 = frozenset(("s390", "s390x"))

DEFAULT_MACHINES = {
    "i686": "pc", "x86_64": "pc", "aarch64": "virt", "armv7l": "virt",
    "ppc64": "pseries", "ppc64le": "pseries", "s390": "s390-ccw-virtio",
    "s390x": "s390-ccw-virtio", "mipsel": "malta", "riscv64": "virt",
}


def wanted(image_meta: image_meta_object.ImageMeta,
           host: host_spec.HostFacts,
           settings: settings_spec.GuestSettings) -> tuple[str, str]:
    """Return (architecture, machine type).

    The image's ``hw_machine_type``, else the operator's
    ``[libvirt]hw_machine_type`` of the image's architecture, else the usual
    one.

    :raises nova.exception.InvalidMachineType: the host has none of that
        name, or runs no such architecture.
    """
    arch = architecture(image_meta, host)
    built_for = _built_for(image_meta) or arch
    machine = (image_meta.properties.get("hw_machine_type")
               or settings.machine_types.get(built_for)
               or DEFAULT_MACHINES.get(built_for))
    known = {name for guest in host.guests if guest.arch == arch
             for name in guest.machines}
    if machine not in known:
        raise nova_exception.InvalidMachineType(
            mtype=machine, image_name=_attribute(image_meta, "name"),
            image_id=_attribute(image_meta, "id"),
            reason=f"this host has no such machine for {arch}")
    return arch, str(machine)


def architecture(image_meta: image_meta_object.ImageMeta,
                 host: host_spec.HostFacts) -> str:
    """Return the guest's architecture: the emulated one, or the host's.

    ``hw_architecture`` says what an image was built for, not what it must
    run on: a 32 bit system runs on a 64 bit processor, and under KVM.
    """
    return str(image_meta.properties.get("hw_emulation_architecture")
               or host.cpu.arch)


def is_q35(machine: str) -> bool:
    return "q35" in machine


def _built_for(image_meta: image_meta_object.ImageMeta) -> str | None:
    properties = image_meta.properties
    return (properties.get("hw_emulation_architecture")
            or properties.get("hw_architecture"))


def _attribute(image_meta: image_meta_object.ImageMeta, name: str) -> str:
    if image_meta.obj_attr_is_set(name):
        return str(getattr(image_meta, name))
    return ""
