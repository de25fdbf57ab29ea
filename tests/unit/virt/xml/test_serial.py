import pathlib

from nova_custom_driver.spec import device as spec
from nova_custom_driver.virt.xml import serial
from tests import factories
from tests.unit.virt.xml import case

LOG = factories.a_log()


class SerialXmlTest(case.XmlTestCase):

    def test_a_port_that_is_logged(self):
        """guest-config S1."""
        self.assert_spelled(
            f"""<serial type="pty">
                  <log file="{LOG}" append="off"/>
                </serial>""", serial.serial_xml(spec.SerialPty(log=LOG)))

    def test_a_port_over_tcp(self):
        """guest-config S1, S2."""
        self.assert_spelled(
            f"""<serial type="tcp">
                  <source mode="bind" host="10.0.0.1" service="10000"/>
                  <log file="{LOG}" append="off"/>
                </serial>""",
            serial.serial_xml(spec.SerialTcp(host="10.0.0.1", port=10000,
                                             log=LOG)))

    def test_another_port_over_tcp(self):
        """guest-config S1, S2."""
        self.assert_spelled(
            """<serial type="tcp">
                 <source mode="bind" host="10.0.0.1" service="10001"/>
               </serial>""",
            serial.serial_xml(spec.SerialTcp(host="10.0.0.1", port=10001)))


class ConsoleXmlTest(case.XmlTestCase):

    def test_a_console_that_is_logged(self):
        """guest-config S3."""
        self.assert_spelled(
            f"""<console type="pty">
                  <log file="{LOG}" append="off"/>
                  <target type="sclp"/>
                </console>""", serial.console_xml(spec.SerialPty(log=LOG)))

    def test_a_console_over_tcp(self):
        """guest-config S3."""
        self.assert_spelled(
            f"""<console type="tcp">
                  <source mode="bind" host="10.0.0.1" service="10000"/>
                  <log file="{LOG}" append="off"/>
                  <target type="sclp"/>
                </console>""",
            serial.console_xml(spec.SerialTcp(
                host="10.0.0.1", port=10000, log=LOG)))


class ChannelXmlTest(case.XmlTestCase):

    def test_guest_agent(self):
        """guest-config S5, B2."""
        self.assert_spelled(
            """<channel type="unix">
                 <source mode="bind" path="/run/agent.sock"/>
                 <target type="virtio" name="org.qemu.guest_agent.0"/>
               </channel>""",
            serial.channel_xml(spec.AgentChannel(
                path=pathlib.PurePosixPath("/run/agent.sock"))))

    def test_spice_agent(self):
        """guest-config G4."""
        self.assert_spelled(
            """<channel type="spicevmc">
                 <target type="virtio" name="com.redhat.spice.0"/>
               </channel>""", serial.channel_xml(spec.SpiceChannel()))
