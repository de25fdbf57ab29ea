from nova_custom_driver.spec import firmware
from nova_custom_driver.virt.xml import boot
from tests import factories
from tests.unit.virt.xml import case


def os_xml(**changes):
    return boot.os_xml(factories.a_boot(**changes))


class OsXmlTest(case.XmlTestCase):

    def test_bios(self):
        """guest-config B9, D20, F1, F2."""
        self.assert_spelled(
            """<os>
                 <type arch="x86_64" machine="pc">hvm</type>
                 <boot dev="hd"/>
                 <smbios mode="sysinfo"/>
               </os>""", os_xml())

    def test_the_hosts_own_architecture_need_not_be_said(self):
        """guest-config B10, B11."""
        self.assert_spelled('<type machine="q35">hvm</type>',
                            os_xml(arch=None, machine="q35").find("type"))

    def test_boot_order(self):
        """guest-config D20."""
        made = os_xml(devices=("cdrom", "hd", "fd"))
        self.assertEqual(["cdrom", "hd", "fd"],
                         [device.get("dev") for device in made.iter("boot")])

    def test_boot_menu(self):
        """guest-config B14."""
        self.assertIsNone(os_xml(menu=False).find("bootmenu"))
        self.assert_spelled('<bootmenu enable="yes"/>',
                            os_xml(menu=True).find("bootmenu"))

    def test_qemus_own_smbios(self):
        """guest-config B6: other machines than x86."""
        self.assertIsNone(os_xml(smbios=None).find("smbios"))

    def test_kernel(self):
        """guest-config B12, B13."""
        self.assert_spelled(
            f"""<os>
                  <type arch="x86_64" machine="pc">hvm</type>
                  <kernel>{factories.ROOT}/kernel</kernel>
                  <initrd>{factories.ROOT}/ramdisk</initrd>
                  <cmdline>root=/dev/vda console=ttyS0</cmdline>
                </os>""",
            os_xml(kernel=factories.a_kernel(), devices=(), smbios=None))

    def test_kernel_without_ramdisk(self):
        made = os_xml(kernel=factories.a_kernel(ramdisk=None))
        self.assertIsNotNone(made.find("kernel"))
        self.assertIsNone(made.find("initrd"))


class FirmwareTest(case.XmlTestCase):

    def test_libvirt_chooses_the_firmware_of_a_new_guest(self):
        """guest-config F2."""
        self.assert_spelled(
            """<os firmware="efi">
                 <firmware>
                   <feature enabled="no" name="secure-boot"/>
                 </firmware>
                 <type arch="x86_64" machine="q35">hvm</type>
                 <boot dev="hd"/>
                 <smbios mode="sysinfo"/>
               </os>""",
            os_xml(firmware=factories.uefi(), machine="q35"))

    def test_signed_systems_only(self):
        """guest-config F3."""
        made = os_xml(firmware=factories.uefi(secure_boot=True))
        self.assert_spelled(
            '<firmware><feature enabled="yes" name="secure-boot"/>'
            '</firmware>', made.find("firmware"))
        self.assertIsNone(made.find("loader"))

    def test_no_variables_kept(self):
        """guest-config F4."""
        self.assert_spelled(
            '<loader stateless="yes"/>',
            os_xml(firmware=factories.uefi(stateless=True)).find("loader"))
        known = factories.uefi(
            stateless=True, record=factories.a_record(loader_secure=None))
        self.assert_spelled(
            '<loader type="pflash" readonly="yes" stateless="yes"'
            '>/usr/share/OVMF/OVMF_CODE_4M.fd</loader>',
            os_xml(firmware=known).find("loader"))

    def test_firmware_that_is_no_flash(self):
        """guest-config M7."""
        self.assert_spelled(
            '<loader readonly="yes"/>',
            os_xml(firmware=factories.uefi(read_only=True)).find("loader"))

    def test_a_known_guest_keeps_its_firmware(self):
        """guest-config F5."""
        self.assert_spelled(
            """<os>
                 <type arch="x86_64" machine="pc">hvm</type>
                 <loader type="pflash" readonly="yes" secure="no"
                   >/usr/share/OVMF/OVMF_CODE_4M.fd</loader>
                 <nvram template="/usr/share/OVMF/OVMF_VARS_4M.fd"
                   >/var/lib/libvirt/qemu/nvram/g.fd</nvram>
                 <boot dev="hd"/>
                 <smbios mode="sysinfo"/>
               </os>""",
            os_xml(firmware=factories.uefi(record=factories.a_record())))

    def test_what_libvirt_did_not_say_is_not_said(self):
        """guest-config F5."""
        made = os_xml(firmware=factories.uefi(record=factories.a_record(
            loader_secure=None, nvram_template=None)))
        self.assertNotIn("secure", made.find("loader").attrib)
        self.assertNotIn("template", made.find("nvram").attrib)

    def test_variables_not_copied_yet(self):
        """guest-config F5: libvirt copies them at the first start."""
        made = os_xml(firmware=factories.uefi(
            record=factories.a_record(nvram=None)))
        self.assert_spelled(
            '<nvram template="/usr/share/OVMF/OVMF_VARS_4M.fd"/>',
            made.find("nvram"))

    def test_firmware_without_variables(self):
        made = os_xml(firmware=factories.uefi(record=factories.a_record(
            nvram=None, nvram_template=None, loader_type="rom")))
        self.assert_spelled(
            '<loader type="rom" readonly="yes" secure="no"'
            '>/usr/share/OVMF/OVMF_CODE_4M.fd</loader>', made.find("loader"))
        self.assertIsNone(made.find("nvram"))

    def test_bios_has_no_files(self):
        made = os_xml(firmware=firmware.Firmware())
        self.assertEqual([], [made.find(tag) for tag in (
            "firmware", "loader", "nvram") if made.find(tag) is not None])
        self.assertNotIn("firmware", made.attrib)


class SysinfoXmlTest(case.XmlTestCase):

    def test_what_the_guest_reads(self):
        """guest-config B4, B6, B7."""
        self.assert_spelled(
            f"""<sysinfo type="smbios">
                  <system>
                    <entry name="manufacturer">OpenStack Foundation</entry>
                    <entry name="product">OpenStack Nova</entry>
                    <entry name="version">34.0.0</entry>
                    <entry name="serial">{factories.UUID}</entry>
                    <entry name="uuid">{factories.UUID}</entry>
                    <entry name="family">Virtual Machine</entry>
                  </system>
                </sysinfo>""", boot.sysinfo_xml(factories.a_smbios()))

    def test_no_serial(self):
        """guest-config B6: sysinfo_serial=none."""
        made = boot.sysinfo_xml(factories.a_smbios(serial=None))
        self.assertNotIn("serial",
                         [entry.get("name") for entry in made.iter("entry")])

    def test_nothing_to_say(self):
        self.assertIsNone(boot.sysinfo_xml(None))
