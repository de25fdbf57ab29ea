"""The samples of local.conf: DevStack can read them, and they work."""

import pathlib
import re
import tempfile
import unittest

from nova_custom_driver import conf
from tests.unit.devstack import machine

SAMPLES = sorted((machine.ROOT / "devstack/samples").glob("*.conf"))
META_SECTION = re.compile(r"^\[\[(.+)\]\]$", re.MULTILINE)
# Of what a sample sets, these are checked.
SHOWN = ("ADMIN_PASSWORD", "DATABASE_PASSWORD", "RABBIT_PASSWORD",
         "SERVICE_PASSWORD", "HOST_IP")


def sections(sample):
    """Return the text of each section of a local.conf by its name."""
    _, *parts = META_SECTION.split(sample.read_text())
    return dict(zip(parts[::2], parts[1::2], strict=True))


class SamplesTest(unittest.TestCase):

    def setUp(self):
        self.machine = machine.Machine(
            pathlib.Path(self.enterContext(tempfile.TemporaryDirectory())),
            machine.devstack_functions() or machine.STAND_INS)

    def stack(self, sample):
        """Stack with a sample; return what it says of itself.

        Plugins of others are enabled, and there is nothing of them.
        """
        localrc = sections(sample)["local|localrc"]
        # Ours is enabled by the machine already.
        localrc, count = re.subn(
            f"^enable_plugin ({machine.PLUGIN} https://.*)$", "",
            localrc, flags=re.MULTILINE)
        self.assertEqual(1, count)
        shown = "; ".join(f'echo "{name}=${{{name}:-}}"' for name in SHOWN)
        output = self.machine.shell(
            "function enable_service { ENABLED_SERVICES+=,$1; }\n"
            f"{localrc}\n"
            "run_phase override_defaults >/dev/null\n"
            "run_phase source >/dev/null\n"
            "run_phase stack pre-install\nrun_phase stack install >/dev/null\n"
            "run_phase stack post-config >/dev/null\n"
            "run_phase stack test-config\n" + shown)
        return dict(line.split("=", 1) for line in output.splitlines()
                    if "=" in line)

    def test_there_are_samples(self):
        self.assertEqual(
            ["ceph", "single-node", "two-nodes-compute",
             "two-nodes-controller"], [path.stem for path in SAMPLES])

    def test_stack(self):
        for sample in SAMPLES:
            with self.subTest(sample.name):
                said = self.stack(sample)
                self.assertEqual({"secret"}, {
                    said[name] for name in SHOWN if "PASSWORD" in name})
                self.assertEqual(
                    "nova_custom_driver.CustomDriver",
                    machine.options(self.machine.nova_conf)[
                        "DEFAULT"]["compute_driver"])

    def test_two_nodes_have_two_addresses(self):
        compute, controller = (self.stack(sample) for sample in SAMPLES[2:])
        self.assertNotEqual(controller["HOST_IP"], compute["HOST_IP"])
        self.assertIn(f"SERVICE_HOST={controller['HOST_IP']}\n",
                      SAMPLES[2].read_text())

    def test_options_are_there(self):
        known = {option.dest for option in conf.OPTIONS}
        for sample in SAMPLES:
            for name, text in sections(sample).items():
                if not name.startswith("post-config|"):
                    continue
                with self.subTest(sample.name):
                    self.assertEqual("post-config|$NOVA_CONF", name)
                    path = self.machine.directory / "sample"
                    path.write_text(text)
                    self.assertLessEqual(
                        set(machine.options(path)["custom_driver"]), known)
