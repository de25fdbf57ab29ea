from nova_custom_driver.spec import device as spec
from nova_custom_driver.virt.xml import graphics
from tests.unit.virt.xml import case


class GraphicsXmlTest(case.XmlTestCase):

    def test_vnc(self):
        """guest-config G3."""
        self.assert_spelled(
            """<graphics type="vnc" autoport="yes">
                 <listen type="address" address="127.0.0.1"/>
               </graphics>""",
            graphics.graphics_xml(spec.Vnc(listen="127.0.0.1")))

    def test_spice(self):
        """guest-config G4."""
        self.assert_spelled(
            """<graphics type="spice" autoport="yes">
                 <listen type="address" address="::1"/>
               </graphics>""",
            graphics.graphics_xml(spec.Spice(listen="::1")))

    def test_spice_settings(self):
        """guest-config G4."""
        self.assert_spelled(
            """<graphics type="spice" autoport="yes">
                 <listen type="address" address="::1"/>
                 <image compression="auto_glz"/>
                 <jpeg compression="never"/>
                 <zlib compression="always"/>
                 <playback compression="off"/>
                 <streaming mode="filter"/>
               </graphics>""",
            graphics.graphics_xml(spec.Spice(
                listen="::1", image_compression="auto_glz",
                jpeg_compression="never", zlib_compression="always",
                playback_compression=False, streaming_mode="filter")))

    def test_playback_is_compressed(self):
        """guest-config G4."""
        made = graphics.graphics_xml(
            spec.Spice(listen="::1", playback_compression=True))
        self.assert_spelled('<playback compression="on"/>',
                            made.find("playback"))

    def test_spice_by_tls_only(self):
        """guest-config G4: require_secure."""
        made = graphics.graphics_xml(spec.Spice(listen="::1", secure=True))
        self.assert_spelled(
            """<graphics type="spice" autoport="yes">
                 <listen type="address" address="::1"/>
                 <channel name="main" mode="secure"/>
                 <channel name="display" mode="secure"/>
                 <channel name="inputs" mode="secure"/>
                 <channel name="cursor" mode="secure"/>
                 <channel name="playback" mode="secure"/>
                 <channel name="record" mode="secure"/>
                 <channel name="smartcard" mode="secure"/>
                 <channel name="usbredir" mode="secure"/>
               </graphics>""", made)


class VideoXmlTest(case.XmlTestCase):

    def test_model(self):
        """guest-config G1."""
        self.assert_spelled(
            '<video><model type="virtio"/></video>',
            graphics.video_xml(spec.Video(model="virtio")))

    def test_memory(self):
        """guest-config G2: KiB."""
        self.assert_spelled(
            '<video><model type="qxl" vram="65536"/></video>',
            graphics.video_xml(spec.Video(model="qxl", vram_kib=65536)))

    def test_no_screen(self):
        """guest-config G5."""
        self.assertIsNone(graphics.video_xml(None))


class InputXmlTest(case.XmlTestCase):

    def test_pointer_and_keyboard(self):
        """guest-config G6, G7."""
        self.assert_spelled(
            '<input type="tablet" bus="usb"/>',
            graphics.input_xml(spec.Input(
                kind=spec.InputKind.TABLET, bus="usb")))
        self.assert_spelled(
            '<input type="keyboard" bus="virtio"/>',
            graphics.input_xml(spec.Input(
                kind=spec.InputKind.KEYBOARD, bus="virtio")))
