"""What processes of the stack leave running when they end."""

import json
import os
import pathlib
import signal

from tools.stack import command
from tools.stack import settings as settings_module
from tools.stack.steps import data
from tools.stack.steps import network

VIRSH = ("virsh", "-c", "qemu:///system")
# Neutron's agent runs a proxy in a namespace of each network.
PREFIX = "ovnmeta-"


def guests(settings: settings_module.Settings) -> None:
    """Switch off the guests whose files are the stack's."""
    mine = str(settings.data)
    for name in command.output(settings, *VIRSH, "list", "--name").split():
        if mine in command.output(settings, *VIRSH, "dumpxml", name):
            command.output(settings, *VIRSH, "destroy", name)


def namespaces(settings: settings_module.Settings) -> None:
    """Remove the namespaces of the metadata agent, with what runs there."""
    listed = command.output(settings, "ip", "-json", "netns", "list")
    for namespace in json.loads(listed or "[]"):
        name = namespace["name"]
        if name.startswith(PREFIX):
            _end(settings, name)
            command.output(settings, "ip", "netns", "delete", name)


def erlang(settings: settings_module.Settings) -> None:
    """End the register of names that RabbitMQ started."""
    command.output(settings, "epmd", "-port", data.EPMD_PORT, "-kill")


def _end(settings: settings_module.Settings, namespace: str) -> None:
    for pid in command.output(
            settings, "ip", "netns", "pids", namespace).split():
        if pathlib.Path("/proc", pid).exists():
            os.kill(int(pid), signal.SIGTERM)


def links(settings: settings_module.Settings) -> None:
    """Remove the bridges' devices, which outlive ovs-vswitchd."""
    for name in ("br-int", network.BRIDGE):
        command.output(settings, "ip", "link", "delete", name)


# {service: what is done before, or after, it is stopped}
BEFORE = {"libvirtd": guests}
AFTER = {"neutron-metadata": namespaces, "rabbitmq": erlang,
         "ovs-vswitchd": links}
