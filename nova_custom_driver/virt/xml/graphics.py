"""``<graphics>``, ``<video>`` and ``<input>``."""

from lxml import etree

from nova_custom_driver.spec import device as spec
from nova_custom_driver.virt.xml.element import Child, el, on_off

SPICE_CHANNELS = ("main", "display", "inputs", "cursor", "playback",
                  "record", "smartcard", "usbredir")


def graphics_xml(graphics: spec.Graphics) -> etree._Element:
    match graphics:
        case spec.Vnc():
            return el("graphics", _listen(graphics.listen), type="vnc",
                      autoport="yes")
        case spec.Spice():
            return _spice(graphics)


def _spice(spice: spec.Spice) -> etree._Element:
    return el(
        "graphics", _listen(spice.listen),
        *(el("channel", name=name, mode="secure")
          for name in SPICE_CHANNELS if spice.secure),
        _compression("image", spice.image_compression),
        _compression("jpeg", spice.jpeg_compression),
        _compression("zlib", spice.zlib_compression),
        _compression("playback",
                     on_off(spice.playback_compression)
                     if spice.playback_compression is not None else None),
        el("streaming", mode=spice.streaming_mode)
        if spice.streaming_mode else None,
        type="spice", autoport="yes")


def _listen(address: str) -> etree._Element:
    return el("listen", type="address", address=address)


def _compression(tag: str, value: str | None) -> Child:
    return el(tag, compression=value) if value else None


def video_xml(video: spec.Video | None) -> Child:
    if video is None:
        return None
    return el("video", el("model", type=video.model, vram=video.vram_kib))


def input_xml(item: spec.Input) -> etree._Element:
    return el("input", type=item.kind, bus=item.bus)
