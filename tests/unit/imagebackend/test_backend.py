from nova_custom_driver import exception
from nova_custom_driver import imagebackend
from nova_custom_driver.imagebackend import qcow2
from nova_custom_driver.imagebackend import raw
from tests.fakes import imagebackend as fakes
from tests.unit.imagebackend import factories


class BackendTest(factories.DirectoryTestCase):

    def backend(self, name):
        return imagebackend.backend(name, factories.settings(self.path),
                                    fakes.MemoryCache())

    def test_the_built_in_backends_are_registered(self):
        self.assertIsInstance(self.backend("qcow2"), qcow2.Qcow2Backend)
        self.assertIsInstance(self.backend("raw"), raw.RawBackend)

    def test_another_name_is_refused_and_the_known_ones_told(self):
        with self.assertRaisesRegex(exception.UnsupportedDiskBackend,
                                    "'floppy'.*qcow2, raw"):
            self.backend("floppy")
