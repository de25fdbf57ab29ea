"""A libvirt connection that answers with written facts.

Enough of :class:`libvirt.virConnect` for what the host reports, so that the
in-tree driver and ours can be asked about the same host.
"""

import dataclasses
import pathlib

import libvirt
from lxml import etree

from tests.hosts import capabilities
from tests.hosts import node_devices

DOMAINS = (pathlib.Path(__file__).parent.parent
           / "unit" / "virt" / "host" / "data")
# What each model stands for.
MODEL_FLAGS = {
    "qemu64": ("sse2", "pni", "mmx"),
    "EPYC": ("aes", "avx", "avx2", "svm", "sse2", "sha-ni"),
    "Icelake-Server-noTSX": ("aes", "avx", "avx512f", "vmx", "sse4.1"),
}
FLAG_CAPABILITIES = {
    libvirt.VIR_CONNECT_LIST_NODE_DEVICES_CAP_PCI_DEV: "pci",
    libvirt.VIR_CONNECT_LIST_NODE_DEVICES_CAP_NET: "net",
    libvirt.VIR_CONNECT_LIST_NODE_DEVICES_CAP_VDPA: "vdpa",
    libvirt.VIR_CONNECT_LIST_NODE_DEVICES_CAP_MDEV_TYPES: "mdev_types",
    libvirt.VIR_CONNECT_LIST_NODE_DEVICES_CAP_MDEV: "mdev",
}


@dataclasses.dataclass(kw_only=True)
class Connection:
    """:ivar features: XML that takes the place of ``<sev>`` in the
        capabilities of domains.
    :ivar without: names of devices that it has not.
    :ivar virt_types: those the host's QEMU runs as.
    """

    host: str = "intel-two-nodes"
    devices: str | None = None
    without: tuple = ()
    features: str = ""
    online: frozenset = frozenset(range(16))
    present: int = 16
    memory_mib: int = 160 * 1024
    libvirt_version: int = 10_004_000
    qemu_version: int = 8_002_002
    virt_types: tuple = ("qemu", "kvm")

    def getCapabilities(self):
        return capabilities.document(self.host)

    def getDomainCapabilities(self, emulator, arch, machine, virt_type,
                              flags):
        if virt_type not in self.virt_types:
            raise libvirt.libvirtError("no such type")
        name = "q35" if machine and "q35" in machine else "pc"
        text = (DOMAINS / f"domain-{name}-qemu.xml").read_text().replace(
            "<sev supported='no'/>", self.features)
        if virt_type == "kvm":
            text = text.replace(
                "<domain>qemu</domain>", "<domain>kvm</domain>").replace(
                "<mode name='host-passthrough' supported='no'/>",
                "<mode name='host-passthrough' supported='yes'/>")
        return text

    def getCPUModelNames(self, arch, flags=0):
        return list(MODEL_FLAGS)

    def baselineCPU(self, documents, flags=0):
        (document,) = documents
        cpu = etree.fromstring(document)
        found = etree.Element("cpu")
        etree.SubElement(found, "model").text = cpu.findtext("model")
        names = [node.get("name") for node in cpu.iterfind("feature")]
        for name in (*names, *MODEL_FLAGS[cpu.findtext("model")]):
            etree.SubElement(found, "feature", policy="require", name=name)
        return etree.tostring(found, encoding="unicode")

    def baselineHypervisorCPU(self, emulator, arch, machine, virt_type,
                              documents, flags=0):
        return self.baselineCPU(documents, flags)

    def getLibVersion(self):
        return self.libvirt_version

    def getVersion(self):
        return self.qemu_version

    def getType(self):
        return "QEMU"

    def getHostname(self):
        return "compute-1"

    def getCPUMap(self):
        return (self.present,
                [cpu in self.online for cpu in range(self.present)],
                len(self.online))

    def getInfo(self):
        return ["x86_64", self.memory_mib, len(self.online), 2000, 1, 1, 1,
                1]

    def listAllDomains(self, flags=0):
        return []

    def getAllDomainStats(self, stats=0, flags=0):
        return []

    def listAllDevices(self, flags=0):
        if self.devices is None:
            return []
        wanted = [name for flag, name in FLAG_CAPABILITIES.items()
                  if flags & flag]
        found = [Device(document) for document
                 in node_devices.documents(self.devices, *wanted)]
        return [each for each in found if each.name() not in self.without]

    def listDevices(self, capability, flags=0):
        return [device.name() for device in self.listAllDevices()
                if capability in device.listCaps()]

    def nodeDeviceLookupByName(self, name):
        return next(device for device in self.listAllDevices()
                    if device.name() == name)


class Device:
    """Enough of :class:`libvirt.virNodeDevice`."""

    def __init__(self, document):
        self._document = document
        self._root = etree.fromstring(document)

    def name(self):
        return self._root.findtext("name")

    def parent(self):
        return self._root.findtext("parent")

    def listCaps(self):
        return sorted(node_devices.capabilities_of(self._root))

    def XMLDesc(self, flags=0):
        return self._document
