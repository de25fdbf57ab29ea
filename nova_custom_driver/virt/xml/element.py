"""One way to write an element."""

from collections.abc import Mapping

from lxml import etree

Child = etree._Element | None


def el(tag: str, *children: Child, text: str | None = None,
       nsmap: Mapping[str, str] | None = None,
       **attributes: str | int | None) -> etree._Element:
    """Return ``<tag>`` with its children and attributes in the order given.

    ``None`` is left out, so an optional part needs no branch.  An underscore
    after a name that Python keeps for itself (``class_``) is dropped.

    :param nsmap: {prefix: namespace}, for a tag like ``{namespace}name``.
    :raises TypeError: for a ``bool``.  libvirt has yes/no and on/off, and
        only the caller knows which of them this attribute takes.
    """
    node = etree.Element(tag, nsmap=dict(nsmap) if nsmap else None)
    node.text = text
    for name, value in attributes.items():
        if isinstance(value, bool):
            raise TypeError(f"<{tag} {name}>: choose yes/no or on/off")
        if value is not None:
            node.set(name.rstrip("_"), str(value))
    node.extend([child for child in children if child is not None])
    return node


def optional(tag: str, text: str | int | None) -> Child:
    """Return ``<tag>text</tag>``, or None if there is no text."""
    return None if text is None else el(tag, text=str(text))


def on_off(value: bool) -> str:
    return "on" if value else "off"


def yes_no(value: bool) -> str:
    return "yes" if value else "no"
