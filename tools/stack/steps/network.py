"""Open vSwitch's and OVN's databases, and the way to floating addresses."""

import pathlib

from tools.stack import command
from tools.stack import settings as settings_module
from tools.stack.steps.step import Step

SCHEMAS = {"conf": "/usr/share/openvswitch/vswitch.ovsschema",
           "nb": "/usr/share/ovn/ovn-nb.ovsschema",
           "sb": "/usr/share/ovn/ovn-sb.ovsschema"}
# The bridge of the flat network "public", and this machine's address in it.
BRIDGE = "br-ex"
GATEWAY = "172.24.4.1/24"
OPEN_VSWITCH = {
    "external-ids:system-id": "stack",
    "external-ids:hostname": "stack",
    "external-ids:ovn-remote": "tcp:127.0.0.1:6642",
    "external-ids:ovn-encap-type": "geneve",
    "external-ids:ovn-encap-ip": "127.0.0.1",
    "external-ids:ovn-bridge-datapath-type": "netdev",
    "external-ids:ovn-bridge-mappings": f"public:{BRIDGE}",
    "external-ids:ovn-cms-options": "enable-chassis-as-gw",
    # Without it TCP stalls in user space: nobody makes the checksums.
    "other_config:userspace-tso-enable": "true",
    "ovs-version": "3.1.0"}


def databases(settings: settings_module.Settings) -> None:
    """Make the databases that are not there."""
    for name in ("openvswitch", "ovn"):
        pathlib.Path("/run", name).mkdir(exist_ok=True)
    for name, schema in SCHEMAS.items():
        path = settings.data / "ovn" / f"{name}.db"
        if not path.exists():
            command.run(settings, "ovsdb-tool", "create", str(path), schema,
                        log="ovsdb-tool")


def ovs_settings(settings: settings_module.Settings) -> None:
    """Tell ovs-vswitchd and ovn-controller what they are."""
    command.run(
        settings, "ovs-vsctl", "--no-wait", "init",
        "--", "set", "Open_vSwitch", ".",
        *(f"{key}={value}" for key, value in OPEN_VSWITCH.items()),
        "--", "--may-exist", "add-br", "br-int",
        "--", "set", "bridge", "br-int", "datapath_type=netdev",
        "fail-mode=secure", "other-config:disable-in-band=true",
        "--", "--may-exist", "add-br", BRIDGE,
        "--", "set", "bridge", BRIDGE, "datapath_type=netdev",
        log="ovs-vsctl")


def access(settings: settings_module.Settings) -> None:
    """Give this machine its address in the public network."""
    # Returns when ovs-vswitchd has made the bridge's device.
    command.run(settings, "ovs-vsctl", "--timeout=30", "--may-exist",
                "add-br", BRIDGE, log="ovs-vsctl")
    for arguments in (("address", "replace", GATEWAY, "dev", BRIDGE),
                      ("link", "set", BRIDGE, "up")):
        command.run(settings, "ip", *arguments, log="access")


STEPS = (
    Step(name="ovn-databases", do=databases, once=False),
    Step(name="ovs-settings", needs=("ovsdb",), do=ovs_settings, once=False),
    Step(name="access", needs=("ovs-vswitchd",), do=access, once=False),
)
