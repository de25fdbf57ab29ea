"""libvirt's own schema of the domain XML format."""

import functools
import os
import pathlib

from lxml import etree

SCHEMA = pathlib.Path("libvirt/schemas/domain.rng")
# Children of <domain>; any other element is a device.
PARTS = frozenset(("clock", "cpu", "cputune", "features", "metadata", "os",
                   "perf", "sysinfo"))


def assert_valid(testcase, xml):
    """Fail unless libvirt's schema allows the XML.

    :param xml: text or element; a whole domain, or one element of it.
    """
    # As text: what is checked is what libvirt would parse.
    element = etree.fromstring(_text(xml))
    domain = element if element.tag == "domain" else _around(element)
    schema = _schema()
    if not schema.validate(domain):
        testcase.fail(f"{schema.error_log}\n{_text(domain)}")


def _around(element):
    parts = {"name": "<name>guest</name>",
             "memory": "<memory>1024</memory>",
             "os": "<os><type>hvm</type></os>",
             "devices": "<devices/>"}
    if element.tag in PARTS:
        parts[element.tag] = _text(element)
    else:
        parts["devices"] = f"<devices>{_text(element)}</devices>"
    return etree.fromstring(
        f'<domain type="kvm">{"".join(parts.values())}</domain>')


@functools.cache
def _schema():
    return etree.RelaxNG(etree.parse(_path()))


def _path():
    """Return where the package that brings libvirtd keeps the schema."""
    shares = os.environ.get("XDG_DATA_DIRS") or "/usr/local/share:/usr/share"
    for directory in shares.split(":"):
        path = pathlib.Path(directory) / SCHEMA
        if path.is_file():
            return path
    raise RuntimeError(
        f"{SCHEMA} is in none of {shares}; see bindep.txt for the packages")


def _text(xml):
    return xml if isinstance(xml, str) else etree.tostring(
        xml, encoding="unicode", with_tail=False)
