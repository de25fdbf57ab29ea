"""The host's mediated devices; see "Node devices XML format" of libvirt."""

from lxml import etree

from nova_custom_driver.spec import node_device as spec


def mdev_parent(document: str) -> spec.MdevParent:
    """Return what can be made of a device.

    The types stand below "pci", or below the device itself where it is
    none of real hardware.
    """
    root = etree.fromstring(document)
    return spec.MdevParent(
        name=root.findtext("name", default=""),
        types=tuple(
            spec.MdevType(
                name=node.get("id", ""),
                api=node.findtext("deviceAPI", default=""),
                available=int(node.findtext("availableInstances") or 0))
            for node in root.iterfind(
                ".//capability[@type='mdev_types']/type")))


def mdev(document: str) -> spec.Mdev:
    root = etree.fromstring(document)
    group = root.find("./capability[@type='mdev']/iommuGroup")
    kind = root.find("./capability[@type='mdev']/type")
    return spec.Mdev(
        uuid=(root.findtext("./capability[@type='mdev']/uuid")
              or _uuid_of(root.findtext("name", default=""))),
        parent=root.findtext("parent", default=""),
        type=kind.get("id", "") if kind is not None else "",
        iommu_group=int(group.get("number", "0"))
        if group is not None else None)


def creation(device: spec.Mdev) -> str:
    """Return what libvirt makes the device from."""
    root = etree.Element("device")
    etree.SubElement(root, "parent").text = device.parent
    capability = etree.SubElement(root, "capability", type="mdev")
    etree.SubElement(capability, "type", id=device.type)
    etree.SubElement(capability, "uuid").text = device.uuid
    return etree.tostring(root, encoding="unicode")


def _uuid_of(name: str) -> str:
    # "mdev_4b20d080_1b54_4048_85b3_a6a62d165c01"; libvirt says the uuid
    # itself since 7.3, and puts the parent behind it since 7.7.
    return "-".join(name.split("_")[1:6])
