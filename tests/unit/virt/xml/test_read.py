import pathlib
import unittest

from hypothesis import given

from nova_custom_driver.spec import device
from nova_custom_driver.spec import domain as spec
from nova_custom_driver.virt.xml import domain
from nova_custom_driver.virt.xml import read
from tests import factories
from tests import rng
from tests import strategies

# As libvirt 9.0 reports a running guest, shortened.
RUNNING = """
<domain type='qemu' id='3'>
  <name>guest</name>
  <uuid>11111111-2222-3333-4444-555555555555</uuid>
  <memory unit='KiB'>524288</memory>
  <os><type arch='x86_64' machine='pc-i440fx-7.2'>hvm</type></os>
  <devices>
    <disk type='file' device='disk'>
      <driver name='qemu' type='qcow2' cache='none'/>
      <source file='/srv/disk' index='2'/>
      <target dev='vda' bus='virtio'/>
      <serial>vol-1</serial>
      <alias name='virtio-disk0'/>
      <address type='pci' domain='0x0000' bus='0x00' slot='0x1f'
               function='0x7'/>
    </disk>
    <disk type='file' device='cdrom'>
      <driver name='qemu' type='raw'/>
      <target dev='hda' bus='ide'/>
      <readonly/>
      <alias name='ide0-0-1'/>
      <address type='drive' controller='0' bus='1' target='2' unit='3'/>
    </disk>
    <disk type='block' device='disk'>
      <source dev='/dev/dm-1'/>
      <target dev='sda' bus='usb'/>
      <alias name='ua-1'/>
      <address type='usb' bus='0' port='2'/>
    </disk>
    <disk type='network' device='disk'>
      <source protocol='rbd' name='pool/image'/>
      <target dev='vdb' bus='virtio'/>
    </disk>
    <interface type='ethernet'>
      <mac address='fa:16:3e:00:00:01'/>
      <target dev='tap1' managed='no'/>
      <address type='pci' domain='0x0001' bus='0x0a' slot='0x03'
               function='0x0'/>
    </interface>
    <interface type='bridge'>
      <mac address='fa:16:3e:00:00:02'/>
      <source bridge='br0'/>
    </interface>
    <serial type='pty'>
      <source path='/dev/pts/4'/>
      <log file='/srv/console.log' append='off'/>
      <target type='isa-serial' port='0'/>
    </serial>
    <serial type='tcp'>
      <source mode='bind' host='127.0.0.1' service='10001'/>
      <protocol type='raw'/>
    </serial>
    <serial type='unix'>
      <source mode='bind' path='/run/x'/>
    </serial>
    <console type='pty' tty='/dev/pts/4'>
      <source path='/dev/pts/4'/>
      <target type='serial' port='0'/>
    </console>
    <graphics type='vnc' port='5901' autoport='yes' listen='127.0.0.1'>
      <listen type='address' address='127.0.0.1'/>
    </graphics>
    <graphics type='spice' port='5902' tlsPort='5903' autoport='yes'>
      <listen type='address' address='::1'/>
    </graphics>
  </devices>
</domain>
"""
OFF = """
<domain type='qemu'>
  <name>guest</name>
  <memory>1024</memory>
  <os><type>hvm</type></os>
  <devices>
    <serial type='pty'/>
    <graphics type='vnc' port='-1' autoport='yes'/>
  </devices>
</domain>
"""
EFI = """
<domain type='qemu'>
  <name>guest</name>
  <memory>1024</memory>
  <os firmware='efi'>
    <type>hvm</type>
    <loader readonly='yes' secure='no' type='pflash'>/fw/code.fd</loader>
    <nvram template='/fw/vars.fd'>/nvram/guest.fd</nvram>
  </os>
  <features><acpi/><smm state='off'/></features>
</domain>
"""


class ReadTest(unittest.TestCase):

    def test_what_is_read_here_is_what_libvirt_writes(self):
        for xml in (RUNNING, OFF, EFI):
            rng.assert_valid(self, xml)


class DisksTest(unittest.TestCase):

    def test_in_the_order_of_the_domain(self):
        self.assertEqual(["vda", "hda", "sda", "vdb"],
                         [disk.target for disk in read.disks(RUNNING)])

    def test_a_file(self):
        self.assertEqual(
            spec.Disk(
                target="vda", bus="virtio", device="disk",
                path=pathlib.PurePosixPath("/srv/disk"), format="qcow2",
                serial="vol-1", kind="file", alias="virtio-disk0",
                address=spec.Address(kind="pci", pci="0000:00:1f.7")),
            read.disks(RUNNING)[0])

    def test_an_empty_drive(self):
        self.assertEqual(
            spec.Disk(
                target="hda", bus="ide", device="cdrom", path=None,
                format="raw", serial=None, kind="file", alias="ide0-0-1",
                readonly=True, address=spec.Address(
                    kind="drive", drive=spec.Drive(
                        controller=0, bus=1, target=2, unit=3))),
            read.disks(RUNNING)[1])

    def test_a_block_device(self):
        """guest-config D16."""
        self.assertEqual(
            spec.Disk(
                target="sda", bus="usb", device="disk",
                path=pathlib.PurePosixPath("/dev/dm-1"), format=None,
                serial=None, kind="block", alias="ua-1",
                address=spec.Address(kind="usb")),
            read.disks(RUNNING)[2])

    def test_a_disk_on_the_network(self):
        disk = read.disks(RUNNING)[3]
        self.assertEqual(("network", None, None, None),
                         (disk.kind, disk.path, disk.alias, disk.address))


class InterfacesTest(unittest.TestCase):

    def test_where_they_are(self):
        self.assertEqual(
            (spec.Interface(
                mac="fa:16:3e:00:00:01", target="tap1",
                address=spec.Address(kind="pci", pci="0001:0a:03.0")),
             spec.Interface(
                 mac="fa:16:3e:00:00:02", target=None, address=None)),
            read.interfaces(RUNNING))


class SerialsTest(unittest.TestCase):

    def test_of_a_running_guest(self):
        """guest-config S1, S2: a console is the first port's other name."""
        self.assertEqual(
            (spec.SerialPty(path=pathlib.PurePosixPath("/dev/pts/4"),
                            log=pathlib.PurePosixPath("/srv/console.log")),
             spec.SerialTcp(host="127.0.0.1", port=10001, log=None)),
            read.serials(RUNNING))

    def test_of_a_guest_that_is_off(self):
        self.assertEqual((spec.SerialPty(path=None, log=None),),
                         read.serials(OFF))

    def test_consoles_of_s390x(self):
        """guest-config S3: their ports are to be given back, too."""
        made = factories.a_guest(devices=device.Devices(consoles=(
            device.SerialTcp(host="::1", port=10000, log=factories.a_log()),
            device.SerialTcp(host="::1", port=10001))))
        self.assertEqual(
            (spec.SerialTcp(host="::1", port=10000, log=factories.a_log()),
             spec.SerialTcp(host="::1", port=10001, log=None)),
            read.serials(domain.domain_xml(made)))


class GraphicsTest(unittest.TestCase):

    def test_of_a_running_guest(self):
        """guest-config G3, G4."""
        self.assertEqual(
            (spec.Graphics(kind="vnc", listen="127.0.0.1", port=5901,
                           tls_port=None),
             spec.Graphics(kind="spice", listen="::1", port=5902,
                           tls_port=5903)),
            read.graphics(RUNNING))

    def test_an_address_of_the_console_itself(self):
        xml = OFF.replace("autoport='yes'", "listen='0.0.0.0'")
        self.assertEqual("0.0.0.0", read.graphics(xml)[0].listen)

    def test_of_a_guest_that_is_off(self):
        self.assertEqual(
            (spec.Graphics(kind="vnc", listen=None, port=None,
                           tls_port=None),), read.graphics(OFF))


class FirmwareRecordTest(unittest.TestCase):

    def test_uefi(self):
        """guest-config F5."""
        self.assertEqual(
            factories.a_record(
                loader=pathlib.PurePosixPath("/fw/code.fd"),
                nvram=pathlib.PurePosixPath("/nvram/guest.fd"),
                nvram_template=pathlib.PurePosixPath("/fw/vars.fd"),
                smm=False),
            read.firmware_record(EFI))

    def test_what_libvirt_leaves_out(self):
        xml = EFI.replace(" secure='no'", "").replace(
            " readonly='yes'", "").replace(" type='pflash'", "").replace(
            "<nvram template='/fw/vars.fd'>/nvram/guest.fd</nvram>",
            "").replace("<smm state='off'/>", "<smm/>")
        self.assertEqual(
            factories.a_record(
                loader=pathlib.PurePosixPath("/fw/code.fd"),
                loader_type="rom", loader_readonly=False, loader_secure=None,
                nvram=None, nvram_template=None, smm=True),
            read.firmware_record(xml))

    def test_secure_boot_without_a_word_of_management_mode(self):
        """guest-config F5."""
        xml = EFI.replace("secure='no'", "secure='yes'").replace(
            "<smm state='off'/>", "")
        found = read.firmware_record(xml)
        self.assertEqual((True, None), (found.loader_secure, found.smm))

    def test_not_chosen_yet(self):
        for xml in (RUNNING, EFI.replace(">/fw/code.fd<", "><")):
            self.assertIsNone(read.firmware_record(xml))


class WrittenTest(unittest.TestCase):

    @strategies.patient
    @given(strategies.guests())
    def test_what_is_written_is_read(self, made):
        xml = domain.domain_xml(made)
        self.assertEqual(
            [(disk.plan.target, disk.plan.bus, disk.plan.device,
              disk.source.path, disk.source.format, disk.plan.serial)
             for disk in made.disks],
            [(disk.target, disk.bus, disk.device, disk.path, disk.format,
              disk.serial) for disk in read.disks(xml)])
        self.assertEqual(
            [(nic.plan.mac, nic.source.target) for nic in made.nics],
            [(nic.mac, nic.target) for nic in read.interfaces(xml)])
        self.assertEqual(
            [port.log for port in (*made.plan.devices.serials,
                                   *made.plan.devices.consoles)],
            [port.log for port in read.serials(xml)])
        self.assertEqual(
            [item.listen for item in made.plan.devices.graphics],
            [item.listen for item in read.graphics(xml)])
        self.assertEqual(made.plan.boot.firmware.record,
                         read.firmware_record(xml))
