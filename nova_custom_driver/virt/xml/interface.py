"""``<interface>``; see "Network interfaces"."""

from lxml import etree

from nova_custom_driver.spec import host_device
from nova_custom_driver.spec import nic as spec
from nova_custom_driver.virt.xml import address
from nova_custom_driver.virt.xml import hostdev
from nova_custom_driver.virt.xml.element import Child, el, on_off


def interface_xml(nic: spec.Nic) -> etree._Element:
    """Return the element; of a whole PCI device it is a ``<hostdev>``."""
    plan = nic.plan
    if isinstance(nic.source, spec.DeviceSource):
        return hostdev.hostdev_xml(
            host_device.PciFunction(address=nic.source.address))
    kind, parts = _source(nic.source)
    return el(
        "interface",
        el("mac", address=plan.mac),
        el("model", type=plan.model) if plan.model else None,
        _driver(plan),
        el("mtu", size=plan.mtu) if plan.mtu else None,
        *parts,
        _bandwidth(plan),
        type=kind, managed="yes" if kind == "hostdev" else None)


def _source(source: spec.InterfaceSource) -> tuple[str, list[Child]]:
    match source:
        case spec.TapSource():
            return "ethernet", [
                el("target", dev=source.target,
                   managed=None if source.made_by_libvirt else "no")]
        case spec.BridgeSource():
            return "bridge", [el("source", bridge=source.bridge),
                              el("target", dev=source.target)]
        case spec.OpenVSwitchSource():
            return "bridge", [
                el("source", bridge=source.bridge),
                el("target", dev=source.target),
                _virtual_port(spec.VirtualPort(
                    kind="openvswitch",
                    parameters=(("interfaceid", source.interface_id),)))]
        case spec.DirectSource():
            return "direct", [
                el("source", dev=source.device, mode=source.mode),
                _vlan(source.vlan), _virtual_port(source.port)]
        case spec.FunctionSource():
            return "hostdev", [
                el("source", address.pci_xml(source.address, type="pci")),
                _vlan(source.vlan), _virtual_port(source.port)]
        case spec.VhostUserSource():
            return "vhostuser", [
                el("source", type="unix", mode=source.mode,
                   path=source.path),
                el("target", dev=source.target)]
        case spec.VdpaSource():
            return "vdpa", [el("source", dev=source.path)]


def _vlan(tag: int | None) -> Child:
    # 0 frees a card's function of the tag somebody left on it.
    return None if tag is None else el("vlan", el("tag", id=tag))


def _virtual_port(port: spec.VirtualPort | None) -> Child:
    if port is None:
        return None
    parameters = el("parameters")
    for name, value in port.parameters:
        parameters.set(name, value)
    return el("virtualport", parameters, type=port.kind)


def _driver(plan: spec.NicPlan) -> Child:
    if not any((plan.driver, plan.queues, plan.rx_queue_size,
                plan.tx_queue_size, plan.packed)):
        return None
    return el("driver", name=plan.driver, queues=plan.queues,
              rx_queue_size=plan.rx_queue_size,
              tx_queue_size=plan.tx_queue_size,
              packed=on_off(True) if plan.packed else None)


def _bandwidth(plan: spec.NicPlan) -> Child:
    limits = (_limit("inbound", plan.inbound),
              _limit("outbound", plan.outbound))
    return None if limits == (None, None) else el("bandwidth", *limits)


def _limit(direction: str, limit: spec.Bandwidth | None) -> Child:
    # libvirt knows a peak and a burst only beside an average.
    if limit is None or limit.average is None:
        return None
    return el(direction, average=limit.average, peak=limit.peak,
              burst=limit.burst)
