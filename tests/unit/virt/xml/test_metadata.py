from hypothesis import given
from hypothesis import settings
from hypothesis import strategies as st
from lxml import etree

from nova_custom_driver.virt.xml import metadata
from tests import factories
from tests import rng
from tests.unit.virt.xml import case

NOVA = {"nova": metadata.NAMESPACE}


def instance(**changes):
    made = metadata.metadata_xml(factories.a_metadata(**changes))
    # Read back, as those do who look at a domain.
    return etree.fromstring(etree.tostring(made))


def find(path, **changes):
    return instance(**changes).find(f"nova:instance/{path}", NOVA)


class MetadataXmlTest(case.XmlTestCase):

    def test_all_of_it(self):
        """guest-config B5."""
        self.assert_spelled(
            f"""<metadata>
  <nova:instance xmlns:nova="http://openstack.org/xmlns/libvirt/nova/1.1">
    <nova:package version="34.0.0"/>
    <nova:name>web</nova:name>
    <nova:creationTime>2026-01-31 12:00:00</nova:creationTime>
    <nova:flavor name="small" id="42">
      <nova:memory>512</nova:memory>
      <nova:disk>10</nova:disk>
      <nova:swap>0</nova:swap>
      <nova:ephemeral>0</nova:ephemeral>
      <nova:vcpus>2</nova:vcpus>
      <nova:extraSpecs>
        <nova:extraSpec name="a:b">c</nova:extraSpec>
        <nova:extraSpec name="hw:boot_menu">yes</nova:extraSpec>
      </nova:extraSpecs>
    </nova:flavor>
    <nova:image uuid="{factories.IMAGE}">
      <nova:containerFormat>bare</nova:containerFormat>
      <nova:diskFormat>qcow2</nova:diskFormat>
      <nova:minDisk>0</nova:minDisk>
      <nova:minRam>0</nova:minRam>
      <nova:properties>
        <nova:property name="hw_disk_bus">scsi</nova:property>
      </nova:properties>
    </nova:image>
    <nova:owner>
      <nova:user uuid="u1">ann</nova:user>
      <nova:project uuid="p1">shop</nova:project>
    </nova:owner>
    <nova:root type="image" uuid="{factories.IMAGE}"/>
    <nova:ports>
      <nova:port uuid="{factories.PORT}">
        <nova:ip type="fixed" address="10.0.0.7" ipVersion="4"/>
      </nova:port>
    </nova:ports>
  </nova:instance>
</metadata>""",
            metadata.metadata_xml(factories.a_metadata(
                flavor=factories.a_flavor(
                    extra_specs={"hw:boot_menu": "yes", "a:b": "c"}),
                image=factories.an_image(
                    properties={"hw_disk_bus": "scsi"}))))

    def test_booted_from_a_volume(self):
        """guest-config B5."""
        bare = factories.an_image(id=None, container_format=None,
                                  disk_format=None)
        made = instance(image=bare, root_type="volume")
        image = made.find("nova:instance/nova:image", NOVA)
        self.assertEqual("", image.get("uuid"))
        self.assertEqual(["minDisk", "minRam", "properties"],
                         [etree.QName(part).localname for part in image])
        root = made.find("nova:instance/nova:root", NOVA)
        self.assertEqual({"type": "volume", "uuid": ""}, dict(root.attrib))

    def test_owner_without_a_name(self):
        """guest-config B5: what is not known is left out."""
        for unknown in ("user_name", "user_id"):
            owner = find("nova:owner", owner=factories.an_owner(
                **{unknown: None}))
            self.assertEqual(["project"],
                             [etree.QName(part).localname for part in owner])

    def test_flavor_without_an_id(self):
        found = find("nova:flavor", flavor=factories.a_flavor(id=None))
        self.assertEqual({"name": "small"}, dict(found.attrib))

    def test_a_guest_without_ports(self):
        self.assertEqual(0, len(find("nova:ports", ports=())))

    def test_a_port_without_an_address(self):
        port = find("nova:ports/nova:port",
                    ports=(factories.a_port(addresses=()),))
        self.assertEqual((factories.PORT, 0), (port.get("uuid"), len(port)))

    def test_what_xml_cannot_say(self):
        self.assertEqual("a\ufffdb", find(
            "nova:name", display_name="a\x01b").text)

    @settings(deadline=None)
    @given(st.text())
    def test_any_name_can_be_read_again(self, name):
        flavor = factories.a_flavor(name=name, extra_specs={"k": name})
        made = metadata.metadata_xml(factories.a_metadata(
            display_name=name, flavor=flavor))
        rng.assert_valid(self, made)
        found = etree.fromstring(etree.tostring(made))
        if name.isprintable():
            self.assertEqual(name, found.findtext(
                "nova:instance/nova:name", "", NOVA))
