"""guest-config B5."""

import unittest

from nova_custom_driver.spec import metadata as spec
from tests.unit.planner import factories


def metadata(**changes):
    return factories.a_plan(**changes).metadata


class MetadataTest(unittest.TestCase):

    def test_who_what_and_when(self):
        found = metadata(asked_at=86400.0)
        self.assertEqual(
            ("34.0.0", "web", "1970-01-02 00:00:00", "image"),
            (found.package_version, found.display_name, found.created_at,
             found.root_type))

    def test_a_nameless_instance_is_called_by_its_uuid(self):
        self.assertEqual(factories.UUID, metadata(
            instance={"display_name": None}).display_name)

    def test_flavor(self):
        self.assertEqual(
            spec.Flavor(name="small", id="42", memory_mib=512, disk_gib=10,
                        swap_mib=64, ephemeral_gib=3, vcpus=2,
                        extra_specs={"hw:boot_menu": "true"}),
            metadata(flavor={"swap": 64, "ephemeral_gb": 3},
                     extra_specs={"hw:boot_menu": "true"}).flavor)

    def test_owner(self):
        self.assertEqual(
            spec.Owner(user_id="u1", user_name="ann", project_id="p1",
                       project_name="shop"), metadata().owner)

    def test_an_owner_whose_name_is_not_known(self):
        found = metadata(instance={"system_metadata": {}}).owner
        self.assertEqual(("N/A", "N/A"),
                         (found.user_name, found.project_name))

    def test_image_as_the_instance_remembers_it(self):
        image = metadata(instance={"system_metadata": {
            "image_disk_format": "raw", "image_container_format": "bare",
            "image_min_disk": "4", "image_min_ram": "128",
            "image_hw_disk_bus": "scsi"}}).image
        self.assertEqual(
            spec.Image(id=factories.IMAGE, disk_format="raw",
                       container_format="bare", min_disk_gib=4,
                       min_ram_mib=128, properties={"hw_disk_bus": "scsi"}),
            image)

    def test_a_shelved_instance_names_the_image_it_came_from(self):
        self.assertEqual("base", metadata(instance={"system_metadata": {
            "image_base_image_ref": "base"}}).image.id)

    def test_root_on_a_volume(self):
        found = metadata(instance={"image_ref": ""})
        self.assertEqual(("volume", None), (found.root_type, found.image.id))

    def test_ports_and_their_addresses(self):
        self.assertEqual(
            (spec.Port(id=factories.PORT, addresses=(
                spec.Address(type="fixed", address="10.0.0.7", version=4),)),
             spec.Port(id="p2", addresses=())),
            metadata(vifs=[factories.a_vif(),
                           factories.a_vif(id="p2", network=None)]).ports)
