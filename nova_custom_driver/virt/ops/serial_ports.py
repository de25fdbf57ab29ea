"""TCP ports of this host for guests' serial consoles."""

import functools

from nova.console import serial

from nova_custom_driver.planner import consoles
from nova_custom_driver.spec import domain as domain_spec
from nova_custom_driver.virt.ops import hands as hands_module
from nova_custom_driver.virt.ops import operation
from nova_custom_driver.virt.ops import plan as plan_ops
from nova_custom_driver.virt.xml import read


def acquire(subject: plan_ops.Subject, hands: hands_module.Hands,
            op: operation.Operation) -> tuple[int, ...]:
    """Take as many ports as the guest shall have; a failure gives them back.
    """
    if not hands.guest.serial_console:
        return ()
    host = hands.guest.serial_console_host
    ports = []
    count = consoles.port_count(
        subject.instance.flavor, subject.image_meta, hands.guest.virt_type)
    for _ in range(count):
        port = serial.acquire_port(host)
        op.undo.push(f"release serial port {port}",
                     functools.partial(serial.release_port, host, port))
        ports.append(port)
    return tuple(ports)


def of_domain(xml: str) -> tuple[int, ...]:
    """Return the ports that a domain was given."""
    return tuple(port.port for port in read.serials(xml)
                 if isinstance(port, domain_spec.SerialTcp))
