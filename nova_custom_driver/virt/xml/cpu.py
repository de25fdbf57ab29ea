"""``<cpu>`` and ``<cputune>``; see "CPU model and topology"."""


from nova_custom_driver.spec import cpu as spec
from nova_custom_driver.virt.xml.element import Child, el, optional


def cpu_xml(cpu: spec.Cpu | None) -> Child:
    if cpu is None:
        return None
    topology = cpu.topology
    return el(
        "cpu",
        optional("model", cpu.model),
        el("topology", sockets=topology.sockets, cores=topology.cores,
           threads=topology.threads),
        _address_width(cpu.address_width),
        *(el("feature", policy=feature.policy, name=feature.name)
          for feature in cpu.features),
        mode=cpu.mode, match="exact")


def _address_width(width: spec.AddressWidth | None) -> Child:
    if width is None:
        return None
    return el("maxphysaddr", mode=width.mode, bits=width.bits)


def cputune_xml(tuning: spec.Tuning | None) -> Child:
    if tuning is None:
        return None
    return el("cputune", optional("shares", tuning.shares),
              optional("period", tuning.period),
              optional("quota", tuning.quota))
