"""Comparing XML as a reader does."""

import unittest

from lxml import etree

from tests import rng


class XmlTestCase(unittest.TestCase):
    """Takes layout and the order of attributes for what they are."""

    maxDiff = None

    def assert_spelled(self, expected, element):
        """:param expected: as a reader would write it, indented or not.
        :param element: what was built, or a part of it.
        """
        rng.assert_valid(self, element.getroottree().getroot())
        self.assertMultiLineEqual(laid_out(expected), laid_out(element))


def laid_out(xml):
    """Return the XML, an element a line, attributes in alphabetic order."""
    text = xml if isinstance(xml, str) else etree.tostring(xml)
    element = etree.fromstring(
        text, etree.XMLParser(remove_blank_text=True))
    etree.indent(element)
    return etree.tostring(element, method="c14n").decode() + "\n"
