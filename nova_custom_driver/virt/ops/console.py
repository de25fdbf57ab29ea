"""What a guest's consoles show, and where they are reached."""

import pathlib

from nova import exception as nova_exception
from nova.console import type as console_type
from oslo_concurrency import lockutils

from nova_custom_driver import privsep
from nova_custom_driver.spec import domain as domain_spec
from nova_custom_driver.spec import settings as settings_spec
from nova_custom_driver.virt.host import base
from nova_custom_driver.virt.xml import read

OUTPUT_BYTES = 100 * 1024


def output(hypervisor: base.Hypervisor, instance_uuid: str,
           directory: pathlib.Path) -> bytes:
    """Return the last 100 KiB of the serial console.

    :param directory: the instance's; what was read from a pty that nobody
        logs is kept there, since it can be read only once.
    :raises nova.exception.ConsoleNotAvailable: the guest has no serial port,
        or only such as nobody logs and which are not pty.
    """
    ports = read.serials(hypervisor.find(instance_uuid).xml())
    for port in ports:
        if port.log is not None:
            return last_output(pathlib.Path(port.log), OUTPUT_BYTES)
    for port in ports:
        if isinstance(port, domain_spec.SerialPty) and port.path is not None:
            return _pty_output(pathlib.Path(port.path),
                               directory / "console.log")
    raise nova_exception.ConsoleNotAvailable


def _pty_output(pty: pathlib.Path, kept: pathlib.Path) -> bytes:
    with lockutils.lock(f"custom-driver-{kept}"):
        found = last_output(kept, OUTPUT_BYTES)
        found += privsep.read_pty(pty, OUTPUT_BYTES)
        kept.write_bytes(found[-OUTPUT_BYTES:])
    return found[-OUTPUT_BYTES:]


def last_output(log: pathlib.Path, count: int) -> bytes:
    """Return the end of a log that virtlogd may have cut into files.

    The newest part is ``log`` itself, then ``log.0``, ``log.1`` and so on;
    see ``max_size`` and ``max_backups`` in virtlogd.conf.
    """
    parts: list[bytes] = []
    path, index = log, 0
    while count > 0:
        try:
            content, _before = privsep.last_bytes(path, count)
        except FileNotFoundError:
            break
        parts.append(content)
        count -= len(content)
        path, index = log.with_name(f"{log.name}.{index}"), index + 1
    return b"".join(reversed(parts))


def vnc(hypervisor: base.Hypervisor, instance_uuid: str,
        settings: settings_spec.ConsoleSettings) -> console_type.ConsoleVNC:
    """Return where the VNC console is reached.

    :raises nova.exception.ConsoleTypeUnavailable: the guest has none.
    """
    found = _graphics(hypervisor, instance_uuid, "vnc")
    return console_type.ConsoleVNC(host=settings.vnc_host, port=found.port)


def spice(hypervisor: base.Hypervisor, instance_uuid: str,
          settings: settings_spec.ConsoleSettings
          ) -> console_type.ConsoleSpice:
    """Return where the SPICE console is reached.

    :raises nova.exception.ConsoleTypeUnavailable: the guest has none.
    """
    found = _graphics(hypervisor, instance_uuid, "spice")
    return console_type.ConsoleSpice(
        host=settings.spice_host, port=found.port, tlsPort=found.tls_port)


def serial(hypervisor: base.Hypervisor,
           instance_uuid: str) -> console_type.ConsoleSerial:
    """Return where the first serial port is reached.

    :raises nova.exception.ConsoleTypeUnavailable: the guest has none.
    """
    for port in read.serials(hypervisor.find(instance_uuid).xml()):
        if isinstance(port, domain_spec.SerialTcp):
            return console_type.ConsoleSerial(host=port.host, port=port.port)
    raise nova_exception.ConsoleTypeUnavailable(console_type="serial")


def _graphics(hypervisor: base.Hypervisor, instance_uuid: str,
              kind: str) -> domain_spec.Graphics:
    for found in read.graphics(hypervisor.find(instance_uuid).xml()):
        if found.kind == kind and (found.port or found.tls_port):
            return found
    raise nova_exception.ConsoleTypeUnavailable(console_type=kind)
