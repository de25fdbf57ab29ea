"""What is installed, and that stock Nova finds it there.

driver-contract L1; the fresh environment has the wheel of this source, and
borrows everything else from the environment the tests run in.
"""

import configparser
import importlib.metadata
import os
import pathlib
import shutil
import subprocess
import sys
import sysconfig
import tempfile
import unittest
import venv
import zipfile

ROOT = pathlib.Path(__file__).parents[2]
SAMPLES = ROOT / "etc" / "nova_custom_driver"

LOAD = """
import inspect, sys
from nova import monkey_patch; monkey_patch.patch(backend="threading")
import os_vif; os_vif.initialize()
from nova import config, objects
objects.register_all()
config.parse_args(sys.argv, configure_db=False, init_rpc=False)
from nova.virt import driver, fake
made = driver.load_compute_driver(
    fake.FakeVirtAPI(), "nova_custom_driver.CustomDriver")
print(inspect.getfile(type(made)))
"""


def run(*command, **environment):
    """Return (exit status, output and errors as one text)."""
    done = subprocess.run(
        command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
        env={**os.environ, **environment}, check=False, timeout=120)
    return done.returncode, done.stdout


def copy_source(directory):
    """Return a copy of the source in ``directory``.

    Building leaves files behind, and would pack those of the last time.
    """
    return shutil.copytree(
        ROOT, directory / "source", ignore=shutil.ignore_patterns(
            ".*", "build", "dist", "*.egg-info", "__pycache__", "doc"))


def make_environment(directory):
    """Return the Python of a new environment that borrows what we need.

    The paths of a .pth file come after the environment's own, and the .pth
    files found there, such as that of an editable install, are not read.
    """
    venv.create(directory)
    library = pathlib.Path(sysconfig.get_path(
        "purelib", vars={"base": str(directory)}))
    (library / "borrowed.pth").write_text("\n".join(
        path for path in sys.path if path.endswith("-packages")))
    return str(directory / "bin" / "python")


def pip(*arguments):
    """:raises AssertionError: with what pip says."""
    status, output = run(sys.executable, "-m", "pip", *arguments,
                         PBR_VERSION="0.0.0")
    if status:
        raise AssertionError(output)


def load_driver(python, concurrency="threading"):
    """Have Nova load the driver, in the order ``nova-compute`` does."""
    with tempfile.NamedTemporaryFile("w") as settings:
        settings.write(f"[DEFAULT]\nconcurrency_backend={concurrency}\n")
        settings.flush()
        return run(python, "-I", "-W", "ignore", "-c", LOAD,
                   "--config-file", settings.name,
                   OS_NOVA_DISABLE_EVENTLET_PATCHING="")


class SamplesTest(unittest.TestCase):

    def test_the_sample_shows_the_options_of_today(self):
        with tempfile.TemporaryDirectory() as directory:
            made = pathlib.Path(directory, "sample")
            status, output = run(
                sys.executable, "-m", "oslo_config.generator",
                "--config-file",
                str(SAMPLES / "nova_custom_driver-config-generator.conf"),
                "--output-file", str(made))
            self.assertEqual(0, status, output)
            self.assertEqual(
                made.read_text(),
                (SAMPLES / "nova_custom_driver.conf.sample").read_text(),
                "see etc/nova_custom_driver/README.rst")

    def test_the_minimal_file_names_the_driver(self):
        minimal = configparser.ConfigParser()
        minimal.read(SAMPLES / "nova.conf.minimal")
        self.assertEqual(
            {"compute_driver": "nova_custom_driver.CustomDriver"},
            dict(minimal["DEFAULT"]))


class EntryPointsTest(unittest.TestCase):

    def test_each_leads_somewhere(self):
        # Of this tree: what is installed may be of another.
        setup = configparser.ConfigParser()
        setup.read(ROOT / "setup.cfg")
        groups = dict(setup["entry_points"])
        self.assertLessEqual(
            {"os_vif", "oslo.config.opts",
             "nova_custom_driver.imagebackends"}, set(groups))
        for group, lines in groups.items():
            for line in lines.split("\n")[1:]:
                name, value = (part.strip() for part in line.split("=", 1))
                entry = importlib.metadata.EntryPoint(name, value, group)
                with self.subTest(group, name=name):
                    self.assertTrue(callable(entry.load()))


class WheelTest(unittest.TestCase):

    @classmethod
    def setUpClass(cls):
        temporary = tempfile.TemporaryDirectory()
        cls.addClassCleanup(temporary.cleanup)
        directory = pathlib.Path(temporary.name)
        pip("wheel", "--no-deps", "--no-build-isolation", "--wheel-dir",
            str(directory), str(copy_source(directory)))
        cls.wheel, = directory.glob("*.whl")
        with zipfile.ZipFile(cls.wheel) as archive:
            cls.names = archive.namelist()
        cls.python = make_environment(directory / "environment")
        # Ignoring what is installed: that of the environment we run in.
        pip("--python", cls.python, "install", "--no-deps",
            "--ignore-installed", str(cls.wheel))

    def test_has_every_module_and_no_test(self):
        source = {str(path.relative_to(ROOT)) for path
                  in (ROOT / "nova_custom_driver").rglob("*.py")}
        self.assertEqual(source, {
            name for name in self.names
            if name.startswith("nova_custom_driver/")})
        self.assertFalse([name for name in self.names
                          if name.startswith(("tests", "tools", "doc"))])

    def test_brings_the_samples(self):
        samples = {pathlib.PurePath(name).name for name in self.names
                   if "/data/etc/nova_custom_driver/" in name}
        self.assertEqual({path.name for path in SAMPLES.iterdir()}, samples)

    def test_nova_loads_the_driver_from_it(self):
        status, output = load_driver(self.python)
        self.assertEqual(0, status, output)
        self.assertIn("/environment/lib", output.splitlines()[-1])

    def test_under_eventlet_it_says_what_to_change(self):
        status, output = load_driver(self.python, "eventlet")
        self.assertEqual(1, status, output)
        self.assertRegex(output.splitlines()[-1],
                         r"native threads only: set .*concurrency_backend")


class EditableTest(unittest.TestCase):

    def test_nova_loads_the_driver_from_the_source(self):
        with tempfile.TemporaryDirectory() as temporary:
            directory = pathlib.Path(temporary)
            source = copy_source(directory)
            python = make_environment(directory / "environment")
            pip("--python", python, "install", "--no-deps",
                "--ignore-installed", "--no-build-isolation", "--editable",
                str(source))
            status, output = load_driver(python)
        self.assertEqual(0, status, output)
        self.assertTrue(output.splitlines()[-1].startswith(str(source)),
                        output)
