"""libvirtd and virtlogd."""

import atexit
import grp
import os
import pathlib
import shutil
import signal
import socket
import subprocess
import time

import fixtures
import libvirt

URI = "qemu:///system"
START_SECONDS = 30
STOP_SECONDS = 15
VIRTLOGD = pathlib.Path("/run/libvirt/virtlogd-sock")
KVM = pathlib.Path("/dev/kvm")
_started = []
SEARCH = "/usr/sbin:/usr/bin:/sbin:/bin"


class Libvirt(fixtures.Fixture):
    """A libvirtd that answers, and virtlogd beside it.

    One that runs is used and left running.  Else both are started, for all
    tests of the process, and stopped by their process ids when it ends.
    """

    def _setUp(self):
        if answers() and _listens(VIRTLOGD):
            return
        if pathlib.Path("/run/systemd/system").is_dir():
            subprocess.run(["systemctl", "start", "virtlogd.socket",
                            "libvirtd.service"], check=True)
            _wait(answers, START_SECONDS, "libvirtd does not answer")
            return
        _mend_kvm()
        atexit.register(stop)
        if not _listens(VIRTLOGD):
            _start("virtlogd")
            _wait(lambda: _listens(VIRTLOGD), START_SECONDS,
                  "virtlogd does not listen")
        if answers():
            return
        # libvirt waits for its QEMU probes to be reaped, which a PID 1 that
        # is no init may take a minute for; tini adopts and reaps them.
        _start("tini", "-s", "--", _program("libvirtd"))
        _wait(answers, START_SECONDS, "libvirtd does not answer")


def stop():
    """Stop what was started, newest first; nothing else is touched."""
    while _started:
        process = _started.pop()
        os.killpg(process.pid, signal.SIGTERM)
        try:
            process.wait(STOP_SECONDS)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait(STOP_SECONDS)


def answers():
    """Return whether libvirtd is there."""
    try:
        libvirt.open(URI).close()
    except libvirt.libvirtError:
        return False
    return True


def _listens(path):
    with socket.socket(socket.AF_UNIX) as wire:
        return wire.connect_ex(str(path)) == 0


def _program(name):
    found = shutil.which(name, path=SEARCH)
    if found is None:
        raise RuntimeError(
            f"{name} is not installed; see bindep.txt for the packages")
    return found


def _mend_kvm():
    """Give /dev/kvm to its group where nobody did.

    Otherwise libvirt takes what it knows of QEMU for stale at every call,
    and probes it again.
    """
    if not KVM.exists() or os.geteuid() != 0:
        return
    try:
        group = grp.getgrnam("kvm").gr_gid
    except KeyError:
        return
    found = KVM.stat()
    if found.st_mode & 0o006 == 0o006 or (
            found.st_gid == group and found.st_mode & 0o060 == 0o060):
        return
    os.chown(KVM, -1, group)
    KVM.chmod(0o660)


def _start(name, *arguments):
    _started.append(subprocess.Popen(
        [_program(name), *arguments], start_new_session=True,
        stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL))


def _wait(condition, seconds, message):
    deadline = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > deadline:
            raise RuntimeError(message)
        time.sleep(0.1)
