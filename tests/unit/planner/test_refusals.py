"""What is not built yet is refused by its name: guest-config C10-C14,
C16, D22, D24, F6, G9, G11, I9, M1, M2, M4, M7, N1.
"""

import itertools
import unittest

from nova import exception as nova_exception
from nova import objects
from nova.objects import image_meta as image_meta_object

from nova_custom_driver import exception
from nova_custom_driver.planner import refusals
from tests.unit.planner import factories

# A value that asks for something, of every key of the table.
ASKED_BY_FLAVOR = {
    "hw:cpu_policy": "dedicated", "hw:cpu_thread_policy": "prefer",
    "hw:cpu_dedicated_mask": "0", "hw:cpu_realtime": "yes",
    "hw:emulator_threads_policy": "share",
    "hw:numa_nodes": "1",
    "hw:mem_page_size": "large", "hw:locked_memory": "true",
    "hw:pmem": "a", "hw:mem_encryption": "true",
    "hw:tpm_version": "2.0",
    "hw:tpm_model": "tpm-crb",
    "hw:sound_model": "ich9",
    "hw:redirected_usb_ports": "2", "hw:ephemeral_encryption": "true"}
ASKED_BY_IMAGE = {
    "hw_cpu_policy": "mixed", "hw_cpu_thread_policy": "isolate",
    "hw_numa_nodes": "2",
    "hw_mem_page_size": "any", "hw_locked_memory": "true",
    "hw_mem_encryption": "true", "hw_tpm_version": "1.2",
    "hw_tpm_model": "tpm-tis",
    "hw_sound_model": "sb16",
    "hw_redirected_usb_ports": "1",
    "hw_ephemeral_encryption": "true"}
HARMLESS = (
    ("hw:cpu_policy", "shared"), ("hw:cpu_realtime", "no"),
    ("hw:locked_memory", "false"), ("hw:mem_encryption", "0"),
    ("hw:redirected_usb_ports", "0"), ("resources:PCPU", "0"),
    ("resources:VCPU", "2"), ("hw:numa_nodes", ""))


class RefusalsTest(unittest.TestCase):

    def assertRefused(self, key, value, **request):
        with self.assertRaises(exception.InvalidGuestRequest) as raised:
            refusals.check(factories.a_request(**request))
        text = str(raised.exception)
        self.assertIn(f"{key}={value}", text)
        self.assertIn("does not support it yet", text)

    def test_a_plain_guest_passes(self):
        refusals.check(factories.a_request(vifs=[factories.a_vif()]))

    def test_every_extra_spec_of_the_table(self):
        table = {spec for spec, _image, _no in refusals.REFUSED if spec}
        self.assertEqual(table, set(ASKED_BY_FLAVOR))
        for key, value in ASKED_BY_FLAVOR.items():
            with self.subTest(key=key):
                self.assertRefused(key, value, extra_specs={key: value})

    def test_every_image_property_of_the_table(self):
        table = {image for _spec, image, _no in refusals.REFUSED if image}
        self.assertEqual(table, set(ASKED_BY_IMAGE))
        for key, value in ASKED_BY_IMAGE.items():
            with self.subTest(key=key):
                request = factories.a_request(image={key: value})
                self.assertRefused(key, request.image_property(key),
                                   image={key: value})

    def test_what_asks_for_nothing_passes(self):
        for key, value in HARMLESS:
            with self.subTest(key=key, value=value):
                refusals.check(factories.a_request(
                    extra_specs={key: value}))
        refusals.check(factories.a_request(image={
            "hw_mem_encryption": "false", "hw_cpu_policy": "shared"}))

    def test_resources_of_any_group(self):
        for key in ("resources:PCPU", "resources_a-b:PCPU"):
            self.assertRefused(key, "1", extra_specs={key: "1"})

    def test_encrypted_disks(self):
        disk = {"device_name": "/dev/vdb", "encrypted": True, "swap_size": 1}
        for info in ({"image": [disk]}, {"ephemerals": [disk]},
                     {"swap": disk}):
            self.assertRefused("encryption of /dev/vdb", True,
                               block_device_info=info)

    def test_lists_that_are_missing(self):
        refusals.check(factories.a_request(block_device_info={
            "image": None, "ephemerals": None, "swap": None}))

    def test_the_first_of_many_is_enough(self):
        self.assertRefused(
            "hw:cpu_policy", "dedicated", extra_specs=ASKED_BY_FLAVOR)

    def test_before_anything_else_is_looked_at(self):
        with self.assertRaises(exception.InvalidGuestRequest):
            factories.a_plan(
                image={"hw_machine_type": "isapc"},
                extra_specs={"hw:numa_nodes": "1"})

    def test_nova_gives_up_rather_than_try_each_host(self):
        self.assertTrue(issubclass(exception.InvalidGuestRequest,
                                   nova_exception.InvalidInput))


class ClaimsTest(unittest.TestCase):

    def check(self, **claims):
        request = factories.a_request()
        for name, value in claims.items():
            setattr(request.instance, name, value)
        refusals.check(request)

    def test_refused(self):
        with self.assertRaisesRegex(
                exception.InvalidGuestRequest, "numa_topology=1"):
            self.check(numa_topology=objects.InstanceNUMATopology(
                cells=[objects.InstanceNUMACell()]))

    def test_what_is_not_loaded_is_not_fetched(self):
        request = factories.a_request()
        for name in refusals.CLAIMS:
            delattr(request.instance, f"_obj_{name}")
        refusals.check(request)


class TableTest(unittest.TestCase):

    def test_nova_knows_every_image_property(self):
        fields = image_meta_object.ImageMetaProps.fields
        self.assertLessEqual(
            {image for _spec, image, _no in refusals.REFUSED if image},
            set(fields))

    def test_no_key_stands_twice(self):
        keys = [key for key in itertools.chain.from_iterable(
            line[:2] for line in refusals.REFUSED) if key]
        self.assertEqual(len(keys), len(set(keys)))
