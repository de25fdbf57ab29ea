"""Nova around the drivers under test: configuration, requests, records.

There is no API, no database and no Glance: requests are made by hand, saving
an instance does nothing, and the image is in the base cache already.  libvirt,
QEMU, qemu-img and the drivers are real, and all see the same host.
"""

from collections.abc import Iterator
import contextlib
import dataclasses
import hashlib
import os
import pathlib
import shutil
import sys
import tempfile
from unittest import mock
import uuid

import libvirt
from nova import config as nova_config
from nova import context as nova_context
from nova import objects
import nova.conf
from nova.network import model as network_model
from nova.objects import block_device as block_device_object
from nova.tests.unit import fake_instance
from nova.virt import driver as nova_driver
from nova.virt import fake as nova_fake
import os_vif
from oslo_log import log as logging

HOST = "benchmark"
PREFIX = "ncd-bench-"
IMAGE = "0d7f3c7a-6c0f-4a57-9a3a-1f6f2d1f0a11"
IMAGE_BYTES = 64 << 20
MEMORY_MIB = 128
ROOT_GIB = 1

CONF = nova.conf.CONF


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """What Nova's compute manager hands to ``driver.spawn``."""

    context: nova_context.RequestContext
    instance: objects.Instance
    image_meta: objects.ImageMeta
    block_device_info: dict


class Stage:
    """A host on which guests are made and removed.

    :ivar path: the instances path.
    :ivar base: the cached image, raw.
    """

    def __init__(self, path: pathlib.Path, uri: str) -> None:
        self.path = path
        self.base = path / "_base" / hashlib.sha1(
            IMAGE.encode(), usedforsecurity=False).hexdigest()
        self.libvirt = libvirt.open(uri)
        self._number = 0

    def request(self) -> Request:
        """Return a request for a new guest without a network interface."""
        self._number += 1
        context = nova_context.get_admin_context()
        instance = _instance(context, self._number)
        return Request(
            context=context, instance=instance,
            image_meta=instance.image_meta,
            block_device_info=nova_driver.get_block_device_info(
                instance, _block_devices(context, instance)))

    def driver(self, compute_driver: str) -> nova_driver.ComputeDriver:
        """Return Nova's driver of that name, started."""
        driver = nova_driver.load_compute_driver(
            nova_fake.FakeVirtAPI(), compute_driver)
        driver.init_host(HOST)
        return driver

    def remove(self, instance_uuid: str) -> None:
        """Take a guest off the host, whoever made it."""
        with contextlib.suppress(libvirt.libvirtError):
            domain = self.libvirt.lookupByUUIDString(instance_uuid)
            if domain.isActive():
                domain.destroy()
            domain.undefineFlags(libvirt.VIR_DOMAIN_UNDEFINE_NVRAM
                                 | libvirt.VIR_DOMAIN_UNDEFINE_MANAGED_SAVE)
        shutil.rmtree(self.path / instance_uuid, ignore_errors=True)

    def clear(self) -> None:
        """Remove every guest of a benchmark, also of one that was cut off."""
        for domain in self.libvirt.listAllDomains():
            if domain.name().startswith(PREFIX):
                self.remove(domain.UUIDString())


def spawn(driver: nova_driver.ComputeDriver, request: Request) -> None:
    """Have ``driver`` make the guest, as the compute manager does."""
    driver.spawn(
        request.context, request.instance, request.image_meta,
        injected_files=[], admin_password=None, allocations={},
        network_info=network_model.NetworkInfo(),
        block_device_info=request.block_device_info)


@contextlib.contextmanager
def stage(uri: str, log: pathlib.Path) -> Iterator[Stage]:
    """Set up a host for benchmarks and take it down again.

    :param log: Nova's, begun anew.
    """
    with contextlib.ExitStack() as down:
        # Not below /root or a home directory: QEMU runs as another user.
        path = pathlib.Path(down.enter_context(
            tempfile.TemporaryDirectory(prefix=PREFIX, dir="/var/tmp")))
        path.chmod(0o755)
        objects.register_all()
        os_vif.initialize()
        _configure(path, uri, log)
        for patch in _records():
            down.enter_context(patch)
        here = Stage(path, uri)
        down.callback(here.libvirt.close)
        here.clear()
        down.callback(here.clear)
        here.base.parent.mkdir()
        with here.base.open("wb") as base:
            base.truncate(IMAGE_BYTES)
        yield here


def _configure(path: pathlib.Path, uri: str, log: pathlib.Path) -> None:
    log.parent.mkdir(parents=True, exist_ok=True)
    log.unlink(missing_ok=True)
    nova_config.parse_args(["nova-compute"], default_config_files=[],
                           configure_db=False, init_rpc=False)
    nova.conf.neutron.register_dynamic_opts(CONF)
    for name, value, group in (
            ("host", HOST, None),
            ("log_file", str(log.absolute()), None),
            ("instances_path", str(path), None),
            ("state_path", str(path / "state"), None),
            ("instance_name_template", f"{PREFIX}%08x", None),
            ("concurrency_backend", "threading", None),
            ("lock_path", str(path / "locks"), "oslo_concurrency"),
            ("virt_type", "qemu", "libvirt"),
            ("cpu_mode", "none", "libvirt"),
            ("connection_uri", uri, "libvirt"),
            ("helper_command", _privsep_helper(), "nova_sys_admin")):
        CONF.set_override(name, value, group)
    logging.setup(CONF, "nova")
    for name in ("state", "locks"):
        (path / name).mkdir()


def _privsep_helper() -> str | None:
    """Return how privileged work is started: by root without sudo."""
    helper = pathlib.Path(sys.executable).with_name("privsep-helper")
    return str(helper) if os.geteuid() == 0 else None


def _records() -> list:
    """Return patches for what the drivers ask Nova's database."""
    return [
        mock.patch.object(objects.Instance, "save"),
        _empty(objects.InstanceList, "get_by_host"),
        _empty(objects.BlockDeviceMappingList, "get_by_instance_uuid"),
        _empty(objects.VirtualInterfaceList, "get_by_instance_uuid"),
        _empty(objects.ShareMappingList, "get_by_instance_uuid"),
    ]


def _empty(kind: type, name: str) -> contextlib.AbstractContextManager:
    return mock.patch.object(kind, name,
                             side_effect=lambda *_, **__: kind(objects=[]))


def _instance(context, number: int) -> objects.Instance:
    flavor = objects.Flavor(
        id=1, flavorid="1", name="bench", memory_mb=MEMORY_MIB, vcpus=1,
        root_gb=ROOT_GIB, ephemeral_gb=0, swap=0, extra_specs={},
        rxtx_factor=1.0, vcpu_weight=0, disabled=False, is_public=True,
        description=None)
    instance = fake_instance.fake_instance_obj(
        context, id=number, uuid=str(uuid.uuid4()), flavor=flavor,
        image_ref=IMAGE, root_device_name="/dev/vda", config_drive="",
        hostname=f"bench-{number}", display_name=f"bench-{number}",
        project_id="project", user_id="user", host=HOST, node=HOST,
        ephemeral_gb=0, root_gb=ROOT_GIB,
        system_metadata={
            "image_base_image_ref": IMAGE, "image_min_disk": "0",
            "image_min_ram": "0", "image_disk_format": "raw",
            "image_container_format": "bare",
            "owner_project_name": "project", "owner_user_name": "user"},
        expected_attrs=["system_metadata", "metadata", "numa_topology",
                        "pci_devices", "pci_requests", "vcpu_model",
                        "device_metadata", "trusted_certs"])
    instance.info_cache = objects.InstanceInfoCache(
        context, instance_uuid=instance.uuid,
        network_info=network_model.NetworkInfo())
    return instance


def _block_devices(context, instance) -> objects.BlockDeviceMappingList:
    return objects.BlockDeviceMappingList(objects=[
        block_device_object.BlockDeviceMapping(
            context, instance_uuid=instance.uuid, source_type="image",
            destination_type="local", device_type="disk", boot_index=0,
            image_id=IMAGE, device_name="/dev/vda", disk_bus=None,
            guest_format=None, volume_size=None, volume_id=None,
            snapshot_id=None, delete_on_termination=True, no_device=False,
            tag=None, connection_info=None, volume_type=None,
            encrypted=False, encryption_secret_uuid=None,
            encryption_format=None, encryption_options=None)])
