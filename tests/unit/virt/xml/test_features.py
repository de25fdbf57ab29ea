from nova_custom_driver.spec import guest as spec
from nova_custom_driver.virt.xml import features
from tests import factories
from tests.unit.virt.xml import case


def features_xml(*, record=None, **changes):
    return features.features_xml(factories.a_guest_plan(
        features=spec.Features(**changes), boot=factories.a_boot(
            firmware=factories.uefi(record=record))))


class FeaturesXmlTest(case.XmlTestCase):

    def test_what_every_guest_has(self):
        """guest-config H2."""
        self.assert_spelled(
            "<features><acpi/><apic/><vmcoreinfo state='on'/></features>",
            features_xml(vmcoreinfo=True))

    def test_without_apic(self):
        """guest-config C23."""
        self.assert_spelled("<features><acpi/></features>",
                            features_xml(apic=False))

    def test_without_anything(self):
        self.assert_spelled("<features/>",
                            features_xml(acpi=False, apic=False))

    def test_a_hidden_hypervisor(self):
        """guest-config C8."""
        self.assert_spelled(
            '<kvm><hidden state="on"/></kvm>',
            features_xml(hidden=True).find("kvm"))

    def test_performance_monitor(self):
        """guest-config C7: on, off, or as the hypervisor likes."""
        for wanted, state in ((True, "on"), (False, "off")):
            self.assert_spelled(f'<pmu state="{state}"/>',
                                features_xml(pmu=wanted).find("pmu"))
        self.assertIsNone(features_xml(pmu=None).find("pmu"))

    def test_translated_code(self):
        """guest-config C20."""
        self.assert_spelled(
            '<tcg><tb-cache unit="MiB">128</tb-cache></tcg>',
            features_xml(tb_cache_mib=128).find("tcg"))

    def test_windows(self):
        """guest-config B8, H3."""
        self.assert_spelled(
            """<hyperv>
                 <relaxed state="on"/>
                 <vapic state="on"/>
                 <vpindex state="on"/>
                 <runtime state="on"/>
                 <synic state="on"/>
                 <reset state="on"/>
                 <frequencies state="on"/>
                 <tlbflush state="on"/>
                 <ipi state="on"/>
                 <spinlocks state="on" retries="8191"/>
               </hyperv>""", features_xml(hyperv=True).find("hyperv"))

    def test_windows_that_must_not_notice(self):
        """guest-config C8."""
        made = features_xml(hyperv=True, hyperv_vendor_id="1234567890ab")
        self.assert_spelled('<vendor_id state="on" value="1234567890ab"/>',
                            made.find("hyperv/vendor_id"))

    def test_firmware_of_a_known_guest_keeps_its_management_mode(self):
        """guest-config F5."""
        for smm, state in ((True, "on"), (False, "off")):
            made = features_xml(record=factories.a_record(smm=smm))
            self.assert_spelled(f'<smm state="{state}"/>', made.find("smm"))
        for record in (None, factories.a_record(smm=None)):
            self.assertIsNone(features_xml(record=record).find("smm"))
