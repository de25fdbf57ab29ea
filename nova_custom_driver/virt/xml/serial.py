"""``<serial>``, ``<console>`` and ``<channel>``; see "Consoles, serial,
parallel & channel devices".
"""

from lxml import etree

from nova_custom_driver.spec import device as spec
from nova_custom_driver.virt.xml.element import Child, el

AGENT = "org.qemu.guest_agent.0"


def serial_xml(port: spec.Serial) -> etree._Element:
    return _port("serial", port)


def console_xml(port: spec.Serial) -> etree._Element:
    return _port("console", port, el("target", type="sclp"))


def _port(tag: str, port: spec.Serial,
          target: Child = None) -> etree._Element:
    match port:
        case spec.SerialPty():
            return el(tag, _log(str(port.log)), target, type="pty")
        case spec.SerialTcp():
            return el(
                tag,
                el("source", mode="bind", host=port.host, service=port.port),
                _log(str(port.log)) if port.log else None, target,
                type="tcp")


def channel_xml(channel: spec.Channel) -> etree._Element:
    match channel:
        case spec.AgentChannel():
            return el(
                "channel", el("source", mode="bind", path=str(channel.path)),
                el("target", type="virtio", name=AGENT), type="unix")
        case spec.SpiceChannel():
            return el(
                "channel",
                el("target", type="virtio", name="com.redhat.spice.0"),
                type="spicevmc")


def _log(path: str) -> etree._Element:
    return el("log", file=path, append="off")
