"""Valid requests, hosts and facts; a test changes only what it is about."""

import pathlib

from nova import context as nova_context
from nova import objects
from nova.network import model as network_model
from nova.objects import image_meta as image_meta_object
from nova.tests.unit import fake_instance

from nova_custom_driver.planner import guest
from nova_custom_driver.planner import request
from nova_custom_driver.spec import host
from nova_custom_driver.spec import settings

objects.register_all()

UUID = "11111111-2222-3333-4444-555555555555"
IMAGE = "99999999-8888-7777-6666-555555555555"
HOST_UUID = "aaaaaaaa-bbbb-cccc-dddd-eeeeeeeeeeee"
PORT = "ce531f90-199f-48c0-816c-13e38010b442"
VOLUME = "d35ad7a6-5d1b-4e37-a6b1-4d4d5e0ff6b1"
ROOT = pathlib.PurePosixPath("/srv/instances") / UUID
MACHINES = {
    "x86_64": ("pc", "pc-i440fx-7.2", "q35", "pc-q35-7.2"),
    "i686": ("pc", "q35"), "aarch64": ("virt", "virt-7.2", "raspi3b"),
    "ppc64le": ("pseries",), "mipsel": ("malta",), "ppc64": ("pseries",),
    "riscv64": ("virt",), "s390x": ("s390-ccw-virtio",)}


def an_image(*, disk_format="qcow2", **properties):
    return image_meta_object.ImageMeta(
        id=IMAGE, name="tiny", status="active", disk_format=disk_format,
        container_format="bare", min_disk=0, min_ram=0,
        properties=image_meta_object.ImageMetaProps.from_dict(properties))


def a_flavor(**changes):
    fields = {
        "id": 1, "name": "small", "flavorid": "42", "memory_mb": 512,
        "vcpus": 2, "root_gb": 10, "ephemeral_gb": 0, "swap": 0,
        "rxtx_factor": 1.0, "vcpu_weight": 1, "disabled": False,
        "is_public": True, "extra_specs": {}, "projects": []}
    return objects.Flavor(**(fields | changes))


def an_instance(*, flavor=None, **changes):
    fields = {
        "id": 7, "uuid": UUID, "display_name": "web", "image_ref": IMAGE,
        "user_id": "u1", "project_id": "p1", "kernel_id": None,
        "ramdisk_id": None, "os_type": None, "vm_mode": None,
        "system_metadata": {"owner_user_name": "ann",
                            "owner_project_name": "shop"},
        "root_device_name": "/dev/vda"}
    instance = fake_instance.fake_instance_obj(
        nova_context.RequestContext("u1", "p1", is_admin=False),
        expected_attrs=["system_metadata", "metadata"],
        flavor=flavor or a_flavor(), **(fields | changes))
    instance.numa_topology = None
    instance.pci_requests = objects.InstancePCIRequests(requests=[])
    instance.pci_devices = objects.PciDeviceList(objects=[])
    return instance


def a_vif(*, mtu=None, vnic_type="normal", **changes):
    network = network_model.Network(
        id="net", bridge="br-int", label="blue", mtu=mtu,
        subnets=[network_model.Subnet(
            cidr="10.0.0.0/24", version=4, ips=[network_model.FixedIP(
                address="10.0.0.7", version=4)])])
    fields = {"id": PORT, "address": "fa:16:3e:00:00:01", "type": "tap",
              "network": network, "vnic_type": vnic_type}
    return network_model.VIF(**(fields | changes))


def a_request(*, image=None, instance=None, flavor=None, extra_specs=None,
              vifs=(), kernel=None, ramdisk=None, **changes):
    """:param flavor: changes to the flavor; ``extra_specs`` is one."""
    flavor = a_flavor(extra_specs=extra_specs or {}, **(flavor or {}))
    fields = {
        "instance": an_instance(flavor=flavor, **(instance or {})),
        "image_meta": an_image(**(image or {})),
        "network_info": network_model.NetworkInfo(vifs),
        "block_device_info": None, "config_drive": False,
        "files": request.GuestFiles(
            kernel=kernel, ramdisk=ramdisk, console_log=ROOT / "console.log"),
        "asked_at": 0.0}
    return request.GuestRequest(**(fields | changes))


def a_host(*, arch="x86_64", arches=tuple(MACHINES), **changes):
    fields = {
        "hostname": "host1", "uuid": HOST_UUID, "hypervisor_type": "QEMU",
        "libvirt_version": 9_000_000, "qemu_version": 7_002_000,
        "cpu": host.HostCpu(
            arch=arch, model="Skylake-Client", vendor="Intel",
            topology=host.CpuTopology(cells=1, sockets=1, cores=2,
                                      threads=1),
            features=frozenset(("vmx",))),
        "guests": tuple(
            host.GuestArch(
                arch=name, os_type="hvm", machines=frozenset(MACHINES[name]),
                virt_types=frozenset(
                    ("kvm", "qemu") if name == arch else ("qemu",)))
            for name in arches)}
    return host.HostFacts(**(fields | changes))


def a_domain_facts(**changes):
    """Those of machine "pc"; q35 has no IDE."""
    fields = {
        "arch": "x86_64", "machine": "pc-i440fx-7.2", "virt_type": "kvm",
        "emulator": "/usr/bin/qemu-system-x86_64", "max_vcpus": 255,
        "disk_buses": frozenset(
            ("ide", "fdc", "scsi", "virtio", "usb", "sata")),
        "video_models": frozenset(
            ("vga", "cirrus", "vmvga", "qxl", "virtio", "none", "bochs")),
        "firmwares": frozenset(("bios", "efi")), "secure_boot": False,
        "cpu_modes": frozenset(
            ("host-model", "host-passthrough", "custom", "maximum")),
        "cpu_models": frozenset(
            ("qemu64", "Penryn", "SandyBridge", "Haswell-noTSX"))}
    return host.DomainFacts(**(fields | changes))


def q35_facts(**changes):
    return a_domain_facts(
        machine="pc-q35-7.2", disk_buses=frozenset(
            ("fdc", "scsi", "virtio", "usb", "sata")), **changes)


def guest_settings(**changes):
    fields = {"instances_path": ROOT.parent, "virt_type": "kvm",
              "release": ("Vendor", "Product", "34.0.0")}
    return settings.GuestSettings(**(fields | changes))


def a_plan(*, host=None, domain=None, settings=None, **of_request):
    """Return the plan of :func:`a_request`.

    :param settings: changes to the settings.
    """
    return guest.plan_guest(
        a_request(**of_request), host or a_host(),
        domain or a_domain_facts(), guest_settings(**(settings or {})))
