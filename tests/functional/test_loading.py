"""The stock nova-compute program finds the driver: driver-contract L1, L11.

It runs in fresh environments, one with the driver's wheel and one with its
source; see tests/unit/test_packaging.py.  What it waits for before it loads a
driver, an answer from the conductor, is left out.
"""

import http.server
import json
import pathlib
import shutil
import subprocess
import sys
import tempfile
import threading
import unittest

from tests.unit import test_packaging

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


class NovaComputeTest(unittest.TestCase):

    @classmethod
    def setUpClass(cls):
        temporary = tempfile.TemporaryDirectory()
        cls.addClassCleanup(temporary.cleanup)
        cls.directory = pathlib.Path(temporary.name)
        cls.placement = http.server.ThreadingHTTPServer(
            ("127.0.0.1", 0), Placement)
        threading.Thread(target=cls.placement.serve_forever,
                         daemon=True).start()
        cls.addClassCleanup(cls.placement.server_close)
        cls.addClassCleanup(cls.placement.shutdown)
        cls.source = test_packaging.copy_source(cls.directory)
        cls.program = shutil.which(
            "nova-compute", path=str(pathlib.Path(sys.executable).parent))

    def environment(self, name, *arguments):
        """Return the Python of a new environment with the driver."""
        python = test_packaging.make_environment(self.directory / name)
        test_packaging.pip(
            "--python", python, "install", "--no-deps",
            "--no-build-isolation", "--ignore-installed", *arguments)
        return python

    def start(self, python, backend):
        """Return what nova-compute says until it has started, or ended."""
        settings = self.directory / f"{backend}.conf"
        settings.write_text(SETTINGS.format(
            backend=backend, directory=self.directory,
            placement=self.placement.server_port))
        process = subprocess.Popen(
            [python, "-I", "-W", "ignore", "-c", CONDUCTOR_LEFT_OUT,
             self.program, "--config-file", str(settings)],
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
        wheels = self.directory / "wheels"
        test_packaging.pip("wheel", "--no-deps", "--no-build-isolation",
                           "--wheel-dir", str(wheels), str(self.source))
        (wheel,) = wheels.glob("*.whl")
        _status, said = self.start(
            self.environment("wheel", str(wheel)), "threading")
        self.assertIn(LOADED, said)
        self.assertNotIn("Unable to load", said)

    def test_an_editable_install_is_found(self):
        _status, said = self.start(
            self.environment("editable", "-e", str(self.source)),
            "threading")
        self.assertIn(LOADED, said)

    def test_eventlet_is_refused_in_one_sentence(self):
        status, said = self.start(
            self.environment("eventlet", "-e", str(self.source)), "eventlet")
        self.assertEqual(1, status)
        self.assertIn("concurrency_backend", said.splitlines()[-1])
        self.assertNotIn("Traceback", said)
