"""``<rng>``, ``<watchdog>``, ``<memballoon>``, ``<sound>``, ``<redirdev>``."""

from lxml import etree

from nova_custom_driver.spec import device as spec
from nova_custom_driver.virt.xml.element import Child, el


def rng_xml(rng: spec.Rng | None) -> Child:
    if rng is None:
        return None
    rate = el("rate", bytes=rng.rate_bytes, period=rng.rate_period_ms) \
        if rng.rate_bytes else None
    return el("rng", rate, el("backend", text=str(rng.path), model="random"),
              model="virtio")


def watchdog_xml(action: spec.WatchdogAction | None) -> Child:
    if action is None:
        return None
    return el("watchdog", model="i6300esb", action=action)


def memballoon_xml(balloon: spec.Balloon | None) -> Child:
    if balloon is None:
        return None
    period = balloon.stats_period_seconds
    return el("memballoon",
              el("stats", period=period) if period is not None else None,
              model="none" if period is None else "virtio",
              # A guest out of memory takes back what the balloon holds, and
              # tells the host which pages it has no use for.
              autodeflate="on", freePageReporting="on")


def sound_xml(model: str | None) -> Child:
    return el("sound", model=model) if model else None


def redirdev_xml() -> etree._Element:
    return el("redirdev", bus="usb", type="spicevmc")
