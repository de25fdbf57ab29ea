from nova_custom_driver.spec import device as spec
from nova_custom_driver.virt.xml import peripheral
from tests import factories
from tests.unit.virt.xml import case


class RngXmlTest(case.XmlTestCase):

    def test_without_a_limit(self):
        """guest-config S6, S8."""
        self.assert_spelled(
            """<rng model="virtio">
                 <backend model="random">/dev/urandom</backend>
               </rng>""", peripheral.rng_xml(factories.an_rng()))

    def test_rate(self):
        """guest-config S7."""
        made = peripheral.rng_xml(factories.an_rng(
            rate_bytes=2048, rate_period_ms=500))
        self.assert_spelled('<rate bytes="2048" period="500"/>',
                            made.find("rate"))

    def test_a_rate_in_libvirts_own_period(self):
        """guest-config S7."""
        made = peripheral.rng_xml(factories.an_rng(rate_bytes=2048))
        self.assert_spelled('<rate bytes="2048"/>', made.find("rate"))

    def test_none(self):
        """guest-config S6."""
        self.assertIsNone(peripheral.rng_xml(None))


class WatchdogXmlTest(case.XmlTestCase):

    def test_every_action(self):
        """guest-config S9."""
        for action in ("none", "pause", "poweroff", "reset"):
            self.assert_spelled(
                f'<watchdog model="i6300esb" action="{action}"/>',
                peripheral.watchdog_xml(spec.WatchdogAction(action)))

    def test_none(self):
        """guest-config S9."""
        self.assertIsNone(peripheral.watchdog_xml(None))


class MemballoonXmlTest(case.XmlTestCase):

    def test_statistics(self):
        """guest-config M6."""
        self.assert_spelled(
            """<memballoon model="virtio" autodeflate="on"
                           freePageReporting="on">
                 <stats period="10"/>
               </memballoon>""",
            peripheral.memballoon_xml(spec.Balloon(stats_period_seconds=10)))

    def test_no_balloon(self):
        """guest-config M6: libvirt adds one where none is denied."""
        self.assert_spelled(
            '<memballoon model="none" autodeflate="on" '
            'freePageReporting="on"/>',
            peripheral.memballoon_xml(
                spec.Balloon(stats_period_seconds=None)))

    def test_libvirts_own(self):
        self.assertIsNone(peripheral.memballoon_xml(None))


class SoundXmlTest(case.XmlTestCase):

    def test_every_model(self):
        """guest-config G9; "virtio" needs libvirt 10.4."""
        for model in ("sb16", "es1370", "pcspk", "ac97", "ich6", "ich9",
                      "usb"):
            self.assert_spelled(f'<sound model="{model}"/>',
                                peripheral.sound_xml(model))

    def test_none(self):
        """guest-config G9."""
        self.assertIsNone(peripheral.sound_xml(None))


class RedirdevXmlTest(case.XmlTestCase):

    def test_a_port(self):
        """guest-config G11."""
        self.assert_spelled('<redirdev bus="usb" type="spicevmc"/>',
                            peripheral.redirdev_xml())
