"""The least a spawn can take: the same guest, made by plain calls."""

import json
import pathlib
import subprocess
from unittest import mock

from lxml import etree
from nova.virt import driver as nova_driver

from tests.benchmarks import stage


class Floor:
    """Makes guests like one that a driver made before, and nothing else.

    One qemu-img a disk, one defineXML, one createWithFlags.
    """

    def __init__(self, here: stage.Stage,
                 driver: nova_driver.ComputeDriver) -> None:
        self._here = here
        self._pattern = here.request()
        self._xml = _spawn_and_keep_xml(driver, self._pattern)
        self._disks = [
            _creation(pathlib.Path(path)) for path in etree.fromstring(
                self._xml).xpath("devices/disk/source/@file")]
        here.remove(self._pattern.instance.uuid)

    def __call__(self, request: stage.Request) -> None:
        """Make the guest ``request`` asks for; it runs on return."""
        (self._here.path / request.instance.uuid).mkdir()
        for command in self._disks:
            subprocess.run([self._renamed(word, request) for word in command],
                           check=True, stdout=subprocess.DEVNULL)
        self._here.libvirt.defineXML(
            self._renamed(self._xml, request)).createWithFlags(0)

    def _renamed(self, text: str, request: stage.Request) -> str:
        for old, new in ((self._pattern.instance.uuid, request.instance.uuid),
                         (self._pattern.instance.name, request.instance.name)):
            text = text.replace(old, new)
        return text


def _spawn_and_keep_xml(driver: nova_driver.ComputeDriver,
                        request: stage.Request) -> str:
    kept = []
    get_guest_xml = driver._get_guest_xml

    def keep(*args, **kwargs):
        kept.append(get_guest_xml(*args, **kwargs))
        return kept[-1]

    with mock.patch.object(driver, "_get_guest_xml", keep):
        stage.spawn(driver, request)
    return kept[-1]


def _creation(path: pathlib.Path) -> list[str]:
    """Return the command that makes a disk like the one at ``path``."""
    disk = json.loads(subprocess.check_output(
        ["qemu-img", "info", "--force-share", "--output=json", path]))
    backing = ["-b", disk["backing-filename"],
               "-F", disk["backing-filename-format"]
               ] if "backing-filename" in disk else []
    return ["qemu-img", "create", "-f", disk["format"], *backing,
            str(path), str(disk["virtual-size"])]
