"""The ``nova`` element of ``<metadata>``; ceilometer and others read it."""

from collections.abc import Mapping

from lxml import etree

from nova_custom_driver.spec import metadata as spec

NAMESPACE = "http://openstack.org/xmlns/libvirt/nova/1.1"


def metadata_xml(metadata: spec.Metadata) -> etree._Element:
    instance = etree.Element(_name("instance"), nsmap={"nova": NAMESPACE})
    etree.SubElement(instance, _name("package"),
                     version=metadata.package_version)
    _text(instance, "name", metadata.display_name)
    _text(instance, "creationTime", metadata.created_at)
    instance.append(_flavor(metadata.flavor))
    instance.append(_image(metadata.image))
    instance.append(_owner(metadata.owner))
    if metadata.image.id is not None:
        etree.SubElement(instance, _name("root"), type="image",
                         uuid=metadata.image.id)
    instance.append(_ports(metadata.ports))
    element = etree.Element("metadata")
    element.append(instance)
    return element


def _flavor(flavor: spec.Flavor) -> etree._Element:
    element = etree.Element(_name("flavor"), name=flavor.name)
    if flavor.id is not None:
        element.set("id", flavor.id)
    for tag, number in (("memory", flavor.memory_mib),
                        ("disk", flavor.disk_gib),
                        ("swap", flavor.swap_mib),
                        ("ephemeral", flavor.ephemeral_gib),
                        ("vcpus", flavor.vcpus)):
        _text(element, tag, str(number))
    specs = etree.SubElement(element, _name("extraSpecs"))
    _named(specs, "extraSpec", flavor.extra_specs)
    return element


def _image(image: spec.Image) -> etree._Element:
    element = etree.Element(_name("image"), uuid=image.id or "")
    for tag, value in (("containerFormat", image.container_format),
                       ("diskFormat", image.disk_format),
                       ("minDisk", str(image.min_disk_gib)),
                       ("minRam", str(image.min_ram_mib))):
        if value is not None:
            _text(element, tag, value)
    properties = etree.SubElement(element, _name("properties"))
    _named(properties, "property", image.properties)
    return element


def _owner(owner: spec.Owner) -> etree._Element:
    element = etree.Element(_name("owner"))
    for tag, name, uuid in (("user", owner.user_name, owner.user_id),
                            ("project", owner.project_name,
                             owner.project_id)):
        if uuid is not None:
            _text(element, tag, name or "").set("uuid", uuid)
    return element


def _ports(ports: tuple[spec.Port, ...]) -> etree._Element:
    element = etree.Element(_name("ports"))
    for port in ports:
        node = etree.SubElement(element, _name("port"), uuid=port.id)
        for address in port.addresses:
            etree.SubElement(node, _name("ip"), type=address.type,
                             address=address.address,
                             ipVersion=str(address.version))
    return element


def _named(parent: etree._Element, tag: str,
           values: Mapping[str, str]) -> None:
    for name in sorted(values):
        _text(parent, tag, values[name]).set("name", name)


def _text(parent: etree._Element, tag: str, text: str) -> etree._Element:
    element = etree.SubElement(parent, _name(tag))
    element.text = text
    return element


def _name(tag: str) -> str:
    return f"{{{NAMESPACE}}}{tag}"
