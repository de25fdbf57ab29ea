"""``<address>``; see "Device Addresses"."""

from lxml import etree

from nova_custom_driver.virt.xml.element import el


def pci_xml(address: str, *, type: str | None = None) -> etree._Element:
    """:param address: "0000:84:00.0"."""
    domain, bus, rest = address.split(":")
    slot, function = rest.split(".")
    return el("address", type=type, domain=f"0x{domain}", bus=f"0x{bus}",
              slot=f"0x{slot}", function=f"0x{function}")
