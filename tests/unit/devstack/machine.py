"""A machine of DevStack's, made of a directory, on which phases are run."""

import configparser
import os
import pathlib
import subprocess

ROOT = pathlib.Path(__file__).parents[3]
PLUGIN = "nova-custom-driver"
STAND_INS = pathlib.Path(__file__).with_name("standins.sh")

# What the shell has before stack.sh comes to the plugin.  Root's commands are
# not root's here, and owners stay as they are.
PREAMBLE = """
set -o errexit
exec 6>&1
source "$FUNCTIONS"
function echo_summary { echo "$@" >&6; }
function sudo { "$@"; }
function install {
    local arguments=()
    while (($#)); do
        case "$1" in
            -o|-g) shift ;;
            *) arguments+=("$1") ;;
        esac
        shift
    done
    command install "${arguments[@]}"
}
enable_plugin nova-custom-driver https://example.org/nova-custom-driver
"""
# Says what it was called with, and what a file of requirements holds.
PIP = """#!/bin/sh
echo "pip $*" >>"$CALLS"
while [ $# -gt 0 ]; do
    [ "$1" = -r ] && cat "$2" >>"$REQUIREMENTS"
    shift
done
exit 0
"""
PYTHON = '#!/bin/sh\necho "$NOVA_RELEASE"\n'


def devstack_functions() -> pathlib.Path | None:
    """Return DevStack's own file of functions, if DevStack is here.

    ``$DEVSTACK_DIR``, or ``build/devstack`` where ``make test`` has put it.
    """
    directory = os.environ.get("DEVSTACK_DIR", ROOT / "build/devstack")
    path = pathlib.Path(directory, "functions")
    return path if path.exists() else None


class Machine:
    """Runs phases; a test reads what they have changed.

    :ivar nova_conf: Nova's configuration, as DevStack has left it before.
    """

    def __init__(self, directory: pathlib.Path,
                 functions: pathlib.Path) -> None:
        self.directory = directory
        self.functions = functions
        self.nova_conf = directory / "etc/nova/nova.conf"
        self.tempest_conf = directory / "tempest.conf"
        self.rootwrap = directory / "etc/nova/rootwrap.d"
        self.instances = directory / "instances"
        self.calls = directory / "calls"
        self.requirements = directory / "requirements"
        self.source = directory / "stack" / PLUGIN
        self._make()

    def _make(self) -> None:
        for path in (self.rootwrap, self.instances,
                     self.directory / "venv/bin", self.directory / "stack"):
            path.mkdir(parents=True)
        self.source.symlink_to(ROOT)
        self.nova_conf.write_text(
            "[DEFAULT]\ncompute_driver = libvirt.LibvirtDriver\n"
            "my_ip = 192.0.2.1\n\n[libvirt]\nvirt_type = qemu\n")
        self.tempest_conf.write_text(
            "[compute-feature-enabled]\nresize = True\npause = True\n")
        for name, text in (("pip", PIP), ("python", PYTHON)):
            path = self.directory / "venv/bin" / name
            path.write_text(text)
            path.chmod(0o755)

    def run(self, *phases: str, **settings: str) -> str:
        """Run phases in one shell, and return what they print.

        :param phases: as DevStack names them ("stack post-config").
        :param settings: what local.conf sets in addition.
        :raises subprocess.CalledProcessError: a phase has failed.
        """
        return self.shell("\n".join(
            f"run_phase {phase}" for phase in phases), **settings)

    def shell(self, script: str, **settings: str) -> str:
        """Run commands where DevStack would run the plugin's."""
        return subprocess.run(
            ["bash", "-c", PREAMBLE + script], check=True, text=True,
            env=self._environment() | settings, cwd=self.directory,
            capture_output=True).stdout

    def _environment(self) -> dict[str, str]:
        return {
            "PATH": os.environ["PATH"],
            "FUNCTIONS": str(self.functions),
            "TOP_DIR": str(self.directory / "devstack"),
            "DEST": str(self.directory / "stack"),
            "CALLS": str(self.calls),
            "REQUIREMENTS": str(self.requirements),
            "NOVA_CONF": str(self.nova_conf),
            "NOVA_CONF_DIR": str(self.nova_conf.parent),
            "NOVA_INSTANCES_PATH": str(self.instances),
            "NOVA_RELEASE": "34.0.1.dev7",
            "TEMPEST_CONFIG": str(self.tempest_conf),
            "ENABLED_SERVICES": "key,n-api,n-cpu,tempest",
            "VIRT_DRIVER": "libvirt", "LIBVIRT_TYPE": "kvm",
            "GLOBAL_VENV": "True", "PYTHON3_VERSION": "3.11",
            "DEVSTACK_VENV": str(self.directory / "venv"),
            "PYTHON": str(self.directory / "venv/bin/python"),
            "REQUIREMENTS_DIR": str(self.directory), "STACK_USER": "stack",
            # What DevStack looks up of the distribution, to know it already.
            "os_PACKAGE": "deb", "os_VENDOR": "Debian", "DISTRO": "bookworm",
        }

    def pip_calls(self) -> list[str]:
        """Return what pip was called with, without constraints."""
        if not self.calls.exists():
            return []
        return [line.partition(" -c ")[0] + " " + line.split(" ", 4)[4]
                if " -c " in line else line
                for line in self.calls.read_text().splitlines()]

    def files(self) -> dict[str, str]:
        """Return the contents of every file below the directory."""
        return {str(path.relative_to(self.directory)): path.read_text()
                for path in self.directory.rglob("*") if path.is_file()}


def options(path: pathlib.Path) -> dict[str, dict[str, str]]:
    """Return the options of a configuration file by their sections."""
    parser = configparser.RawConfigParser(default_section="")
    parser.read(path)
    return {name: dict(parser[name]) for name in parser.sections()
            if parser[name]}
