import itertools

from nova_custom_driver.spec import disk as spec
from nova_custom_driver.virt.xml import disk
from tests import factories
from tests import rng
from tests.unit.virt.xml import case


class DiskXmlTest(case.XmlTestCase):

    def test_root_disk(self):
        """guest-config D1."""
        self.assert_spelled(
            f"""<disk type="file" device="disk">
                  <driver name="qemu" type="qcow2" cache="none"/>
                  <source file="{factories.ROOT}/disk"/>
                  <target dev="vda" bus="virtio"/>
                </disk>""",
            disk.disk_xml(factories.a_disk()))

    def test_config_drive_is_a_cdrom_nobody_writes_to(self):
        """guest-config D2, D25."""
        self.assert_spelled(
            f"""<disk type="file" device="cdrom">
                  <driver name="qemu" type="raw" cache="none"/>
                  <source file="{factories.ROOT}/disk.config"/>
                  <target dev="hda" bus="ide"/>
                  <readonly/>
                </disk>""",
            disk.disk_xml(factories.a_config_drive()))

    def test_floppy(self):
        """guest-config D3, D4."""
        made = disk.disk_xml(factories.a_disk(
            device=spec.Device.FLOPPY, bus=spec.Bus.FDC, target="fda"))
        self.assert_spelled(
            f"""<disk type="file" device="floppy">
                  <driver name="qemu" type="qcow2" cache="none"/>
                  <source file="{factories.ROOT}/disk"/>
                  <target dev="fda" bus="fdc"/>
                </disk>""", made)

    def test_how_it_is_cached_read_and_emptied(self):
        """guest-config D9, D10, D11."""
        made = disk.disk_xml(factories.a_disk(
            cache="directsync", io="native", discard="unmap"))
        self.assert_spelled(
            '<driver name="qemu" type="qcow2" cache="directsync" '
            'io="native" discard="unmap"/>', made.find("driver"))

    def test_place_on_the_scsi_controller(self):
        """guest-config D6; unit 0 is a place, too."""
        for unit in (0, 7):
            made = disk.disk_xml(factories.a_disk(
                bus=spec.Bus.SCSI, target="sda", unit=unit))
            self.assert_spelled(
                f'<address type="drive" controller="0" unit="{unit}"/>',
                made.find("address"))

    def test_serial(self):
        """guest-config D14."""
        made = disk.disk_xml(factories.a_disk(serial="vol-1"))
        self.assert_spelled("<serial>vol-1</serial>", made.find("serial"))

    def test_speed(self):
        """guest-config D12."""
        made = disk.disk_xml(factories.a_disk(iotune=spec.IoTune(
            total_bytes_sec=1 << 20, read_iops_sec=0)))
        self.assert_spelled(
            """<iotune>
                 <total_bytes_sec>1048576</total_bytes_sec>
                 <read_iops_sec>0</read_iops_sec>
               </iotune>""", made.find("iotune"))

    def test_every_limit_has_its_element(self):
        """guest-config D13; libvirt takes a total or one each way."""
        for ways in (("total",), ("read", "write")):
            limits = {f"{way}_{unit}_sec{most}": number
                      for number, (way, unit, most) in enumerate(
                          itertools.product(ways, ("bytes", "iops"),
                                            ("", "_max")), start=1)}
            limits["size_iops_sec"] = 4096
            made = disk.disk_xml(factories.a_disk(
                iotune=spec.IoTune(**limits)))
            rng.assert_valid(self, made)
            self.assertEqual(
                {name: str(value) for name, value in limits.items()},
                {child.tag: child.text for child in made.find("iotune")})

    def test_sizes_of_sectors(self):
        """guest-config D15."""
        made = disk.disk_xml(factories.a_disk(block_sizes=spec.BlockSizes(
            logical=512, physical=4096)))
        self.assert_spelled(
            '<blockio logical_block_size="512" physical_block_size="4096"/>',
            made.find("blockio"))

    def test_one_size_of_sectors(self):
        """guest-config D15."""
        made = disk.disk_xml(factories.a_disk(
            block_sizes=spec.BlockSizes(physical=4096)))
        self.assert_spelled('<blockio physical_block_size="4096"/>',
                            made.find("blockio"))

    def test_alias(self):
        """guest-config D16."""
        made = disk.disk_xml(factories.a_disk(alias="ua-1"))
        self.assert_spelled('<alias name="ua-1"/>', made.find("alias"))

    def test_every_bus_and_device(self):
        # SCSI is passed through from block devices only, never from files.
        devices = set(spec.Device) - {spec.Device.LUN}
        for bus in spec.Bus:
            for device in devices:
                made = disk.disk_xml(factories.a_disk(bus=bus, device=device))
                rng.assert_valid(self, made)
                self.assertEqual(bus, made.find("target").get("bus"))
                self.assertEqual(device, made.get("device"))
