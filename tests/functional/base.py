"""Stock Nova in one process with a real libvirt, QEMU and guest.

API, conductor, scheduler and compute are Nova's own, set up by its functional
fixtures: SQLite, RPC in memory, placement, stand-ins for Glance and Neutron.
The driver is ``DRIVER`` of the environment, ours unless it says otherwise, so
the same tests can be put to the in-tree driver.
"""

import contextlib
import os
import pathlib
import shutil
import sys
import tempfile
import time
import warnings

import fixtures
import libvirt
from nova import context
from nova import objects
import nova.conf
from nova.tests import fixtures as nova_fixtures
from nova.tests.functional import integrated_helpers
from os_brick import privileged as os_brick_privileged
import os_vif
import sqlalchemy.exc

from nova_custom_driver import conf
from tests.functional import console
from tests.functional import images
from tests.functional.services import libvirt as libvirt_service
from tools.guest_image import build

CONF = nova.conf.CONF
DRIVER = os.environ.get("DRIVER", "nova_custom_driver.CustomDriver")
# Of this process alone: another may test on the same host.
PREFIX = f"ncd-test-{os.getpid()}-"
PATIENCE_SECONDS = 90
# libvirt's own, by the domain's name: its log of each guest is no leak, but
# nobody would ever remove those of tests.
LIBVIRT_LOGS = pathlib.Path("/var/log/libvirt/qemu")
LIBVIRT_STATE = pathlib.Path("/var/lib/libvirt/qemu")
os_vif.initialize()


class OneCell(fixtures.Fixture):
    """Nova's databases without its fixture's lock around each access.

    That lock is for tests that change cells under code that does not know of
    any; with threads it was seen to end in a deadlock.  Here there is one
    cell, so whoever names none means that one.
    """

    def _setUp(self):
        for name, method in (("_wrap_target_cell", _target_cell),
                             ("_wrap_get_context_manager", _database_of)):
            self.useFixture(fixtures.MonkeyPatch(
                f"nova.tests.fixtures.CellDatabases.{name}", method))


@contextlib.contextmanager
def _target_cell(cells, context, mapping):
    with cells._real_target_cell(context, mapping) as targeted:
        yield targeted


def _database_of(cells, context):
    return getattr(context, "db_connection", None) or cells._default_ctxt_mgr


class ChainTestCase(integrated_helpers._IntegratedTestBase):
    """A cloud of one host.  What a test leaves on it fails the test.

    :cvar options: {(group, option): value}; None is ``[DEFAULT]``.
    """

    ADMIN_API = True
    CAST_AS_CALL = False
    microversion = "2.90"
    options = {}

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        build.main()

    def setUp(self):
        self.useFixture(libvirt_service.Libvirt())
        self.instances_path = pathlib.Path(tempfile.mkdtemp(
            prefix=PREFIX, dir="/var/tmp"))
        # QEMU runs as another user and must get in.
        self.instances_path.chmod(0o755)
        self.addCleanup(shutil.rmtree, self.instances_path)
        self.libvirt = libvirt.open(libvirt_service.URI)
        self.useFixture(OneCell())
        # os-brick looks at the host's adapters and interfaces, and may.
        for name in ("SysFsPoisonFixture", "GenericPoisonFixture"):
            self.useFixture(fixtures.MonkeyPatch(
                f"nova.tests.fixtures.{name}", fixtures.Fixture))
        super().setUp()
        self.images = images.Images(
            self.glance, self.useFixture(fixtures.TempDir()).path)
        # A port that needs no agent and no switch.
        self.neutron.default_port = self.neutron.default_port | {
            "binding:vif_type": "tap"}
        self.addCleanup(self._remove_logs)
        self.addCleanup(self._check_nothing_is_left)
        self.addCleanup(self._delete_servers)

    def _setup_conductor_service(self):
        # Nova's fixtures make errors of these; its own code causes them with
        # SQLAlchemy 2.1.
        warnings.filterwarnings(
            "ignore", category=sqlalchemy.exc.SADeprecationWarning)
        return super()._setup_conductor_service()

    def _setup_compute_service(self):
        self.useFixture(nova_fixtures.PrivsepFixture())
        # The tests are root, so os-brick needs no daemon either.
        self.addCleanup(os_brick_privileged.default.set_client_mode, True)
        os_brick_privileged.default.set_client_mode(False)
        # A new service refuses a host that has guests; here they may be
        # anybody's.
        self.stub_out("nova.compute.manager.ComputeManager."
                      "_sanity_check_new_host", lambda manager: None)
        conf.register(CONF)
        values = {
            (None, "compute_driver"): DRIVER,
            (None, "instances_path"): str(self.instances_path),
            (None, "instance_name_template"): f"{PREFIX}%08x",
            (None, "reserved_host_memory_mb"): 0,
            (None, "cpu_allocation_ratio"): 32.0,
            (None, "shutdown_timeout"): 20,
            ("libvirt", "virt_type"): "qemu",
            ("libvirt", "cpu_mode"): "none",
            ("vnc", "enabled"): True,
            ("wsgi", "api_paste_config"):
                str(pathlib.Path(sys.prefix, "etc/nova/api-paste.ini")),
        } | self.options
        for (group, name), value in values.items():
            self.flags(group=group, **{name: value})
        return self._start_compute("compute")

    @property
    def driver(self):
        return self.compute.manager.driver

    def flavor(self, *, vcpus=1, memory_mb=128, disk=1, ephemeral=0, swap=0,
               extra_spec=None):
        """Return the id of a new flavor; sizes in MiB, GiB, GiB and MiB."""
        flavor = self.api.post_flavor({"flavor": {
            "name": f"f{time.monotonic_ns()}", "vcpus": vcpus,
            "ram": memory_mb, "disk": disk, "swap": swap,
            "OS-FLV-EXT-DATA:ephemeral": ephemeral}})
        if extra_spec:
            self.api.post_extra_spec(flavor["id"],
                                     {"extra_specs": extra_spec})
        return flavor["id"]

    def boot(self, image_id, *, flavor_id=None, expect="ACTIVE",
             networks="none", api=None, **fields):
        """Return a new server once it is in the expected state."""
        return self.wait_for_status(
            self.post(image_id, flavor_id=flavor_id, networks=networks,
                      api=api, **fields), expect)

    def post(self, image_id, *, flavor_id=None, networks="none", api=None,
             **fields):
        """Ask for a server; return it as it is right after."""
        return (api or self.api).post_server({"server": {
            "name": self.id().rsplit(".", 1)[-1].replace("_", "-")[:60],
            "imageRef": image_id, "flavorRef": flavor_id or self.flavor(),
            "networks": networks, **fields}})

    def wait_for_status(self, server, status):
        """Return the server once it has ``status`` and no task."""
        deadline = time.monotonic() + PATIENCE_SECONDS
        while True:
            server = self.api.get_server(server["id"])
            if server["status"] == status \
                    and server["OS-EXT-STS:task_state"] is None:
                return server
            if time.monotonic() > deadline or (
                    server["status"] == "ERROR" != status):
                self.fail(f"{server['id']} is {server['status']}, not "
                          f"{status}: {server.get('fault')}")
            time.sleep(0.05)

    def wait_until(self, condition, what):
        """Return once ``condition()`` holds."""
        deadline = time.monotonic() + PATIENCE_SECONDS
        while not condition():
            if time.monotonic() > deadline:
                self.fail(f"waited in vain for {what}")
            time.sleep(0.05)

    def delete(self, *servers):
        """Delete servers and wait until the API has forgotten them."""
        for server in servers:
            self.api.delete_server(server["id"])
        deadline = time.monotonic() + PATIENCE_SECONDS
        ids = {server["id"] for server in servers}
        while left := ids & {found["id"]
                             for found in self.api.get_servers()}:
            if time.monotonic() > deadline:
                self.fail(f"not deleted: {left}")
            time.sleep(0.05)

    def act(self, server, action, arguments=None):
        self.api.post_server_action(server["id"], {action: arguments})

    def instance(self, server):
        """Return Nova's record of the server."""
        return objects.Instance.get_by_uuid(
            context.get_admin_context(), server["id"])

    def console(self, server):
        return console.Console(
            self.instances_path / server["id"] / "console.log")

    def domain(self, server):
        return self.libvirt.lookupByUUIDString(server["id"])

    def domains(self):
        return [domain for domain in self.libvirt.listAllDomains()
                if domain.name().startswith(PREFIX)]

    def leftovers(self):
        """Return what of instances is on the host, as text."""
        shared = {"_base", "locks", "state", ".journal", "compute_nodes",
                  "snapshots"}
        found = [f"domain {domain.name()}" for domain in self.domains()]
        found += [f"file {path}" for path in self.instances_path.iterdir()
                  if path.name not in shared]
        found += [f"journal {path}"
                  for path in self.instances_path.glob(".journal/*/*")]
        found += [f"unfinished base {path}" for path
                  in self.instances_path.glob("_base/*.*")]
        found += [f"snapshot {path}"
                  for path in self.instances_path.glob("snapshots/*")]
        found += [f"libvirt's {path}" for path
                  in LIBVIRT_STATE.glob(f"*/{PREFIX}*")]
        return found + [f"tap {name}" for name in self.taps()]

    def taps(self):
        """Return the names of ports' devices in the kernel."""
        return [name for port in self.neutron._ports
                if pathlib.Path(
                    "/sys/class/net", name := f"tap{port[:11]}").exists()]

    def _delete_servers(self):
        self.delete(*self.api.get_servers())

    def _remove_logs(self):
        for path in LIBVIRT_LOGS.glob(f"{PREFIX}*.log*"):
            path.unlink()

    def _check_nothing_is_left(self):
        left = self.leftovers()
        for domain in self.domains():
            if domain.isActive():
                domain.destroy()
            domain.undefineFlags(libvirt.VIR_DOMAIN_UNDEFINE_NVRAM
                                 | libvirt.VIR_DOMAIN_UNDEFINE_MANAGED_SAVE)
        self.assertEqual([], left)


@contextlib.contextmanager
def microversion(api, version):
    """Speak another microversion in the block; yields the API."""
    before, api.microversion = api.microversion, version
    try:
        yield api
    finally:
        api.microversion = before
