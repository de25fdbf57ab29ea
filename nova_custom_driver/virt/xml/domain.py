"""``<domain>``; see "Domain XML format" in libvirt's documentation."""

from lxml import etree

from nova_custom_driver.spec import guest as spec
from nova_custom_driver.virt.xml import boot
from nova_custom_driver.virt.xml import clock
from nova_custom_driver.virt.xml import controller
from nova_custom_driver.virt.xml import cpu
from nova_custom_driver.virt.xml import disk
from nova_custom_driver.virt.xml import features
from nova_custom_driver.virt.xml import graphics
from nova_custom_driver.virt.xml import hostdev
from nova_custom_driver.virt.xml import interface
from nova_custom_driver.virt.xml import iommu
from nova_custom_driver.virt.xml import metadata
from nova_custom_driver.virt.xml import peripheral
from nova_custom_driver.virt.xml import serial
from nova_custom_driver.virt.xml.element import Child, el


def domain_xml(guest: spec.Guest) -> str:
    """Return the guest as libvirt is to define it."""
    plan = guest.plan
    domain = el(
        "domain",
        el("uuid", text=plan.uuid),
        el("name", text=plan.name),
        el("memory", text=str(plan.memory_kib), unit="KiB"),
        el("vcpu", text=str(plan.vcpus), cpuset=_cpuset(plan.cpuset)),
        el("iothreads", text=str(plan.iothreads)),
        metadata.metadata_xml(plan.metadata),
        boot.sysinfo_xml(plan.boot.smbios),
        boot.os_xml(plan.boot),
        features.features_xml(plan),
        cpu.cputune_xml(plan.cpu_tuning),
        clock.clock_xml(plan.clock),
        cpu.cpu_xml(plan.cpu),
        _perf(plan.perf_events),
        _devices(guest),
        type=plan.virt_type)
    return etree.tostring(domain, encoding="unicode", pretty_print=True)


def _devices(guest: spec.Guest) -> etree._Element:
    devices = guest.plan.devices
    parts: list[Child] = [disk.disk_xml(item) for item in guest.disks]
    parts += [interface.interface_xml(nic) for nic in guest.nics]
    parts += [serial.serial_xml(port) for port in devices.serials]
    parts += [serial.console_xml(port) for port in devices.consoles]
    parts += [serial.channel_xml(channel) for channel in devices.channels]
    parts += [graphics.input_xml(item) for item in devices.inputs]
    parts += [graphics.graphics_xml(item) for item in devices.graphics]
    parts.append(graphics.video_xml(devices.video))
    for item in devices.controllers:
        parts += controller.controller_xml(item)
    parts += [hostdev.hostdev_xml(item) for item in devices.host_devices]
    parts += [iommu.iommu_xml(devices.iommu),
              peripheral.rng_xml(devices.rng),
              peripheral.watchdog_xml(devices.watchdog),
              peripheral.memballoon_xml(devices.balloon),
              peripheral.sound_xml(devices.sound)]
    parts += [peripheral.redirdev_xml()
              for _ in range(devices.redirected_usb_ports)]
    return el("devices", *parts)


def _cpuset(cpus: frozenset[int] | None) -> str | None:
    return ",".join(map(str, sorted(cpus))) if cpus else None


def _perf(events: tuple[str, ...]) -> Child:
    if not events:
        return None
    return el("perf", *(el("event", name=name, enabled="yes")
                        for name in events))
