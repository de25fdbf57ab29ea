"""What we write, asked of the real libvirt."""

import pathlib
import unittest
import uuid

from hypothesis import given
import libvirt
from lxml import etree

from nova_custom_driver.spec import cpu
from nova_custom_driver.spec import device
from nova_custom_driver.spec import disk
from nova_custom_driver.spec import guest
from nova_custom_driver.spec import nic
from nova_custom_driver.virt.xml import domain
from nova_custom_driver.virt.xml import read
from tests import factories
from tests import strategies
from tests.functional.services import libvirt as libvirt_service

NAME = "ncd-xml-guest"
UNDEFINE = libvirt.VIR_DOMAIN_UNDEFINE_NVRAM
LOG = factories.a_log()


class TestDriverTest(unittest.TestCase):
    """libvirt's parser, which asks for no QEMU."""

    def setUp(self):
        super().setUp()
        self.connection = libvirt.open("test:///default")
        self.addCleanup(self.connection.close)

    def define(self, made):
        defined = self.connection.defineXMLFlags(
            domain.domain_xml(made), libvirt.VIR_DOMAIN_DEFINE_VALIDATE)
        try:
            return etree.fromstring(defined.XMLDesc())
        finally:
            defined.undefine()

    def test_a_plain_guest(self):
        """guest-config B2, B3, B4, B5."""
        root = self.define(factories.a_guest(name=NAME))
        self.assertEqual(
            [NAME, factories.UUID, "524288", "2"],
            [root.findtext(tag) for tag in ("name", "uuid", "memory",
                                            "vcpu")])
        self.assertIsNotNone(root.find("metadata/{*}instance/{*}flavor"))

    @strategies.patient
    @given(strategies.guests())
    def test_any_guest(self, made):
        root = self.define(made)
        self.assertEqual(
            {item.plan.target for item in made.disks},
            {node.get("dev") for node in root.iterfind(".//disk/target")})


class QemuTest(unittest.TestCase):
    """What libvirt knows of the QEMU of this host."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.enterClassContext(libvirt_service.Libvirt())

    def setUp(self):
        super().setUp()
        self.connection = libvirt.open(libvirt_service.URI)
        self.addCleanup(self.connection.close)

    def define(self, *, boot=None, **changes):
        """Return the XML libvirt keeps of a guest of its own."""
        instance = str(uuid.uuid4())
        made = factories.a_guest(
            name=f"{NAME}-{instance}", uuid=instance,
            boot=factories.a_boot(
                smbios=factories.a_smbios(uuid=instance), **(boot or {})),
            **changes)
        defined = self.connection.defineXMLFlags(
            domain.domain_xml(made), libvirt.VIR_DOMAIN_DEFINE_VALIDATE)
        self.addCleanup(defined.undefineFlags, UNDEFINE)
        return defined.XMLDesc(libvirt.VIR_DOMAIN_XML_INACTIVE)

    def find(self, path, **changes):
        return etree.fromstring(self.define(**changes)).find(path)

    def test_a_plain_guest(self):
        """guest-config B1-B7, C5, H2, M6, S1, S6."""
        xml = self.define(features=guest.Features(vmcoreinfo=True))
        (kept,) = read.disks(xml)
        self.assertEqual(
            ("vda", "virtio", "disk", "qcow2", "file",
             factories.a_file().path),
            (kept.target, kept.bus, kept.device, kept.format, kept.kind,
             kept.path))
        self.assertEqual("pci", kept.address.kind)
        (port,) = read.serials(xml)
        self.assertEqual(LOG, port.log)
        self.assertEqual([factories.MAC],
                         [item.mac for item in read.interfaces(xml)])

    def test_disks_of_every_bus(self):
        """guest-config D1-D3, D6, D12-D16, D25."""
        bus = disk.Bus
        xml = self.define(
            disks=[
                factories.a_disk(
                    iotune=disk.IoTune(
                        total_iops_sec=100, total_iops_sec_max=200,
                        size_iops_sec=4096),
                    serial="s1", discard="unmap", io="native", alias="ua-1",
                    block_sizes=disk.BlockSizes(logical=512, physical=4096)),
                factories.a_disk(bus=bus.SCSI, target="sda", unit=0),
                factories.a_disk(bus=bus.SCSI, target="sdb", unit=7),
                factories.a_disk(bus=bus.USB, target="sdc"),
                factories.a_disk(bus=bus.SATA, target="sdd"),
                factories.a_disk(bus=bus.FDC, target="fda",
                                 device=disk.Device.FLOPPY),
                factories.a_config_drive()],
            devices=factories.the_devices(controllers=(
                device.UsbController(model=None),
                device.ScsiController(model="virtio-scsi"))))
        kept = {item.target: item for item in read.disks(xml)}
        self.assertEqual({"vda", "sda", "sdb", "sdc", "sdd", "fda", "hda"},
                         set(kept))
        self.assertEqual([0, 7], [kept[target].address.drive.unit
                                  for target in ("sda", "sdb")])
        self.assertEqual(("s1", "ua-1"),
                         (kept["vda"].serial, kept["vda"].alias))
        self.assertEqual(["hda"], [target for target, item in kept.items()
                                   if item.readonly])

    def test_uefi_on_q35(self):
        """guest-config F1, F2, P7."""
        xml = self.define(
            boot={"firmware": factories.uefi(), "machine": "q35",
                  "menu": True},
            disks=[factories.a_disk(), factories.a_config_drive(
                bus=disk.Bus.SATA, target="sda")],
            devices=factories.the_devices(controllers=(
                device.PcieRootPorts(count=4),
                device.UsbController(model="qemu-xhci"))))
        root = etree.fromstring(xml)
        self.assertEqual("efi", root.find("os").get("firmware"))
        self.assertGreaterEqual(
            len(root.findall(".//controller[@model='pcie-root-port']")), 4)

    def test_firmware_of_other_kinds(self):
        """guest-config F3, F4."""
        xml = self.define(boot={"machine": "q35", "firmware": factories.uefi(
            secure_boot=True)})
        root = etree.fromstring(xml)
        self.assertEqual("yes", root.find("os/firmware/feature").get(
            "enabled"))
        xml = self.define(boot={"machine": "q35", "firmware": factories.uefi(
            stateless=True)})
        self.assertEqual("yes", etree.fromstring(xml).find(
            "os/loader").get("stateless"))

    def test_known_firmware(self):
        """guest-config F5."""
        record = factories.a_record(smm=False)
        xml = self.define(boot={"machine": "q35",
                                "firmware": factories.uefi(record=record)})
        self.assertEqual(record, read.firmware_record(xml))

    def test_kernel(self):
        """guest-config B12, B13."""
        self.assertEqual(
            "root=/dev/vda console=ttyS0",
            self.find("os/cmdline", boot={
                "kernel": factories.a_kernel(), "devices": ()}).text)

    def test_windows(self):
        """guest-config B8, C7, C8, C20, H3, H4, H5, H6."""
        root = etree.fromstring(self.define(
            features=guest.Features(
                hyperv=True, hyperv_vendor_id="1234567890ab", hidden=True,
                pmu=False, tb_cache_mib=64),
            clock=guest.Clock(offset="localtime", timers=(
                guest.Timer(name="pit", tickpolicy="delay"),
                guest.Timer(name="rtc", tickpolicy="catchup"),
                guest.Timer(name="hpet", present=False),
                guest.Timer(name="hypervclock", present=True)))))
        self.assertEqual(11, len(root.find("features/hyperv")))
        self.assertEqual(4, len(root.find("clock")))

    def test_processors(self):
        """guest-config C1, C2, C3, C6, C9, C21."""
        width = cpu.AddressWidth(mode=cpu.AddressMode.EMULATE, bits=40)
        for made in (factories.a_cpu(mode=None),
                     factories.a_cpu(address_width=width),
                     factories.a_cpu(mode=cpu.Mode.CUSTOM, model="qemu64",
                                     features=(cpu.Feature(name="pcid"),))):
            root = etree.fromstring(self.define(
                cpu=made, perf_events=("cpu_clock",), cpuset=frozenset((0,)),
                cpu_tuning=cpu.Tuning(shares=1024, period=100000,
                                      quota=50000)))
            self.assertEqual("2", root.find("cpu/topology").get("sockets"))
            self.assertEqual("1024", root.findtext("cputune/shares"))

    def test_consoles(self):
        """guest-config G1, G2, G4, G6, G7, G9, G11, S1, S2, S5, S7, S9."""
        xml = self.define(devices=factories.the_devices(
            serials=(device.SerialTcp(host="127.0.0.1", port=10000, log=LOG),
                     device.SerialTcp(host="127.0.0.1", port=10001)),
            channels=(device.SpiceChannel(), device.AgentChannel(
                path=pathlib.PurePosixPath(
                    "/var/lib/libvirt/qemu/org.qemu.guest_agent.0.x.sock"))),
            graphics=(device.Spice(
                listen="127.0.0.1", secure=True, image_compression="auto_glz",
                jpeg_compression="auto", zlib_compression="auto",
                playback_compression=True, streaming_mode="filter"),),
            video=device.Video(model="vga", vram_kib=16384),
            inputs=tuple(device.Input(kind=kind, bus="virtio")
                         for kind in device.InputKind),
            controllers=(device.UsbController(model="qemu-xhci"),),
            rng=factories.an_rng(rate_bytes=2048, rate_period_ms=500),
            watchdog=device.WatchdogAction.RESET, sound="ich9",
            redirected_usb_ports=2))
        self.assertEqual([10000, 10001],
                         [port.port for port in read.serials(xml)])
        self.assertEqual([LOG, None],
                         [port.log for port in read.serials(xml)])
        self.assertEqual([("spice", "127.0.0.1")], [
            (item.kind, item.listen) for item in read.graphics(xml)])

    def test_no_balloon_and_no_screen(self):
        """guest-config M6, G5."""
        root = etree.fromstring(self.define(devices=device.Devices(
            balloon=device.Balloon(stats_period_seconds=None))))
        self.assertEqual("none", root.find(".//memballoon").get("model"))
        self.assertIsNone(root.find(".//graphics"))

    def test_interfaces(self):
        """guest-config I1, I3-I6, I8; network V1, V2, V23, X1-X5."""
        limits = nic.Bandwidth(average=100, peak=200, burst=300)
        sources = (
            factories.a_tap(), factories.a_tap(made_by_libvirt=True),
            nic.BridgeSource(bridge="qbr1", target="tap3"),
            nic.OpenVSwitchSource(bridge="br-int", target="tap4",
                                  interface_id=factories.PORT))
        xml = self.define(nics=[factories.a_nic(
            source=source, mac=f"fa:16:3e:00:00:{index:02x}", mtu=1442,
            driver="vhost", queues=2, rx_queue_size=512, inbound=limits,
            outbound=limits) for index, source in enumerate(sources)])
        self.assertEqual(
            [factories.a_tap().target] * 2 + ["tap3", "tap4"],
            [item.target for item in read.interfaces(xml)])
