from nova_custom_driver.spec import nic as spec
from nova_custom_driver.virt.xml import interface
from tests import factories
from tests.unit.virt.xml import case


def interface_xml(source=None, **plan):
    return interface.interface_xml(factories.a_nic(source=source, **plan))


class SourceTest(case.XmlTestCase):

    def test_a_tap_that_is_there(self):
        """guest-config I7; network V1 (create_tap), V23, X1."""
        self.assert_spelled(
            """<interface type="ethernet">
                 <mac address="fa:16:3e:00:00:01"/>
                 <model type="virtio"/>
                 <target dev="tap1" managed="no"/>
               </interface>""",
            interface_xml(factories.a_tap(target="tap1")))

    def test_a_tap_that_libvirt_makes(self):
        """network V1 (create_port)."""
        made = interface_xml(factories.a_tap(target="tap1",
                                             made_by_libvirt=True))
        self.assertEqual("ethernet", made.get("type"))
        self.assert_spelled('<target dev="tap1"/>', made.find("target"))

    def test_a_tap_on_a_bridge(self):
        """network V2."""
        self.assert_spelled(
            """<interface type="bridge">
                 <mac address="fa:16:3e:00:00:01"/>
                 <model type="virtio"/>
                 <source bridge="qbr1"/>
                 <target dev="tap1"/>
               </interface>""",
            interface_xml(spec.BridgeSource(bridge="qbr1", target="tap1")))

    def test_a_macvtap(self):
        """network V19, V22."""
        self.assert_spelled(
            """<interface type="direct">
                 <mac address="fa:16:3e:00:00:01"/>
                 <model type="virtio"/>
                 <source dev="ens1v1" mode="passthrough"/>
                 <vlan><tag id="100"/></vlan>
               </interface>""",
            interface_xml(spec.DirectSource(
                device="ens1v1", mode="passthrough", vlan=100)))

    def test_a_virtual_port(self):
        """network V26."""
        made = interface_xml(spec.DirectSource(
            device="eth0", mode="passthrough", port=spec.VirtualPort(
                kind="802.1Qbh", parameters=(("profileid", "blue"),))))
        self.assert_spelled(
            """<virtualport type="802.1Qbh">
                 <parameters profileid="blue"/>
               </virtualport>""", made.find("virtualport"))

    def test_a_function_of_a_card(self):
        """network V3, V5, V18."""
        self.assert_spelled(
            """<interface type="hostdev" managed="yes">
                 <mac address="fa:16:3e:00:00:01"/>
                 <source>
                   <address type="pci" domain="0x0000" bus="0x81"
                            slot="0x00" function="0x2"/>
                 </source>
                 <vlan><tag id="0"/></vlan>
               </interface>""",
            interface_xml(spec.FunctionSource(address="0000:81:00.2",
                                              vlan=0), model=None))

    def test_a_whole_device(self):
        """network V20, V21."""
        self.assert_spelled(
            """<hostdev mode="subsystem" type="pci" managed="yes">
                 <source>
                   <address domain="0x0000" bus="0x81" slot="0x00"
                            function="0x0"/>
                 </source>
               </hostdev>""",
            interface_xml(spec.DeviceSource(address="0000:81:00.0")))

    def test_memory_shared_with_a_switch(self):
        """network V9-V12."""
        self.assert_spelled(
            """<interface type="vhostuser">
                 <mac address="fa:16:3e:00:00:01"/>
                 <model type="virtio"/>
                 <driver queues="2" packed="on"/>
                 <source type="unix" path="/run/vhu1" mode="client"/>
                 <target dev="vhu1"/>
               </interface>""",
            interface_xml(spec.VhostUserSource(
                path="/run/vhu1", mode="client", target="vhu1"),
                queues=2, packed=True))

    def test_vdpa(self):
        """network V4."""
        self.assert_spelled(
            """<interface type="vdpa">
                 <mac address="fa:16:3e:00:00:01"/>
                 <source dev="/dev/vhost-vdpa-0"/>
               </interface>""",
            interface_xml(spec.VdpaSource(path="/dev/vhost-vdpa-0"),
                          model=None))

    def test_a_port_that_libvirt_adds_to_a_switch(self):
        """network V1."""
        self.assert_spelled(
            f"""<interface type="bridge">
                  <mac address="fa:16:3e:00:00:01"/>
                  <model type="virtio"/>
                  <source bridge="br-int"/>
                  <target dev="tap1"/>
                  <virtualport type="openvswitch">
                    <parameters interfaceid="{factories.PORT}"/>
                  </virtualport>
                </interface>""",
            interface_xml(spec.OpenVSwitchSource(
                bridge="br-int", target="tap1",
                interface_id=factories.PORT)))


class PlanTest(case.XmlTestCase):

    def test_qemus_own_back_end(self):
        """guest-config I5; network X2."""
        self.assert_spelled('<driver name="qemu"/>',
                            interface_xml(driver="qemu").find("driver"))

    def test_queues(self):
        """guest-config I3, I4, I5; network X2, X3."""
        made = interface_xml(driver="vhost", queues=4, rx_queue_size=512,
                             tx_queue_size=1024)
        self.assert_spelled(
            '<driver name="vhost" queues="4" rx_queue_size="512" '
            'tx_queue_size="1024"/>', made.find("driver"))

    def test_each_of_the_drivers_settings_stands_alone(self):
        for name, value in (("queues", 2), ("rx_queue_size", 256),
                            ("tx_queue_size", 256)):
            made = interface_xml(**{name: value})
            self.assert_spelled(f'<driver {name}="{value}"/>',
                                made.find("driver"))

    def test_mtu(self):
        """guest-config I8; network X5: of every kind."""
        for source in (None, spec.BridgeSource(bridge="b", target="t")):
            self.assert_spelled('<mtu size="1442"/>',
                                interface_xml(source, mtu=1442).find("mtu"))

    def test_the_hypervisors_default_model(self):
        """guest-config I1, I2."""
        self.assertIsNone(interface_xml(model=None).find("model"))
        self.assert_spelled('<model type="e1000e"/>',
                            interface_xml(model="e1000e").find("model"))


class BandwidthTest(case.XmlTestCase):

    def test_both_ways(self):
        """guest-config I6; network X4."""
        made = interface_xml(
            inbound=spec.Bandwidth(average=100, peak=200, burst=300),
            outbound=spec.Bandwidth(average=400))
        self.assert_spelled(
            """<bandwidth>
                 <inbound average="100" peak="200" burst="300"/>
                 <outbound average="400"/>
               </bandwidth>""", made.find("bandwidth"))

    def test_one_way(self):
        """guest-config I6."""
        made = interface_xml(outbound=spec.Bandwidth(average=400, peak=500))
        self.assert_spelled(
            '<bandwidth><outbound average="400" peak="500"/></bandwidth>',
            made.find("bandwidth"))

    def test_a_peak_needs_an_average(self):
        """guest-config I6: left out alone, as by the in-tree driver."""
        made = interface_xml(inbound=spec.Bandwidth(peak=200))
        self.assertIsNone(made.find("bandwidth"))
        made = interface_xml(inbound=spec.Bandwidth(peak=200),
                             outbound=spec.Bandwidth(average=400))
        self.assertEqual(["outbound"],
                         [way.tag for way in made.find("bandwidth")])
