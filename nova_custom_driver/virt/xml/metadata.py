"""The ``nova`` element of ``<metadata>``; ceilometer and others read it."""

from collections.abc import Mapping
import re

from lxml import etree

from nova_custom_driver.spec import metadata as spec
from nova_custom_driver.virt.xml.element import Child, el

NAMESPACE = "http://openstack.org/xmlns/libvirt/nova/1.1"
# What XML has no way to write, see "Characters" in XML 1.0.  Names and
# properties are free text, so users may have put any of it there.
UNWRITABLE = re.compile(
    "[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
REPLACEMENT = "\N{REPLACEMENT CHARACTER}"


def metadata_xml(metadata: spec.Metadata) -> etree._Element:
    return el("metadata", _nova(
        "instance",
        _nova("package", version=metadata.package_version),
        _nova("name", text=metadata.display_name),
        _nova("creationTime", text=metadata.created_at),
        _flavor(metadata.flavor),
        _image(metadata.image),
        _owner(metadata.owner),
        _nova("root", type=metadata.root_type, uuid=metadata.image.id or ""),
        _nova("ports", *(_port(port) for port in metadata.ports))))


def _flavor(flavor: spec.Flavor) -> etree._Element:
    return _nova(
        "flavor",
        _nova("memory", text=str(flavor.memory_mib)),
        _nova("disk", text=str(flavor.disk_gib)),
        _nova("swap", text=str(flavor.swap_mib)),
        _nova("ephemeral", text=str(flavor.ephemeral_gib)),
        _nova("vcpus", text=str(flavor.vcpus)),
        _nova("extraSpecs", *_named("extraSpec", flavor.extra_specs)),
        name=flavor.name, id=flavor.id)


def _image(image: spec.Image) -> etree._Element:
    return _nova(
        "image",
        _optional("containerFormat", image.container_format),
        _optional("diskFormat", image.disk_format),
        _nova("minDisk", text=str(image.min_disk_gib)),
        _nova("minRam", text=str(image.min_ram_mib)),
        _nova("properties", *_named("property", image.properties)),
        uuid=image.id or "")


def _owner(owner: spec.Owner) -> etree._Element:
    return _nova("owner",
                 _named_id("user", owner.user_name, owner.user_id),
                 _named_id("project", owner.project_name, owner.project_id))


def _port(port: spec.Port) -> etree._Element:
    return _nova("port", *(
        _nova("ip", type=address.type, address=address.address,
              ipVersion=str(address.version)) for address in port.addresses),
        uuid=port.id)


def _named(tag: str, values: Mapping[str, str]) -> list[etree._Element]:
    return [_nova(tag, text=values[name], name=name)
            for name in sorted(values)]


def _named_id(tag: str, name: str | None, uuid: str | None) -> Child:
    return None if uuid is None else _optional(tag, name, uuid=uuid)


def _optional(tag: str, text: str | None, **attributes: str) -> Child:
    return None if text is None else _nova(tag, text=text, **attributes)


def _nova(tag: str, *children: Child, text: str | None = None,
          **attributes: str | None) -> etree._Element:
    return el(f"{{{NAMESPACE}}}{tag}", *children, text=_writable(text),
              nsmap={"nova": NAMESPACE},
              **{name: _writable(value)
                 for name, value in attributes.items()})


def _writable(text: str | None) -> str | None:
    return None if text is None else UNWRITABLE.sub(REPLACEMENT, text)
