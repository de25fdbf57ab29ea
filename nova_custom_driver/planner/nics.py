"""A guest's network interfaces, as it sees them."""

import dataclasses

from nova import exception as nova_exception
from nova.network import model as network_model
from nova.objects import flavor as flavor_object
from nova.objects import image_meta as image_meta_object
from nova.objects import instance as instance_object
from nova.virt import hardware
from nova.virt import osinfo

from nova_custom_driver.planner import machine
from nova_custom_driver.planner import request as request_module
from nova_custom_driver.spec import host as host_spec
from nova_custom_driver.spec import nic as spec
from nova_custom_driver.spec import settings as settings_spec

MODELS = frozenset((
    "virtio", "ne2k_pci", "pcnet", "rtl8139", "e1000", "e1000e",
    "spapr-vlan", "vmxnet3", "igb"))
MODELS_OF = {"kvm": MODELS, "qemu": MODELS | {"lan9118"}}
# What makes their device sets its MTU.
OWN_MTU = frozenset((
    network_model.VIF_TYPE_MACVTAP, network_model.VIF_TYPE_HW_VEB,
    network_model.VIF_TYPE_802_QBG, network_model.VIF_TYPE_802_QBH,
    network_model.VIF_TYPE_MIDONET, network_model.VIF_TYPE_IOVISOR))
# A macvtap on a virtual function of a card.
ON_A_CARD = frozenset((network_model.VIF_TYPE_HW_VEB,
                       network_model.VIF_TYPE_802_QBH))
LIMITS = ("average", "peak", "burst")


def plan_nics(request: request_module.GuestRequest, virt_type: str,
              host: host_spec.HostFacts,
              settings: settings_spec.GuestSettings
              ) -> tuple[spec.NicPlan, ...]:
    """Return the interfaces, in the order of the ports.

    :raises nova.exception.UnsupportedHardware: QEMU has no such model.
    """
    model = nic_model(request, virt_type, settings)
    driver, queues = _driver(
        request, virt_type, model,
        settings.max_queues or tap_queues(host.kernel_major), settings)
    packed = hardware.get_packed_virtqueue_constraint(
        request.flavor, request.image_meta)
    common = spec.NicPlan(
        vif_id="", mac="", model=model, driver=driver, queues=queues,
        rx_queue_size=settings.rx_queue_size if driver == "vhost" else None,
        packed=packed and model == network_model.VIF_MODEL_VIRTIO,
        inbound=_bandwidth(request, "inbound"),
        outbound=_bandwidth(request, "outbound"))
    return tuple(_of_kind(vif, dataclasses.replace(
        common, vif_id=vif["id"], mac=vif["address"], mtu=_mtu(vif)),
        packed=packed, settings=settings) for vif in request.network_info)


def _of_kind(vif: network_model.VIF, plan: spec.NicPlan, *, packed: bool,
             settings: settings_spec.GuestSettings) -> spec.NicPlan:
    """Return of ``plan`` what this kind of port has a use for."""
    kind, vnic = vif["type"], vif["vnic_type"]
    bare = spec.NicPlan(vif_id=plan.vif_id, mac=plan.mac)
    if vnic == network_model.VNIC_TYPE_VDPA:
        return dataclasses.replace(
            bare, packed=packed, rx_queue_size=settings.rx_queue_size,
            tx_queue_size=settings.tx_queue_size)
    if vnic in network_model.VNIC_TYPES_DIRECT_PASSTHROUGH:
        # The guest has a driver for the card itself.
        return bare
    if (kind == network_model.VIF_TYPE_VHOSTUSER
            or vnic == network_model.VNIC_TYPE_VIRTIO_FORWARDER):
        return dataclasses.replace(
            plan, driver=None, mtu=None, inbound=None, outbound=None,
            rx_queue_size=settings.rx_queue_size,
            tx_queue_size=settings.tx_queue_size)
    if kind == network_model.VIF_TYPE_MACVTAP:
        return dataclasses.replace(
            plan, model=network_model.VIF_MODEL_VIRTIO)
    if kind in ON_A_CARD:
        return dataclasses.replace(plan, driver="vhost")
    return plan


def nic_model(request: request_module.GuestRequest, virt_type: str,
              settings: settings_spec.GuestSettings) -> str | None:
    """Return the model: the image's, its operating system's, or virtio."""
    model = osinfo.HardwareProperties(request.image_meta).network_model
    if model is None and settings.use_virtio_for_bridges:
        return network_model.VIF_MODEL_VIRTIO
    if model is not None and model not in MODELS_OF[virt_type]:
        raise nova_exception.UnsupportedHardware(model=model, virt=virt_type)
    return model


def _driver(request: request_module.GuestRequest, virt_type: str,
            model: str | None, limit: int | None,
            settings: settings_spec.GuestSettings
            ) -> tuple[str | None, int | None]:
    """Return (QEMU's back end, number of queues)."""
    if model != network_model.VIF_MODEL_VIRTIO:
        return None, None
    if virt_type == "qemu":
        # Left to itself libvirt takes vhost, which needs KVM.
        return "qemu", None
    queues = _queues(request.flavor, request.image_meta, limit)
    if queues is not None:
        return "vhost", queues
    return ("vhost" if settings.rx_queue_size else None), None


def has_queues(instance: instance_object.Instance,
               host: host_spec.HostFacts,
               settings: settings_spec.GuestSettings) -> bool:
    """Return whether an instance's taps are to be made for many queues.

    Told before there is a plan, and the same as the plan will say.
    """
    image_meta = instance.image_meta
    if settings.virt_type == "qemu" \
            or machine.architecture(image_meta, host) != host.cpu.arch \
            or osinfo.HardwareProperties(image_meta).network_model not in (
                None, network_model.VIF_MODEL_VIRTIO):
        return False
    limit = settings.max_queues or tap_queues(host.kernel_major)
    return (_queues(instance.flavor, image_meta, limit) or 1) > 1


def _queues(flavor: flavor_object.Flavor,
            image_meta: image_meta_object.ImageMeta,
            limit: int | None) -> int | None:
    if not hardware.get_vif_multiqueue_constraint(flavor, image_meta):
        return None
    return min(flavor.vcpus, limit) if limit else int(flavor.vcpus)


def tap_queues(kernel_major: int | None) -> int | None:
    """Return how many queues Linux gives a tap; None: no limit."""
    if kernel_major is None:
        return None
    return 1 if kernel_major < 3 else {3: 8, 4: 256}.get(kernel_major)


def _mtu(vif: network_model.VIF) -> int | None:
    if vif["type"] in OWN_MTU or not vif["network"]:
        return None
    return vif["network"].get_meta("mtu")


def _bandwidth(request: request_module.GuestRequest,
               direction: str) -> spec.Bandwidth | None:
    limits = spec.Bandwidth(**{
        name: request.integer(f"quota:vif_{direction}_{name}")
        for name in LIMITS})
    return None if limits == spec.Bandwidth() else limits
