import unittest

from lxml import etree

from nova_custom_driver.virt.xml import element
from nova_custom_driver.virt.xml.element import el


def text(node):
    return etree.tostring(node, encoding="unicode")


class ElTest(unittest.TestCase):

    def test_children_and_attributes_keep_their_order(self):
        self.assertEqual(
            '<a z="1" y="b"><c/><b>t</b></a>',
            text(el("a", el("c"), el("b", text="t"), z=1, y="b")))

    def test_what_is_none_is_left_out(self):
        self.assertEqual("<a/>", text(el("a", None, text=None, b=None)))

    def test_zero_and_empty_are_written(self):
        self.assertEqual('<a b="0" c=""/>', text(el("a", b=0, c="")))

    def test_a_name_python_keeps(self):
        self.assertEqual('<a class="x"/>', text(el("a", class_="x")))

    def test_a_boolean_has_no_spelling(self):
        with self.assertRaisesRegex(TypeError, "<acpi state>"):
            el("acpi", state=True)

    def test_namespace(self):
        space = {"n": "urn:x"}
        self.assertEqual(
            '<n:a xmlns:n="urn:x"><n:b/></n:a>',
            text(el("{urn:x}a", el("{urn:x}b", nsmap=space), nsmap=space)))


class OptionalTest(unittest.TestCase):

    def test_nothing(self):
        self.assertIsNone(element.optional("a", None))

    def test_number(self):
        self.assertEqual("<a>0</a>", text(element.optional("a", 0)))


class WordsTest(unittest.TestCase):

    def test_on_off(self):
        self.assertEqual(["on", "off"], list(map(element.on_off,
                                                 (True, False))))

    def test_yes_no(self):
        self.assertEqual(["yes", "no"], list(map(element.yes_no,
                                                 (True, False))))
