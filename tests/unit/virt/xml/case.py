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

    def assert_same(self, in_tree, ours):
        """Compare with an element of the in-tree driver's.

        libvirt looks for children by name, so their order is free.
        """
        rng.assert_valid(self, ours.getroottree().getroot())
        self.assertMultiLineEqual(laid_out(_sorted(in_tree)),
                                  laid_out(_sorted(ours)))


def laid_out(xml):
    """Return the XML, an element a line, attributes in alphabetic order."""
    text = xml if isinstance(xml, str) else etree.tostring(xml)
    element = etree.fromstring(
        text, etree.XMLParser(remove_blank_text=True))
    etree.indent(element)
    return etree.tostring(element, method="c14n").decode() + "\n"


def _sorted(element):
    copy = etree.Element(element.tag, element.attrib, nsmap=element.nsmap)
    copy.text = element.text
    copy.extend(sorted((_sorted(child) for child in element),
                       key=etree.tostring))
    return copy
