"""What libvirt makes of the in-tree driver's XML and of ours is the same."""

import unittest

import libvirt
from lxml import etree
from nova.virt.libvirt import config

from nova_custom_driver.spec import cpu
from nova_custom_driver.spec import device
from nova_custom_driver.spec import disk
from nova_custom_driver.spec import guest
from nova_custom_driver.spec import nic
from nova_custom_driver.virt.xml import domain
from tests import factories
from tests.functional.xml import in_tree

of = in_tree.of

def a_guest(**changes):
    return factories.a_guest(**{
        "metadata": factories.a_metadata(
            flavor=factories.a_flavor(extra_specs={"hw:boot_menu": "yes"}),
            image=factories.an_image(properties={"hw_disk_bus": "virtio"})),
        **changes})


class InTreeTest(unittest.TestCase):

    maxDiff = None

    def setUp(self):
        super().setUp()
        self.connection = libvirt.open("test:///default")
        self.addCleanup(self.connection.close)

    def kept(self, xml):
        """Return what libvirt keeps, without layout."""
        defined = self.connection.defineXMLFlags(
            xml, libvirt.VIR_DOMAIN_DEFINE_VALIDATE)
        try:
            root = etree.fromstring(
                defined.XMLDesc(), etree.XMLParser(remove_blank_text=True))
        finally:
            defined.undefine()
        etree.indent(root)
        return etree.tostring(root, encoding="unicode")

    def assert_same(self, theirs, ours):
        self.assertMultiLineEqual(self.kept(theirs.to_xml()),
                                  self.kept(domain.domain_xml(ours)))

    def test_a_plain_guest(self):
        """guest-config B1-B7, C1, C5, C22, D1, G1, G3, G6, I1, S1, S6."""
        self.assert_same(in_tree.a_guest(), a_guest())

    def test_boot(self):
        """guest-config B12-B14, D20."""
        self.assert_same(
            in_tree.a_guest(os_kernel=str(factories.ROOT / "kernel"),
                          os_initrd=str(factories.ROOT / "ramdisk"),
                          os_cmdline="root=/dev/vda console=ttyS0",
                          os_boot_dev=["cdrom", "hd"], os_bootmenu=True),
            a_guest(boot=factories.a_boot(
                kernel=factories.a_kernel(), devices=("cdrom", "hd"),
                menu=True)))

    def test_known_firmware(self):
        """guest-config F5."""
        record = factories.a_record()
        self.assert_same(
            in_tree.a_guest(
                os_loader=str(record.loader), os_loader_type="pflash",
                os_loader_readonly=True, os_loader_secure=False,
                os_nvram=str(record.nvram),
                os_nvram_template=str(record.nvram_template)),
            a_guest(boot=factories.a_boot(
                firmware=factories.uefi(record=record))))

    def test_processor(self):
        """guest-config C2, C3, C6, C9, C17, C21."""
        feature = config.LibvirtConfigGuestCPUFeature
        self.assert_same(
            in_tree.a_guest(
                cpu=of(config.LibvirtConfigGuestCPU, mode="custom",
                       model="Haswell", sockets=1, cores=1, threads=2,
                       maxphysaddr=of(
                           config.LibvirtConfigGuestCPUMaxPhysAddr,
                           mode="emulate", bits=42),
                       features={feature("pcid"),
                                 feature("vmx", policy="disable")}),
                cputune=of(config.LibvirtConfigGuestCPUTune, shares=1024,
                           period=100000, quota=50000),
                cpuset={0, 1, 3}, perf_events=["cpu_clock"]),
            a_guest(
                cpu=factories.a_cpu(
                    mode=cpu.Mode.CUSTOM, model="Haswell",
                    address_width=cpu.AddressWidth(
                        mode=cpu.AddressMode.EMULATE, bits=42),
                    topology=factories.a_topology(sockets=1, threads=2),
                    features=(cpu.Feature(name="pcid"), cpu.Feature(
                        name="vmx", policy=cpu.Policy.DISABLE))),
                cpu_tuning=cpu.Tuning(shares=1024, period=100000,
                                      quota=50000),
                cpuset=frozenset((0, 1, 3)), perf_events=("cpu_clock",)))

    def test_windows(self):
        """guest-config C7, C8, C20, H2-H6."""
        hyperv = of(
            config.LibvirtConfigGuestFeatureHyperV, relaxed=True, vapic=True,
            spinlocks=True, spinlock_retries=8191, vpindex=True,
            runtime=True, synic=True, reset=True, frequencies=True,
            tlbflush=True, ipi=True, vendorid_spoof=True)
        timer = config.LibvirtConfigGuestTimer
        self.assert_same(
            in_tree.a_guest(
                features=[
                    config.LibvirtConfigGuestFeatureACPI(),
                    config.LibvirtConfigGuestFeatureAPIC(),
                    config.LibvirtConfigGuestFeatureVMCoreInfo(),
                    config.LibvirtConfigGuestFeatureKvmHidden(),
                    config.LibvirtConfigGuestFeaturePMU("no"),
                    config.LibvirtConfigGuestFeatureTCG(64), hyperv],
                clock=of(config.LibvirtConfigGuestClock, offset="localtime",
                         timers=[
                             of(timer, name="pit", tickpolicy="delay"),
                             of(timer, name="rtc", tickpolicy="catchup"),
                             of(timer, name="hpet", present=False),
                             of(timer, name="hypervclock", present=True)])),
            a_guest(
                features=guest.Features(
                    vmcoreinfo=True, hidden=True, hyperv=True, pmu=False,
                    hyperv_vendor_id="1234567890ab", tb_cache_mib=64),
                clock=guest.Clock(offset="localtime", timers=(
                    guest.Timer(name="pit", tickpolicy="delay"),
                    guest.Timer(name="rtc", tickpolicy="catchup"),
                    guest.Timer(name="hpet", present=False),
                    guest.Timer(name="hypervclock", present=True)))))

    def test_disks(self):
        """guest-config D6, D9-D16, D25."""
        self.assert_same(
            in_tree.a_guest(devices=in_tree.the_devices(disks=[
                in_tree.a_disk(
                    driver_cache="directsync", driver_discard="unmap",
                    driver_io="native", serial="s1", alias="ua-1",
                    logical_block_size="512", physical_block_size="4096",
                    disk_read_bytes_sec=1, disk_write_iops_sec=2,
                    disk_read_bytes_sec_max=3, disk_size_iops_sec=4096),
                in_tree.a_disk(
                    target_dev="sda", target_bus="scsi", device_addr=of(
                        config.LibvirtConfigGuestDeviceAddressDrive,
                        controller=0, unit=3)),
                in_tree.a_disk(
                    target_dev="hda", target_bus="ide", driver_format="raw",
                    source_device="cdrom",
                    source_path=str(factories.ROOT / "disk.config"))])),
            a_guest(disks=[
                factories.a_disk(
                    cache="directsync", discard="unmap", io="native",
                    serial="s1", alias="ua-1", block_sizes=disk.BlockSizes(
                        logical=512, physical=4096),
                    iotune=disk.IoTune(
                        read_bytes_sec=1, write_iops_sec=2,
                        read_bytes_sec_max=3, size_iops_sec=4096)),
                factories.a_disk(target="sda", bus=disk.Bus.SCSI, unit=3),
                factories.a_config_drive()]))

    def test_interfaces(self):
        """guest-config I3-I6, I8; network V1, V2, V23, X1-X5."""
        limits = nic.Bandwidth(average=100, peak=200, burst=300)
        self.assert_same(
            in_tree.a_guest(devices=in_tree.the_devices(interfaces=[
                in_tree.an_interface(
                    driver_name="vhost", vhost_queues=2, mtu=1442,
                    vhost_rx_queue_size=512, vif_inbound_average=100,
                    vif_inbound_peak=200, vif_inbound_burst=300,
                    vif_outbound_average=100, vif_outbound_peak=200,
                    vif_outbound_burst=300),
                in_tree.an_interface(managed=None, mtu=1500),
                in_tree.an_interface(
                    net_type="bridge", source_dev="qbr1", managed=None,
                    driver_name="qemu", mtu=9000),
                in_tree.an_interface(
                    net_type="bridge", source_dev="br-int", managed=None,
                    vporttype="openvswitch", vportparams=[
                        {"key": "interfaceid", "value": factories.PORT}])])),
            a_guest(nics=[
                factories.a_nic(
                    driver="vhost", queues=2, mtu=1442, rx_queue_size=512,
                    inbound=limits, outbound=limits),
                factories.a_nic(mtu=1500, source=factories.a_tap(
                    made_by_libvirt=True)),
                factories.a_nic(driver="qemu", mtu=9000, source=(
                    nic.BridgeSource(bridge="qbr1",
                                     target=factories.a_tap().target))),
                factories.a_nic(source=nic.OpenVSwitchSource(
                    bridge="br-int", target=factories.a_tap().target,
                    interface_id=factories.PORT))]))

    def test_devices(self):
        """guest-config D6, G2, G4, G7, G9-G11, M6, P7, S1, S2, S5, S7, S9.
        """
        port = config.LibvirtConfigGuestSerial
        channel = config.LibvirtConfigGuestChannel
        self.assert_same(
            in_tree.a_guest(os_mach_type="q35", devices=(
                in_tree.the_devices(others=[
                    of(port, type="tcp", listen_host="::1",
                       listen_port=10000, log=in_tree.a_log()),
                    of(port, type="tcp", listen_host="::1",
                       listen_port=10001),
                    of(channel, type="spicevmc",
                       target_name="com.redhat.spice.0"),
                    of(channel, type="unix", source_path="/run/agent.sock",
                       target_name="org.qemu.guest_agent.0"),
                    of(config.LibvirtConfigGuestGraphics, type="spice",
                       listen="::1", secure=True, image_compression="off",
                       jpeg_compression="auto", zlib_compression="never",
                       playback_compression=False, streaming_mode="all"),
                    of(config.LibvirtConfigGuestVideo, type="qxl",
                       vram=65536),
                    of(config.LibvirtConfigGuestInput, bus="virtio"),
                    of(config.LibvirtConfigGuestInput, type="keyboard",
                       bus="virtio"),
                    of(config.LibvirtConfigGuestController, type="scsi",
                       index=0, model="virtio-scsi"),
                    config.LibvirtConfigGuestPCIeRootController(),
                    config.LibvirtConfigGuestPCIeRootPortController(),
                    of(config.LibvirtConfigGuestUSBHostController, index=0,
                       model="qemu-xhci"),
                    of(config.LibvirtConfigGuestRng, backend="/dev/urandom",
                       rate_bytes=2048, rate_period=500),
                    of(config.LibvirtConfigGuestWatchdog, action="pause"),
                    of(config.LibvirtConfigMemoryBalloon, model="none"),
                    config.LibvirtConfigGuestSound("ich9"),
                    config.LibvirtConfigGuestUSBRedirect()]))),
            a_guest(
                boot=factories.a_boot(machine="q35"),
                devices=device.Devices(
                    serials=(device.SerialTcp(host="::1", port=10000,
                                              log=factories.a_log()),
                             device.SerialTcp(host="::1", port=10001)),
                    channels=(device.SpiceChannel(),
                              device.AgentChannel(path="/run/agent.sock")),
                    graphics=(device.Spice(
                        listen="::1", secure=True, image_compression="off",
                        jpeg_compression="auto", zlib_compression="never",
                        playback_compression=False, streaming_mode="all"),),
                    video=device.Video(model="qxl", vram_kib=65536),
                    inputs=tuple(device.Input(kind=kind, bus="virtio")
                                 for kind in device.InputKind),
                    controllers=(device.ScsiController(model="virtio-scsi"),
                                 device.PcieRootPorts(count=1),
                                 device.UsbController(model="qemu-xhci")),
                    rng=factories.an_rng(rate_bytes=2048,
                                         rate_period_ms=500),
                    watchdog=device.WatchdogAction.PAUSE,
                    balloon=device.Balloon(stats_period_seconds=None),
                    sound="ich9", redirected_usb_ports=1)))
