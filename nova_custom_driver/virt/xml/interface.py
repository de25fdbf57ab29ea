"""``<interface>``; see "Network interfaces"."""

from lxml import etree

from nova_custom_driver.spec import nic as spec
from nova_custom_driver.virt.xml.element import Child, el


def interface_xml(nic: spec.Nic) -> etree._Element:
    plan = nic.plan
    kind, parts = _source(nic.source)
    return el(
        "interface",
        el("mac", address=plan.mac),
        el("model", type=plan.model) if plan.model else None,
        _driver(plan),
        el("mtu", size=plan.mtu) if plan.mtu else None,
        *parts,
        _bandwidth(plan),
        type=kind)


def _source(source: spec.Source) -> tuple[str, list[etree._Element]]:
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
                el("virtualport",
                   el("parameters", interfaceid=source.interface_id),
                   type="openvswitch")]


def _driver(plan: spec.NicPlan) -> Child:
    if not any((plan.driver, plan.queues, plan.rx_queue_size,
                plan.tx_queue_size)):
        return None
    return el("driver", name=plan.driver, queues=plan.queues,
              rx_queue_size=plan.rx_queue_size,
              tx_queue_size=plan.tx_queue_size)


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
