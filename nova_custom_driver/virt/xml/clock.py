"""``<clock>``; see "Time keeping"."""

from lxml import etree

from nova_custom_driver.spec import guest as spec
from nova_custom_driver.virt.xml.element import el, yes_no


def clock_xml(clock: spec.Clock) -> etree._Element:
    return el("clock", *(_timer(timer) for timer in clock.timers),
              offset=clock.offset)


def _timer(timer: spec.Timer) -> etree._Element:
    present = timer.present
    return el("timer", name=timer.name, tickpolicy=timer.tickpolicy,
              present=yes_no(present) if present is not None else None)
