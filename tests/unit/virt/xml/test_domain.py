import unittest

from hypothesis import given
from lxml import etree

from nova_custom_driver.spec import cpu
from nova_custom_driver.spec import device
from nova_custom_driver.spec import guest
from nova_custom_driver.virt.xml import domain
from tests import factories
from tests import rng
from tests import strategies


def parsed(testcase, **changes):
    xml = domain.domain_xml(factories.a_guest(**changes))
    rng.assert_valid(testcase, xml)
    return etree.fromstring(xml)


class DomainXmlTest(unittest.TestCase):

    def test_the_guest_itself(self):
        """guest-config B1, B2, B3, B4, C22, H7, H8."""
        root = parsed(self, virt_type=guest.VirtType.KVM)
        self.assertEqual("kvm", root.get("type"))
        self.assertEqual(
            {"name": "instance-00000001", "uuid": factories.UUID,
             "memory": "524288", "vcpu": "2", "iothreads": "1"},
            {child.tag: child.text for child in root if not len(child)
             and child.tag not in ("clock", "perf")})
        self.assertEqual("KiB", root.find("memory").get("unit"))

    def test_parts(self):
        """guest-config B5, B6, C9, C21."""
        root = parsed(self, cpu_tuning=cpu.Tuning(shares=1024),
                      perf_events=("cpu_clock", "page_faults"))
        self.assertEqual(
            {"uuid", "name", "memory", "vcpu", "iothreads", "metadata",
             "sysinfo", "os", "features", "cputune", "clock", "cpu", "perf",
             "devices"}, {child.tag for child in root})
        self.assertEqual(
            [("cpu_clock", "yes"), ("page_faults", "yes")],
            [(event.get("name"), event.get("enabled"))
             for event in root.find("perf")])

    def test_what_was_not_asked_for(self):
        root = parsed(self, boot=factories.a_boot(smbios=None))
        for tag in ("sysinfo", "cputune", "perf", "vcpu[@cpuset]"):
            self.assertIsNone(root.find(tag))

    def test_processors_of_the_host(self):
        """guest-config C17."""
        root = parsed(self, cpuset=frozenset((10, 2, 3)))
        self.assertEqual("2,3,10", root.find("vcpu").get("cpuset"))

    def test_devices_keep_the_order_the_guest_sees(self):
        """guest-config D1, I1, S2."""
        root = parsed(
            self, disks=[factories.a_disk(target=target)
                         for target in ("vdb", "vda", "vdc")],
            nics=[factories.a_nic(mac=f"fa:16:3e:00:00:0{digit}")
                  for digit in (3, 1, 2)],
            devices=factories.the_devices(serials=[
                device.SerialTcp(host="::1", port=port)
                for port in (10001, 10000)]))
        devices = root.find("devices")
        self.assertEqual(["vdb", "vda", "vdc"], [
            node.get("dev") for node in devices.iterfind("disk/target")])
        self.assertEqual(["3", "1", "2"], [
            node.get("address")[-1]
            for node in devices.iterfind("interface/mac")])
        self.assertEqual(["10001", "10000"], [
            node.get("service")
            for node in devices.iterfind("serial/source")])

    def test_every_device(self):
        root = parsed(self, devices=factories.the_devices(
            channels=(device.SpiceChannel(),),
            consoles=(device.SerialPty(log=factories.a_log()),),
            controllers=(device.PcieRootPorts(count=2),),
            watchdog=device.WatchdogAction.RESET, sound="ich9",
            redirected_usb_ports=2))
        self.assertEqual(
            ["disk", "interface", "serial", "console", "channel", "input",
             "graphics", "video", "controller", "controller", "controller",
             "rng", "watchdog", "memballoon", "sound", "redirdev",
             "redirdev"],
            [node.tag for node in root.find("devices")])

    def test_people_can_read_it(self):
        lines = domain.domain_xml(factories.a_guest()).splitlines()
        self.assertEqual(['<domain type="qemu">',
                          f"  <uuid>{factories.UUID}</uuid>"], lines[:2])

    def test_a_guest_without_devices(self):
        """guest-config G5."""
        root = parsed(self, disks=(), nics=(), devices=device.Devices())
        self.assertEqual(0, len(root.find("devices")))


class AnyGuestTest(unittest.TestCase):

    @strategies.patient
    @given(strategies.guests())
    def test_the_schema_allows_it(self, drawn):
        rng.assert_valid(self, domain.domain_xml(drawn))

    @strategies.patient
    @given(strategies.guests())
    def test_nothing_is_lost(self, drawn):
        root = etree.fromstring(domain.domain_xml(drawn))
        self.assertEqual(
            [disk.plan.target for disk in drawn.disks],
            [node.get("dev") for node in root.iterfind(".//disk/target")])
        self.assertEqual(
            [nic.plan.mac for nic in drawn.nics],
            [node.get("address") for node in root.iterfind(".//mac")])
        self.assertEqual(len(drawn.plan.devices.serials),
                         len(root.findall(".//serial[@type]")))
