"""The stock nova-compute program finds the driver: driver-contract L1, L11.

It runs in fresh environments that have Nova from the package index, one with
the driver's wheel and one with its source.  What nova-compute waits for before
it loads a driver, an answer from the conductor, is left out.
"""

import hashlib
import http.server
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import threading
import unittest
import venv

from tests.unit import test_packaging

# Nova and all else that the driver requires; what takes minutes is done once.
REQUIREMENTS = test_packaging.ROOT / "requirements.txt"
ENVIRONMENTS = test_packaging.ROOT / "build" / "environments"
CONDUCTOR_LEFT_OUT = """
import runpy, sys
from nova import monkey_patch; monkey_patch.patch(backend="threading")
from nova.conductor import api
api.API.wait_until_ready = lambda *_, **__: None
sys.argv = sys.argv[1:]
runpy.run_path(sys.argv[0], run_name="__main__")
"""
SETTINGS = """
[DEFAULT]
compute_driver = nova_custom_driver.CustomDriver
concurrency_backend = {backend}
transport_url = fake://
rpc_response_timeout = 1
state_path = {directory}
[oslo_concurrency]
lock_path = {directory}
[placement]
auth_type = none
endpoint_override = http://127.0.0.1:{placement}
"""
SECONDS = 60
INSTALL_SECONDS = 600
# What the compute manager does right after it has its driver.
LOADED = "nova.compute.provider_config"


class Placement(http.server.BaseHTTPRequestHandler):
    """Answers what Nova asks before it loads a driver: which versions?"""

    def do_GET(self):
        body = json.dumps({"versions": [{
            "id": "v1.0", "status": "CURRENT", "min_version": "1.0",
            "max_version": "1.39",
            "links": [{"rel": "self", "href": ""}]}]}).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *arguments):
        """Say nothing."""


def make_nova():
    """Return the directory of an environment with all that is required.

    It is made anew when the requirements change.
    """
    wanted = hashlib.sha256(
        REQUIREMENTS.read_bytes() + sys.version.encode()).hexdigest()
    directory = ENVIRONMENTS / "nova"
    stamp = directory / "requirements"
    if stamp.exists() and stamp.read_text() == wanted:
        return directory
    shutil.rmtree(directory, ignore_errors=True)
    venv.create(directory)
    subprocess.run(
        [sys.executable, "-m", "pip", "-q", "--python",
         str(directory / "bin" / "python"), "install", "setuptools>=77",
         "-r", str(REQUIREMENTS)], check=True, timeout=INSTALL_SECONDS,
        stdout=subprocess.DEVNULL)
    stamp.write_text(wanted)
    return directory


class NovaComputeTest(unittest.TestCase):

    @classmethod
    def setUpClass(cls):
        cls.nova = make_nova()
        # In the same file system, for links.
        temporary = tempfile.TemporaryDirectory(dir=ENVIRONMENTS)
        cls.addClassCleanup(temporary.cleanup)
        cls.directory = pathlib.Path(temporary.name)
        cls.placement = http.server.ThreadingHTTPServer(
            ("127.0.0.1", 0), Placement)
        threading.Thread(target=cls.placement.serve_forever,
                         daemon=True).start()
        cls.addClassCleanup(cls.placement.server_close)
        cls.addClassCleanup(cls.placement.shutdown)
        cls.source = test_packaging.copy_source(cls.directory)

    def environment(self, name, *arguments):
        """Return the Python of a new environment with Nova and the driver."""
        shutil.copytree(self.nova, self.directory / name, symlinks=True,
                        copy_function=os.link)
        python = str(self.directory / name / "bin" / "python")
        test_packaging.pip("--python", python, "install", "--no-index",
                           "--no-build-isolation", *arguments)
        test_packaging.pip("--python", python, "check")
        return python

    def start(self, python, backend):
        """Return what nova-compute says until it has started, or ended."""
        settings = self.directory / f"{backend}.conf"
        settings.write_text(SETTINGS.format(
            backend=backend, directory=self.directory,
            placement=self.placement.server_port))
        process = subprocess.Popen(
            [python, "-I", "-W", "ignore", "-c", CONDUCTOR_LEFT_OUT,
             str(pathlib.Path(python).with_name("nova-compute")),
             "--config-file", str(settings)],
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
            env={"PATH": "/usr/sbin:/usr/bin:/sbin:/bin"})
        self.addCleanup(process.stdout.close)
        timer = threading.Timer(SECONDS, process.kill)
        timer.start()
        said = []
        for line in process.stdout:
            said.append(line)
            if LOADED in line:
                process.kill()
        timer.cancel()
        return process.wait(), "".join(said)

    def test_a_wheel_is_found(self):
        """driver-contract L1, L11."""
        wheels = self.directory / "wheels"
        test_packaging.pip("wheel", "--no-deps", "--no-build-isolation",
                           "--wheel-dir", str(wheels), str(self.source))
        (wheel,) = wheels.glob("*.whl")
        python = self.environment("wheel", str(wheel))
        _status, said = self.start(python, "threading")
        self.assertIn(LOADED, said)
        self.assertNotIn("Unable to load", said)
        self.options_are_listed(python)

    def test_an_editable_install_is_found(self):
        """driver-contract L1, L11."""
        _status, said = self.start(
            self.environment("editable", "-e", str(self.source)),
            "threading")
        self.assertIn(LOADED, said)

    def options_are_listed(self, python):
        status, said = test_packaging.run(
            python, "-m", "oslo_config.generator",
            "--namespace", "nova_custom_driver")
        self.assertEqual(0, status, said)
        self.assertIn("[custom_driver]", said)
        self.assertIn("#libvirt_call_timeout = ", said)

    def test_eventlet_is_refused_in_one_sentence(self):
        status, said = self.start(
            self.environment("eventlet", "-e", str(self.source)), "eventlet")
        self.assertEqual(1, status)
        self.assertIn("concurrency_backend", said.splitlines()[-1])
        self.assertNotIn("Traceback", said)
