"""Every phase of the DevStack plugin, and what it changes."""

import pathlib
import subprocess
import tempfile
import unittest

from tests.unit.devstack import machine

FILTERS = "nova_custom_driver.filters"
PLUGIN = machine.PLUGIN
READY = ("override_defaults", "source")
NOVA_CONF = {
    "DEFAULT": {"compute_driver": "nova_custom_driver.CustomDriver",
                "my_ip": "192.0.2.1"},
    "libvirt": {"virt_type": "qemu"},
}


class PhaseTests:
    """The tests; whose functions the plugin calls is up to subclasses."""

    functions: pathlib.Path

    def setUp(self):
        super().setUp()
        self.machine = machine.Machine(
            pathlib.Path(self.enterContext(tempfile.TemporaryDirectory())),
            self.functions)

    def assert_refused(self, message, phase, **settings):
        before = self.machine.files()
        with self.assertRaises(subprocess.CalledProcessError) as caught:
            self.machine.run(*READY, phase, **settings)
        self.assertIn(message, caught.exception.stderr)
        self.assertEqual(before, self.machine.files())

    def assert_nothing_changed(self, *phases, **settings):
        before = self.machine.files()
        self.machine.run(*READY, *phases, **settings)
        self.assertEqual(before, self.machine.files())

    # settings and override-defaults

    def test_settings(self):
        self.assertEqual(
            f"nova_custom_driver.CustomDriver {self.machine.source}\n",
            self.machine.shell(
                "run_phase source >/dev/null; echo "
                "$NOVA_CUSTOM_DRIVER_CLASS $NOVA_CUSTOM_DRIVER_DIR"))

    def test_local_conf_wins(self):
        self.assertEqual("a.B\n", self.machine.shell(
            "run_phase source >/dev/null; echo $NOVA_CUSTOM_DRIVER_CLASS",
            NOVA_CUSTOM_DRIVER_CLASS="a.B"))

    def test_nova_compute_runs_on_native_threads(self):
        self.assertEqual(
            "A=1 OS_NOVA_DISABLE_EVENTLET_PATCHING=1\n",
            self.machine.shell(
                'SYSTEMD_ENV_VARS["n-cpu"]=A=1\n'
                'run_phase override_defaults >/dev/null\n'
                'echo ${SYSTEMD_ENV_VARS["n-cpu"]}'))

    # stack pre-install

    def test_what_the_driver_can_run_on(self):
        for kind in ("kvm", "qemu"):
            self.assert_nothing_changed("stack pre-install",
                                        LIBVIRT_TYPE=kind)

    def test_what_it_cannot_run_on(self):
        for message, settings in (
                ("needs VIRT_DRIVER=libvirt, not ironic",
                 {"VIRT_DRIVER": "ironic"}),
                ("needs LIBVIRT_TYPE=kvm or qemu, not lxc",
                 {"LIBVIRT_TYPE": "lxc"}),
                ("set ENABLE_FILE_INJECTION=False",
                 {"ENABLE_FILE_INJECTION": "True"})):
            with self.subTest(settings):
                self.assert_refused(message, "stack pre-install", **settings)

    # stack install

    def test_install(self):
        self.machine.run(*READY, "stack install")
        requirements, package = self.machine.pip_calls()
        self.assertRegex(requirements, "^pip install -r /")
        self.assertEqual(
            f"pip install --no-deps -e {self.machine.source}", package)

    def test_nova_is_left_alone(self):
        self.machine.run(*READY, "stack install")
        installed = self.machine.requirements.read_text()
        wanted = (machine.ROOT / "requirements.txt").read_text()
        self.assertEqual(
            [line for line in wanted.splitlines()
             if not line.startswith("nova>")], installed.splitlines())
        self.assertIn("prometheus-client", installed)

    def test_another_nova(self):
        self.assert_refused("made for Nova 34, not 35.0.0.0rc2.dev1",
                            "stack install", NOVA_RELEASE="35.0.0.0rc2.dev1")

    def test_another_nova_on_trial(self):
        self.machine.run(*READY, "stack install", NOVA_RELEASE="35.0.0",
                         NOVA_CUSTOM_DRIVER_ANY_NOVA="True")
        self.assertEqual(2, len(self.machine.pip_calls()))

    # stack post-config

    def test_post_config(self):
        self.machine.run(*READY, "stack post-config")
        self.assertEqual(NOVA_CONF, machine.options(self.machine.nova_conf))
        self.assertEqual(
            (machine.ROOT / "etc/nova_custom_driver" / FILTERS).read_text(),
            (self.machine.rootwrap / FILTERS).read_text())

    def test_options_of_the_driver(self):
        metrics = self.machine.directory / "metrics/nova.prom"
        self.machine.run(*READY, "stack post-config",
                         NOVA_CUSTOM_DRIVER_CALL_TIMEOUT="30",
                         NOVA_CUSTOM_DRIVER_METRICS_FILE=str(metrics))
        self.assertEqual(
            NOVA_CONF | {"custom_driver": {"libvirt_call_timeout": "30",
                                           "metrics_file": str(metrics)}},
            machine.options(self.machine.nova_conf))
        self.assertTrue(metrics.parent.is_dir())

    def test_post_config_twice(self):
        self.machine.run(*READY, "stack post-config", "stack post-config")
        self.assertEqual(NOVA_CONF, machine.options(self.machine.nova_conf))

    # stack test-config

    def test_tempest(self):
        self.machine.run(*READY, "stack test-config",
                         NOVA_CUSTOM_DRIVER_TEMPEST_OFF="resize rescue")
        self.assertEqual(
            {"compute-feature-enabled": {
                "resize": "False", "pause": "True", "rescue": "False"}},
            machine.options(self.machine.tempest_conf))

    def test_tempest_where_no_compute_service_is(self):
        self.machine.run(*READY, "stack test-config",
                         ENABLED_SERVICES="key,tempest",
                         NOVA_CUSTOM_DRIVER_TEMPEST_OFF="resize")
        self.assertEqual(
            "False", machine.options(self.machine.tempest_conf)[
                "compute-feature-enabled"]["resize"])

    def test_without_tempest(self):
        self.assert_nothing_changed("stack test-config",
                                    ENABLED_SERVICES="key,n-cpu")

    def test_nothing_is_off(self):
        self.assert_nothing_changed("stack test-config",
                                    NOVA_CUSTOM_DRIVER_TEMPEST_OFF="")

    def test_tempest_on_the_in_tree_driver(self):
        self.assert_nothing_changed(
            "stack test-config",
            NOVA_CUSTOM_DRIVER_CLASS="libvirt.LibvirtDriver")

    # unstack and clean; they run without settings

    def test_unstack(self):
        before = machine.options(self.machine.nova_conf)
        self.machine.run(*READY, "stack post-config",
                         NOVA_CUSTOM_DRIVER_CALL_TIMEOUT="30")
        self.machine.run("override_defaults", "unstack")
        self.assertEqual(before, machine.options(self.machine.nova_conf))
        self.assertEqual([], list(self.machine.rootwrap.iterdir()))
        self.assertEqual([], self.machine.pip_calls())

    def test_unstack_before_stack(self):
        self.machine.nova_conf.unlink()
        self.machine.run("override_defaults", "unstack")

    def test_clean(self):
        journal = self.machine.instances / ".journal/host"
        journal.mkdir(parents=True)
        metrics = self.machine.directory / "nova.prom"
        settings = {"NOVA_CUSTOM_DRIVER_METRICS_FILE": str(metrics)}
        self.machine.run(*READY, "stack post-config", **settings)
        metrics.touch()
        self.machine.run("clean", **settings)
        self.assertEqual(["pip uninstall -y nova-custom-driver"],
                         self.machine.pip_calls())
        self.assertEqual([], list(self.machine.instances.iterdir()))
        self.assertFalse(metrics.exists())
        self.assertEqual([], list(self.machine.rootwrap.iterdir()))

    # Others

    def test_phases_that_are_nothing_to_it(self):
        self.assert_nothing_changed("stack extra", "stack post-extra")

    def test_host_without_a_compute_service(self):
        self.assert_nothing_changed(
            "stack pre-install", "stack install", "stack post-config",
            "unstack", "clean", ENABLED_SERVICES="key,n-api",
            VIRT_DRIVER="ironic", NOVA_RELEASE="35")


class StandInTest(PhaseTests, unittest.TestCase):
    """With functions of our own that do as DevStack's."""

    functions = machine.STAND_INS


@unittest.skipUnless(machine.devstack_functions(),
                     "DevStack is neither in $DEVSTACK_DIR nor in "
                     "build/devstack (tools/setup/devstack.sh)")
class DevStackTest(PhaseTests, unittest.TestCase):
    """With DevStack's own functions."""

    functions = machine.devstack_functions()
