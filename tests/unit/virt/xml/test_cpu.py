from nova_custom_driver.spec import cpu as spec
from nova_custom_driver.virt.xml import cpu
from tests import factories
from tests import rng
from tests.unit.virt.xml import case


class CpuXmlTest(case.XmlTestCase):

    def test_the_hosts_model(self):
        """guest-config C1, C5."""
        self.assert_spelled(
            """<cpu mode="host-model" match="exact">
                 <topology sockets="1" cores="2" threads="4"/>
               </cpu>""",
            cpu.cpu_xml(factories.a_cpu(topology=factories.a_topology(
                sockets=1, cores=2, threads=4))))

    def test_the_hypervisors_default_still_has_a_topology(self):
        """guest-config C1: cpu_mode=none."""
        self.assert_spelled(
            """<cpu match="exact">
                 <topology sockets="2" cores="1" threads="1"/>
               </cpu>""", cpu.cpu_xml(factories.a_cpu(mode=None)))

    def test_nothing_of_a_processor_nobody_describes(self):
        """guest-config B11."""
        self.assertIsNone(cpu.cpu_xml(None))

    def test_a_named_model_with_flags(self):
        """guest-config C2, C3."""
        self.assert_spelled(
            """<cpu mode="custom" match="exact">
                 <model>Haswell-noTSX</model>
                 <topology sockets="2" cores="1" threads="1"/>
                 <feature policy="require" name="pcid"/>
                 <feature policy="disable" name="vmx"/>
               </cpu>""",
            cpu.cpu_xml(factories.a_cpu(
                mode=spec.Mode.CUSTOM, model="Haswell-noTSX", features=(
                    spec.Feature(name="pcid"),
                    spec.Feature(name="vmx", policy=spec.Policy.DISABLE)))))

    def test_width_of_addresses(self):
        """guest-config C6."""
        made = cpu.cpu_xml(factories.a_cpu(address_width=spec.AddressWidth(
            mode=spec.AddressMode.EMULATE, bits=42)))
        self.assert_spelled('<maxphysaddr mode="emulate" bits="42"/>',
                            made.find("maxphysaddr"))

    def test_the_hosts_own_width_of_addresses(self):
        """guest-config C6."""
        made = cpu.cpu_xml(factories.a_cpu(address_width=spec.AddressWidth(
            mode=spec.AddressMode.PASSTHROUGH)))
        self.assert_spelled('<maxphysaddr mode="passthrough"/>',
                            made.find("maxphysaddr"))

    def test_every_mode(self):
        for mode in spec.Mode:
            made = cpu.cpu_xml(factories.a_cpu(mode=mode))
            rng.assert_valid(self, made)
            self.assertEqual(mode, made.get("mode"))


class CputuneXmlTest(case.XmlTestCase):

    def test_all_of_it(self):
        """guest-config C9."""
        self.assert_spelled(
            """<cputune>
                 <shares>2048</shares>
                 <period>100000</period>
                 <quota>-1</quota>
               </cputune>""",
            cpu.cputune_xml(spec.Tuning(shares=2048, period=100000,
                                        quota=-1)))

    def test_only_what_was_asked_for(self):
        """guest-config C9."""
        self.assert_spelled(
            "<cputune><quota>50000</quota></cputune>",
            cpu.cputune_xml(spec.Tuning(quota=50000)))
        self.assertIsNone(cpu.cputune_xml(None))
