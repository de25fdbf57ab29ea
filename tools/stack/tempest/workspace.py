"""Tempest's directory: its configuration, its records."""

import pathlib
import string
import subprocess
import sysconfig

import openstack

from tools.stack import cloud
from tools.stack import configs
from tools.stack import settings as settings_module

TEMPLATE = pathlib.Path(__file__).with_name("tempest.conf")
STESTR = """[DEFAULT]
test_path={packages}/tempest/test_discover
top_dir={packages}
group_regex=([^\\.]*\\.)*
"""


def make(settings: settings_module.Settings) -> pathlib.Path:
    """Return the directory, made to fit the cloud that runs."""
    directory = settings.state / "tempest"
    directory.mkdir(exist_ok=True)
    values = configs.names(settings) | _of_cloud(openstack.connect()) | {
        "image_file": str(cloud.IMAGE.absolute())}
    (directory / "tempest.conf").write_text(
        string.Template(TEMPLATE.read_text()).substitute(values))
    (directory / ".stestr.conf").write_text(STESTR.format(
        packages=sysconfig.get_path("purelib")))
    if not (directory / ".stestr").exists():
        subprocess.run(["stestr", "init"], cwd=directory, check=True)
    return directory


def _of_cloud(connection: openstack.connection.Connection) -> dict[str, str]:
    return {
        "image": connection.image.find_image("guest").id,
        "image_alt": connection.image.find_image("guest-alt").id,
        "flavor": connection.compute.find_flavor("tiny").id,
        "flavor_alt": connection.compute.find_flavor("small").id,
        "public": connection.network.find_network("public").id,
        "network_extensions": ",".join(sorted(
            each.alias for each in connection.network.extensions())),
    }


def tests(directory: pathlib.Path) -> list[str]:
    """Return the names of all tests that there are."""
    said = subprocess.run(
        ["tempest", "run", "--config-file", str(directory / "tempest.conf"),
         "--list-tests"], cwd=directory, check=True, text=True,
        stdout=subprocess.PIPE).stdout
    return [line for line in said.splitlines() if line.startswith("tempest.")]
