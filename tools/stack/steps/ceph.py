"""A Ceph of one node: its daemons' keys and data, its pools and users."""

import pathlib

from tools.stack import command
from tools.stack import configs
from tools.stack import settings as settings_module
from tools.stack.steps.step import Step

ALL = ("--cap", "mon", "allow *", "--cap", "osd", "allow *",
       "--cap", "mgr", "allow *", "--cap", "mds", "allow *")
POOLS = ("volumes", "vms", "images")
USERS = {
    "cinder": ("mon", "profile rbd", "osd", "profile rbd pool=volumes, "
               "profile rbd pool=vms, profile rbd pool=images",
               "mgr", "profile rbd pool=volumes, profile rbd pool=vms"),
    "glance": ("mon", "profile rbd", "osd", "profile rbd pool=images",
               "mgr", "profile rbd pool=images"),
}
SECRET = """<secret ephemeral='no' private='no'><uuid>{uuid}</uuid>
<usage type='ceph'><name>client.cinder of the stack</name></usage></secret>
"""
ADDRESS = "[v2:127.0.0.1:3300,v1:127.0.0.1:6789]"
OSD_UUID = "3f2a4f6e-64c8-4b0b-a7ab-0a4f0f3f6a11"
LOG = "ceph"


def monitor(settings: settings_module.Settings) -> None:
    """Make the monitor's data, with the administrator's key in it."""
    base = settings.data / "ceph"
    for name in ("mgr", "osd"):
        (base / name).mkdir(exist_ok=True)
    keys, admin = base / "mon.keyring", _keyring(settings, "admin")

    def tool(*arguments: str) -> None:
        command.run(settings, "ceph-authtool", *arguments, log=LOG)

    tool("-C", str(keys), "--gen-key", "-n", "mon.", *ALL[:3])
    tool("-C", str(admin), "--gen-key", "-n", "client.admin", *ALL)
    tool(str(keys), "--import-keyring", str(admin))
    command.run(settings, "monmaptool", "--create", "--clobber",
                "--fsid", _fsid(settings), "--addv", "a", ADDRESS,
                str(base / "monmap"), log=LOG)
    command.run(settings, "ceph-mon", "--mkfs", "-i", "a", "--monmap",
                str(base / "monmap"), "--keyring", str(keys), log=LOG)


def keys(settings: settings_module.Settings) -> None:
    """Make the manager's key, and the OSD's with its data."""
    base = settings.data / "ceph"
    _key(settings, "mgr.x", base / "mgr/keyring", "mon", "allow profile mgr",
         "osd", "allow *", "mds", "allow *")
    command.run(settings, "ceph", "osd", "new", OSD_UUID, "0", log=LOG)
    _key(settings, "osd.0", base / "osd/keyring", "mon", "allow profile osd",
         "mgr", "allow profile osd", "osd", "allow *")
    command.run(settings, "ceph-osd", "-i", "0", "--mkfs", "--osd-uuid",
                OSD_UUID, log=LOG)


def pools(settings: settings_module.Settings) -> None:
    """Make the pools and the users of cinder, nova and glance."""
    for pool in POOLS:
        command.run(settings, "ceph", "osd", "pool", "create", pool, "8",
                    log=LOG)
        command.run(settings, "ceph", "osd", "pool", "application", "enable",
                    pool, "rbd", log=LOG)
    for user, capabilities in USERS.items():
        _key(settings, f"client.{user}", _keyring(settings, user),
             *capabilities)


def secret(settings: settings_module.Settings) -> None:
    """Let libvirt know cinder's key."""
    path = settings.data / "ceph/secret.xml"
    path.write_text(SECRET.format(uuid=configs.RBD_SECRET))
    key = command.output(settings, "ceph", "auth", "get-key", "client.cinder")
    virsh = ("virsh", "-c", "qemu:///system")
    command.run(settings, *virsh, "secret-define", str(path), log=LOG)
    command.output(settings, *virsh, "secret-set-value", configs.RBD_SECRET,
                   "--base64", key)


def _key(settings: settings_module.Settings, name: str, path: pathlib.Path,
         *capabilities: str) -> None:
    command.run(settings, "ceph", "auth", "get-or-create", name,
                *capabilities, "-o", str(path), log=LOG)


def _keyring(settings: settings_module.Settings, user: str) -> pathlib.Path:
    return settings.etc / "ceph" / f"ceph.client.{user}.keyring"


def _fsid(settings: settings_module.Settings) -> str:
    lines = (settings.etc / "ceph/ceph.conf").read_text().splitlines()
    return next(line.split(" = ")[1] for line in lines
                if line.startswith("fsid"))


STEPS = (
    Step(name="ceph-monitor", do=monitor),
    Step(name="ceph-keys", needs=("ceph-mon",), do=keys),
    Step(name="ceph-pools", needs=("ceph-osd",), do=pools),
    Step(name="ceph-secret", needs=("ceph-pools", "libvirtd"), do=secret,
         once=False),
)
