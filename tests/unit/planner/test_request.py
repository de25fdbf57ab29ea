"""What every rule of the planner reads a request by."""

import unittest

from hypothesis import given
from hypothesis import strategies as st

from nova_custom_driver import exception
from tests.unit.planner import factories


class IntegerTest(unittest.TestCase):

    @given(st.integers())
    def test_reads_a_number(self, number):
        request = factories.a_request(extra_specs={"a:b": str(number)})
        self.assertEqual(number, request.integer("a:b"))

    def test_none_is_set(self):
        self.assertIsNone(factories.a_request().integer("a:b"))

    def test_refuses_anything_else_by_name(self):
        for value in ("", "1.5", "ten", "0x10"):
            with self.assertRaisesRegex(exception.InvalidGuestRequest,
                                        f"a:b={value} .*whole number"):
                factories.a_request(
                    extra_specs={"a:b": value}).integer("a:b")


class RequestTest(unittest.TestCase):

    def test_the_flavor_is_the_instances(self):
        request = factories.a_request(flavor={"vcpus": 5})
        self.assertEqual(5, request.flavor.vcpus)

    def test_a_flavor_without_extra_specs(self):
        request = factories.a_request()
        request.instance.flavor.extra_specs = {}
        self.assertEqual({}, request.extra_specs)

    def test_a_property_the_image_has_not(self):
        self.assertIsNone(factories.a_request().image_property(
            "hw_disk_bus"))
