"""What a person may choose, and what is refused in one sentence."""

import testtools

from tests.unit.tools.stack import factories
from tools.stack import settings


class SettingsTest(testtools.TestCase):

    def test_defaults(self):
        made = settings.from_environment({})
        self.assertEqual("nova_custom_driver.CustomDriver", made.driver)
        self.assertEqual(("qcow2", "qemu"), (made.store, made.virt_type))

    def test_an_empty_choice_is_none(self):
        self.assertEqual(settings.from_environment({}),
                         settings.from_environment({"DRIVER": ""}))

    def test_what_there_is_not(self):
        for name, value in (("DRIVER", "xen.Driver"), ("STORE", "lvm"),
                            ("VIRT_TYPE", "lxc")):
            with testtools.ExpectedException(SystemExit, f"{name}={value}"):
                factories.stack(**{name: value})

    def test_rbd_disks_are_the_other_drivers(self):
        with testtools.ExpectedException(SystemExit, "STORE=rbd"):
            factories.stack(STORE="rbd")
        self.assertEqual("rbd", factories.stack(
            STORE="rbd", DRIVER="libvirt.LibvirtDriver").store)

    def test_all_state_is_in_one_directory(self):
        made = factories.stack("/somewhere")
        for path in (made.venv, made.etc, made.run, made.log, made.data):
            self.assertEqual("/somewhere", str(path.parent))
