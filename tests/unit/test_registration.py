"""driver-contract L1: how stock Nova finds the driver."""

import importlib
import importlib.metadata
import json
import os
import subprocess
import sys
import textwrap
import unittest

from nova_custom_driver import registration


def in_a_fresh_process(program):
    """Return what ``program`` stores in ``result``, in an own interpreter."""
    done = subprocess.run(
        [sys.executable, "-c",
         textwrap.dedent(program)
         + "\nimport json\nprint(json.dumps(result))"],
        env={**os.environ, "OS_NOVA_DISABLE_EVENTLET_PATCHING": "1"},
        capture_output=True, text=True, check=False)
    if done.returncode:
        raise AssertionError(done.stderr)
    return json.loads(done.stdout.splitlines()[-1])


class FreshProcessTest(unittest.TestCase):

    def test_os_vif_opens_the_way_and_loads_nothing_else(self):
        loaded = in_a_fresh_process("""
            import sys
            import os_vif
            os_vif.initialize()
            result = sorted(name for name in sys.modules
                            if name.startswith("nova_custom_driver")
                            or name.split(".")[0] in ("libvirt", "nova"))
            """)
        self.assertEqual(
            ["nova_custom_driver", "nova_custom_driver.registration"],
            loaded)

    def test_nova_loads_the_driver_by_its_name(self):
        """driver-contract L1."""
        name, kind, spelled = in_a_fresh_process("""
            import os_vif
            os_vif.initialize()
            from nova import objects
            objects.register_all()
            from oslo_utils import importutils
            driver = importutils.import_class(
                "nova.virt.nova_custom_driver.CustomDriver")
            import nova.virt.nova_custom_driver as alias
            from nova.virt import driver as nova_driver
            result = (f"{driver.__module__}.{driver.__qualname__}",
                      issubclass(driver, nova_driver.ComputeDriver),
                      alias.__name__)
            """)
        self.assertEqual("nova_custom_driver.virt.driver.CustomDriver", name)
        self.assertTrue(kind)
        self.assertEqual("nova.virt.nova_custom_driver", spelled)

    def test_without_os_vif_there_is_no_way(self):
        self.assertFalse(in_a_fresh_process("""
            import importlib.util
            import nova.virt
            result = importlib.util.find_spec(
                "nova.virt.nova_custom_driver") is not None
            """))

    def test_a_driver_that_cannot_be_imported_says_why(self):
        """Nova logs this error in full and exits."""
        self.assertEqual("libvirt", in_a_fresh_process("""
            import sys
            import os_vif
            os_vif.initialize()
            from nova import objects
            objects.register_all()
            sys.modules["libvirt"] = None
            try:
                import nova.virt.nova_custom_driver
            except ImportError as error:
                result = error.name
            """))


class AliasFinderTest(unittest.TestCase):

    def test_knows_one_name_only(self):
        finder = registration.AliasFinder()
        for name in ("nova.virt", "nova.virt.nova_custom_driver.virt",
                     "nova.virt.libvirt", "nova_custom_driver"):
            self.assertIsNone(finder.find_spec(name, None), name)
        self.assertIsNotNone(finder.find_spec(registration.ALIAS, None))

    def test_registering_twice_is_once(self):
        registration.register()
        registration.register()
        finders = [finder for finder in sys.meta_path
                   if isinstance(finder, registration.AliasFinder)]
        self.assertEqual(1, len(finders))

    def test_everything_else_is_found_before(self):
        registration.register()
        self.assertIsInstance(sys.meta_path[-1], registration.AliasFinder)


class PluginTest(unittest.TestCase):

    def test_os_vif_finds_it_and_is_offered_no_vif_type(self):
        entry, = importlib.metadata.entry_points(
            group="os_vif", name="nova_custom_driver")
        plugin = entry.load().load("nova_custom_driver")
        self.assertEqual([], plugin.describe().vif_info)

    def test_plugs_nothing(self):
        plugin = registration.RegistrationPlugin.load("nova_custom_driver")
        with self.assertRaises(NotImplementedError):
            plugin.plug(None, None)
        with self.assertRaises(NotImplementedError):
            plugin.unplug(None, None)
