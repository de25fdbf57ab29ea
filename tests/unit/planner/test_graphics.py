"""guest-config G1-G8."""

import unittest

from nova import exception as nova_exception

from nova_custom_driver import exception
from nova_custom_driver.planner import graphics
from nova_custom_driver.spec import device as spec
from tests.unit.planner import factories

VNC = spec.Vnc(listen="127.0.0.1")
SPICE = spec.Spice(listen="127.0.0.1", streaming_mode="all", secure=True)
TABLET = spec.Input(kind=spec.InputKind.TABLET, bus="usb")


def devices(*, settings=None, **changes):
    return factories.a_plan(
        settings={"vnc": VNC} | (settings or {}), **changes).devices


def arm(**changes):
    return factories.a_domain_facts(
        arch="aarch64", virt_type="qemu", **changes)


class GraphicsTest(unittest.TestCase):

    def test_as_configured(self):
        self.assertEqual((VNC,), devices().graphics)
        self.assertEqual((VNC, SPICE),
                         devices(settings={"spice": SPICE}).graphics)

    def test_without_a_screen_nothing_else_of_it(self):
        found = devices(settings={"vnc": None})
        self.assertEqual(((), None, ()),
                         (found.graphics, found.video, found.inputs))


class VideoTest(unittest.TestCase):

    def video(self, *, domain=None, **changes):
        return devices(domain=domain, **changes).video

    def test_virtio(self):
        self.assertEqual(spec.Video(model="virtio"), self.video())

    def test_power_has_vga(self):
        self.assertEqual("vga", self.video(
            image={"hw_emulation_architecture": "ppc64le"},
            domain=factories.a_domain_facts(
                arch="ppc64le", virt_type="qemu")).model)

    def test_the_images(self):
        for model in ("qxl", "none"):
            self.assertEqual(model, self.video(
                image={"hw_video_model": model}).model)

    def test_refuses_one_the_host_lacks(self):
        with self.assertRaisesRegex(nova_exception.InvalidVideoMode, "gop"):
            self.video(image={"hw_video_model": "gop"})

    def test_memory_within_what_the_flavor_grants(self):
        self.assertEqual(8192, self.video(
            image={"hw_video_ram": 8},
            extra_specs={"hw_video:ram_max_mb": "16"}).vram_kib)
        self.assertIsNone(self.video(
            extra_specs={"hw_video:ram_max_mb": "16"}).vram_kib)

    def test_memory_beyond_it(self):
        for specs in ({}, {"hw_video:ram_max_mb": "7"}):
            with self.assertRaisesRegex(
                    nova_exception.RequestedVRamTooHigh, "memory 8 is"):
                self.video(image={"hw_video_ram": 8}, extra_specs=specs)

    def test_memory_that_is_no_number(self):
        with self.assertRaises(exception.InvalidGuestRequest):
            self.video(extra_specs={"hw_video:ram_max_mb": "all"})


class InputsTest(unittest.TestCase):

    def test_a_usb_tablet(self):
        self.assertEqual((TABLET,), devices().inputs)

    def test_none_if_the_operator_says_so(self):
        for model in (None, "ps2mouse"):
            self.assertEqual((), devices(
                settings={"pointer_model": model}).inputs)

    def test_unless_the_image_asks(self):
        self.assertEqual((TABLET,), devices(
            settings={"pointer_model": None},
            image={"hw_pointer_model": "usbtablet"}).inputs)

    def test_the_images_bus_has_both_whatever_the_operator_says(self):
        for model in ("usbtablet", None):
            self.assertEqual(
                (spec.Input(kind=spec.InputKind.TABLET, bus="virtio"),
                 spec.Input(kind=spec.InputKind.KEYBOARD, bus="virtio")),
                devices(image={"hw_input_bus": "virtio"},
                        settings={"pointer_model": model}).inputs)

    def test_arm_has_no_keyboard_of_its_own(self):
        keyboard = spec.Input(kind=spec.InputKind.KEYBOARD, bus="usb")
        self.assertEqual((TABLET, keyboard), devices(
            image={"hw_emulation_architecture": "aarch64"},
            domain=arm()).inputs)

    def test_the_spice_agent_moves_the_pointer(self):
        """guest-config G8."""
        alone = {"vnc": None, "spice": SPICE, "spice_agent": True}
        with self.assertLogs(graphics.__name__, "WARNING"):
            self.assertEqual(
                (spec.Input(kind=spec.InputKind.KEYBOARD, bus="usb"),),
                devices(image={"hw_input_bus": "usb"},
                        settings=alone).inputs)

    def test_spice_without_its_agent_does_not(self):
        self.assertEqual((TABLET,), devices(
            settings={"vnc": None, "spice": SPICE}).inputs)

    def test_but_not_that_of_vnc(self):
        self.assertEqual((TABLET,), devices(
            settings={"spice": SPICE, "spice_agent": True}).inputs)
