"""``python -m tools.demo``: boot a guest and show it; ``KEEP=1`` keeps it.

Nova's API, conductor, scheduler and compute run in this process on SQLite,
set up by the fixtures of the functional tests; libvirt, QEMU and the guest
are real.
"""

import contextlib
import io
import os
import pathlib
import signal
import sys
import unittest

from tests.functional import base
from tests.functional import images
from tests.functional.services import libvirt as libvirt_service
from tools.guest_image import build

GUEST_SECONDS = 120
LOG = pathlib.Path("build/demo/nova.log")
# Facts that a person has no eye for.
DULL = frozenset(("alive", "config-drive-file", "pci"))
XML = pathlib.Path("build/demo/domain.xml")


class Demo(base.ChainTestCase):
    """One server, from the request to its end."""

    options = {("custom_driver", "metrics_file"): "build/demo/demo.prom"}

    def setUp(self):
        say("starting Nova's API, conductor, scheduler and compute")
        super().setUp()

    def _setup_compute_service(self):
        compute = super()._setup_compute_service()
        say(f"nova-compute runs {type(compute.manager.driver).__name__} on "
            f"{self.libvirt.getHostname()}")
        return compute

    def runTest(self):
        say("asking for a server")
        server = self.boot(
            self.images.add(images.DIRECTORY / "guest.qcow2", "qcow2"),
            config_drive=True, networks=[
                {"uuid": self.neutron.network_1["id"]}],
            flavor_id=self.flavor(swap=64, ephemeral=1))
        show("the server", "\n".join(
            f"{name:28} {server[name]}" for name in (
                "id", "name", "status", "OS-EXT-SRV-ATTR:host",
                "OS-EXT-SRV-ATTR:instance_name")))
        show("how long the spawn took", self.timeline())
        say("waiting for the guest to boot")
        guest = self.console(server)
        guest.wait_for("ready", seconds=GUEST_SECONDS)
        show("what the guest says on its console", "\n".join(
            f"{fact.what:20} {fact.text[:100]}" for fact in guest.facts()
            if fact.what not in DULL))
        XML.write_text(self.domain(server).XMLDesc())
        show("where to look", f"the domain's XML: {XML}\n"
             f"the instance's files: {self.instances_path / server['id']}\n"
             f"metrics: {self.options['custom_driver', 'metrics_file']}")
        if os.environ.get("KEEP"):
            self.keep(server)
        say("deleting the server")
        self.delete(server)
        left = self.leftovers()
        say(f"left on the host: {', '.join(left) or 'nothing'}")
        self.assertEqual([], left)

    def timeline(self):
        """Return the log line of the spawn."""
        return "\n".join(
            line.partition("spawn of ")[2]
            for line in self.stdlog.logger.output.splitlines()
            if "spawn of instance" in line)

    def keep(self, server):
        """Leave the guest running until somebody has seen enough."""
        name = self.domain(server).name()
        show("the guest runs on", f"virsh console {name}\n"
             f"virsh dumpxml {name}\nvirsh shutdown {name}\n"
             "Ctrl-C here deletes it.")
        with contextlib.suppress(KeyboardInterrupt):
            signal.pause()


def say(text):
    print(f"* {text}", file=sys.__stdout__, flush=True)


def show(title, text):
    print(f"\n{title}:\n" + "\n".join(
        f"    {line}" for line in text.splitlines()) + "\n",
        file=sys.__stdout__, flush=True)


def main():
    """Return the exit status."""
    # Not blocked: libvirtd would inherit that, and not end when asked to.
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    # A test that runs outside a suite does not set up its class.  What fails
    # here is told before the log takes all errors.
    build.main()
    LOG.parent.mkdir(parents=True, exist_ok=True)
    with LOG.open("w") as log:
        os.dup2(log.fileno(), sys.stderr.fileno())
    report = io.StringIO()
    try:
        result = unittest.TextTestRunner(stream=report).run(Demo("runTest"))
    except KeyboardInterrupt:
        say("interrupted")
        return 130
    if result.wasSuccessful():
        say("done")
        return 0
    print(report.getvalue(), file=sys.__stdout__)
    say(f"the demo failed: see above, and {LOG}")
    return 1


if __name__ == "__main__":
    # Not sys.exit: it would wait for threads of Nova's that never end.
    status = main()
    libvirt_service.stop()
    sys.stdout.flush()
    os._exit(status)
