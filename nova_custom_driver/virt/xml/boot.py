"""``<os>`` and ``<sysinfo>``; see "Operating system booting"."""

import pathlib

from lxml import etree

from nova_custom_driver.spec import firmware
from nova_custom_driver.spec import guest as spec
from nova_custom_driver.virt.xml.element import Child, el, optional, yes_no


def os_xml(boot: spec.Boot) -> etree._Element:
    record = boot.firmware.record
    uefi = boot.firmware.kind is firmware.Kind.UEFI
    kernel = boot.kernel
    # libvirt 9.0 refuses <loader secure=...> beside the feature, and without
    # the feature takes firmware that starts signed kernels only.
    chosen_by_libvirt = uefi and record is None
    return el(
        "os",
        _features(boot.firmware) if chosen_by_libvirt else None,
        el("type", text=boot.os_type, arch=boot.arch, machine=boot.machine),
        _loader(boot.firmware),
        _nvram(record),
        optional("kernel", str(kernel.kernel)) if kernel else None,
        optional("initrd", _text(kernel.ramdisk)) if kernel else None,
        optional("cmdline", kernel.command_line) if kernel else None,
        *(el("boot", dev=device) for device in boot.devices),
        el("smbios", mode="sysinfo") if boot.smbios else None,
        el("bootmenu", enable="yes") if boot.menu else None,
        # libvirt picks the files only where none are named.
        firmware="efi" if chosen_by_libvirt else None)


def sysinfo_xml(smbios: spec.Smbios | None) -> Child:
    if smbios is None:
        return None
    entries = (("manufacturer", smbios.manufacturer),
               ("product", smbios.product), ("version", smbios.version),
               ("serial", smbios.serial), ("uuid", smbios.uuid),
               ("family", smbios.family))
    return el("sysinfo", el("system", *(
        el("entry", text=text, name=name)
        for name, text in entries if text is not None)), type="smbios")


def _features(wanted: firmware.Firmware) -> etree._Element:
    return el("firmware", el("feature", name="secure-boot",
                             enabled=yes_no(wanted.secure_boot)))


def _loader(wanted: firmware.Firmware) -> Child:
    record = wanted.record
    stateless = yes_no(True) if wanted.stateless else None
    if record is None:
        read_only = yes_no(True) if wanted.read_only else None
        return (el("loader", readonly=read_only, stateless=stateless)
                if read_only or stateless else None)
    secure = record.loader_secure
    return el("loader", text=str(record.loader), type=record.loader_type,
              readonly=yes_no(record.loader_readonly),
              secure=yes_no(secure) if secure is not None else None,
              stateless=stateless)


def _nvram(record: firmware.Record | None) -> Child:
    if record is None or not (record.nvram or record.nvram_template):
        return None
    return el("nvram", text=_text(record.nvram),
              template=_text(record.nvram_template))


def _text(path: pathlib.PurePosixPath | None) -> str | None:
    return None if path is None else str(path)
