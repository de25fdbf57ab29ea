"""What a kind of domain can have; see "Domain capabilities XML format"."""

from lxml import etree

from nova_custom_driver.spec import host as spec

# Elements whose <enum> lists become DomainFacts.enums.
DEVICES = ("graphics", "hostdev", "rng", "tpm", "channel", "filesystem",
           "redirdev")


def domain_facts(xml: str, arch: str, virt_type: str) -> spec.DomainFacts:
    """Return what libvirt says it can build of that kind."""
    root = etree.fromstring(xml)
    vcpu = root.find("vcpu")
    return spec.DomainFacts(
        arch=arch, machine=root.findtext("machine", default=""),
        virt_type=virt_type, emulator=root.findtext("path", default=""),
        max_vcpus=int(vcpu.get("max", "1")) if vcpu is not None else 1,
        disk_buses=_enum(root, "./devices/disk", "bus"),
        video_models=_enum(root, "./devices/video", "modelType"),
        firmwares=_enum(root, "./os", "firmware") | {"bios"},
        secure_boot="yes" in _enum(root, "./os/loader", "secure"),
        cpu_modes=frozenset(
            mode.get("name", "") for mode in root.iterfind("./cpu/mode")
            if mode.get("supported") == "yes"),
        cpu_models=frozenset(
            model.text or "" for model in root.iterfind(
                "./cpu/mode[@name='custom']/model")
            if model.get("usable") != "no"),
        enums={
            f"{device}/{enum.get('name')}": _values(enum)
            for device in DEVICES
            for enum in root.iterfind(f"./devices/{device}/enum")},
        sev=_sev(root),
        tdx=root.find("./features/tdx[@supported='yes']") is not None,
        launch_security=_enum(
            root, "./features/launchSecurity[@supported='yes']", "sectype"))


def _sev(root: etree._Element) -> spec.Sev | None:
    node = root.find("./features/sev[@supported='yes']")
    if node is None:
        return None
    return spec.Sev(
        c_bit=int(node.findtext("cbitpos") or 0),
        reduced_bits=int(node.findtext("reducedPhysBits") or 0),
        max_guests=int(node.findtext("maxGuests") or 0),
        max_es_guests=int(node.findtext("maxESGuests") or 0))


def _enum(root: etree._Element, path: str, name: str) -> frozenset[str]:
    node = root.find(f"{path}/enum[@name='{name}']")
    return _values(node) if node is not None else frozenset()


def _values(enum: etree._Element) -> frozenset[str]:
    return frozenset(value.text or "" for value in enum.iterfind("value"))
