"""Configuration files: complete, and different only when they must be."""

import configparser
import pathlib
import tempfile

import testtools

from tests.unit.tools.stack import factories
from tools.stack import configs


class ConfigsTest(testtools.TestCase):

    def setUp(self):
        super().setUp()
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.state = pathlib.Path(directory.name)
        self.stack = factories.stack(self.state)

    def rendered(self, name, **chosen):
        parser = configparser.ConfigParser(interpolation=None, strict=True)
        parser.read_string(configs.render(
            (configs.TEMPLATES / name).read_text(),
            configs.names(factories.stack(self.state, **chosen))))
        return parser

    def test_every_template_has_all_its_values(self):
        for template in configs.TEMPLATES.rglob("*"):
            if template.is_file():
                configs.render(template.read_text(),
                               configs.names(self.stack))

    def test_the_driver(self):
        self.assertEqual(
            "nova_custom_driver.CustomDriver",
            self.rendered("nova/nova.conf")["DEFAULT"]["compute_driver"])
        nova = self.rendered("nova/nova.conf", STORE="rbd",
                             DRIVER="libvirt.LibvirtDriver")
        self.assertEqual("libvirt.LibvirtDriver",
                         nova["DEFAULT"]["compute_driver"])
        self.assertEqual("vms", nova["libvirt"]["images_rbd_pool"])
        self.assertEqual(configs.RBD_SECRET,
                         nova["libvirt"]["rbd_secret_uuid"])

    def test_each_service_is_who_it_is(self):
        nova = self.rendered("nova/nova.conf")
        self.assertEqual("neutron", nova["neutron"]["username"])
        self.assertEqual("nova", nova["keystone_authtoken"]["username"])

    def test_the_password_is_made_once_and_for_root_only(self):
        first = configs.password(self.stack)
        self.assertEqual(first, configs.password(self.stack))
        self.assertEqual(0o600, (
            self.state / "password").stat().st_mode & 0o777)

    def test_a_digest_changes_with_a_file(self):
        path = self.state / "a"
        path.write_text("1")
        before = configs.digest(self.state)
        self.assertEqual(before, configs.digest(self.state))
        path.write_text("2")
        self.assertNotEqual(before, configs.digest(self.state))
