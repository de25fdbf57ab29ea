"""Open vSwitch, switching in user space."""

import pathlib
import shutil
import signal
import subprocess
import tempfile
import time

import fixtures

RUNNING = pathlib.Path("/var/run/openvswitch/db.sock")
SCHEMA = pathlib.Path("/usr/share/openvswitch/vswitch.ovsschema")
START_SECONDS = 20
STOP_SECONDS = 10
SEARCH = "/usr/sbin:/usr/bin:/sbin:/bin"


class OpenVSwitch(fixtures.Fixture):
    """A switch that answers.

    One that runs is used and left running.  Else one is started, with a
    database and sockets of its own in a directory that goes with it.

    :ivar socket: of its database.
    """

    def _setUp(self):
        if RUNNING.exists() and answers(RUNNING):
            self.socket = RUNNING
            return
        directory = pathlib.Path(tempfile.mkdtemp(prefix="ncd-ovs-"))
        self.addCleanup(shutil.rmtree, directory)
        self.socket = directory / "db.sock"
        self._start_database(directory)
        self._start("ovs-vswitchd", f"unix:{self.socket}",
                    f"--unixctl={directory / 'vswitchd.ctl'}",
                    f"--log-file={directory / 'vswitchd.log'}",
                    directory=directory)
        _wait(lambda: answers(self.socket), "ovs-vswitchd does not answer")

    @property
    def connection(self):
        """Return where the database is, for ``ovsdb_connection``."""
        return f"unix:{self.socket}"

    def vsctl(self, *arguments):
        """Return what ``ovs-vsctl`` prints."""
        return _vsctl(self.socket, *arguments)

    def add_bridge(self, name):
        """Make a bridge of the datapath in user space; it goes at clean-up.
        """
        self.vsctl("--may-exist", "add-br", name, "--", "set", "bridge",
                   name, "datapath_type=netdev")
        self.addCleanup(self.vsctl, "--if-exists", "del-br", name)

    def ports(self, bridge):
        """Return the names of a bridge's ports."""
        return self.vsctl("list-ports", bridge).split()

    def column(self, interface, name):
        """Return one column of an interface as text."""
        return self.vsctl("get", "Interface", interface, name).strip()

    def _start_database(self, directory):
        database = directory / "conf.db"
        subprocess.run([_program("ovsdb-tool"), "create", str(database),
                        str(SCHEMA)], check=True)
        self._start("ovsdb-server", str(database),
                    f"--remote=punix:{self.socket}",
                    f"--unixctl={directory / 'ovsdb.ctl'}",
                    f"--log-file={directory / 'ovsdb.log'}",
                    directory=directory)
        _wait(self.socket.exists, "ovsdb-server does not listen")
        self.vsctl("--no-wait", "init")

    def _start(self, name, *arguments, directory):
        process = subprocess.Popen(
            [_program(name), *arguments, "-vconsole:off"],
            start_new_session=True, cwd=directory,
            env={"OVS_RUNDIR": str(directory), "PATH": SEARCH},
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL)
        self.addCleanup(_stop, process)


def answers(socket):
    """Return whether a switch works off its database."""
    try:
        # Returns once ovs-vswitchd has done what is asked for: nothing.
        _vsctl(socket, "--timeout", "3", "set", "Open_vSwitch", ".",
               "external_ids:ncd-asked=yes", "--", "remove", "Open_vSwitch",
               ".", "external_ids", "ncd-asked")
    except subprocess.CalledProcessError:
        return False
    return True


def _vsctl(socket, *arguments):
    return subprocess.run(
        [_program("ovs-vsctl"), f"--db=unix:{socket}", *arguments],
        check=True, capture_output=True, text=True).stdout


def _program(name):
    found = shutil.which(name, path=SEARCH)
    if found is None:
        raise RuntimeError(
            f"{name} is not installed; see bindep.txt for the packages")
    return found


def _stop(process):
    process.send_signal(signal.SIGTERM)
    try:
        process.wait(STOP_SECONDS)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait(STOP_SECONDS)


def _wait(condition, message):
    deadline = time.monotonic() + START_SECONDS
    while not condition():
        if time.monotonic() > deadline:
            raise RuntimeError(message)
        time.sleep(0.1)
