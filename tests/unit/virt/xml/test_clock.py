from nova_custom_driver.spec import guest as spec
from nova_custom_driver.virt.xml import clock
from tests.unit.virt.xml import case


class ClockXmlTest(case.XmlTestCase):

    def test_utc(self):
        """guest-config H4."""
        self.assert_spelled('<clock offset="utc"/>',
                            clock.clock_xml(spec.Clock()))

    def test_timers(self):
        """guest-config H4, H5, H6."""
        self.assert_spelled(
            """<clock offset="localtime">
                 <timer name="pit" tickpolicy="delay"/>
                 <timer name="rtc" tickpolicy="catchup"/>
                 <timer name="hpet" present="no"/>
                 <timer name="hypervclock" present="yes"/>
               </clock>""",
            clock.clock_xml(spec.Clock(offset="localtime", timers=(
                spec.Timer(name="pit", tickpolicy="delay"),
                spec.Timer(name="rtc", tickpolicy="catchup"),
                spec.Timer(name="hpet", present=False),
                spec.Timer(name="hypervclock", present=True)))))
