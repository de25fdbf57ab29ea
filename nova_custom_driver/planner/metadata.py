"""What the domain tells about its instance."""

import time

from nova.network import model as network_model
from nova.objects import flavor as flavor_object
from nova.objects import instance as instance_object
from nova.virt import driver as nova_driver

from nova_custom_driver.planner import request as request_module
from nova_custom_driver.spec import metadata as spec
from nova_custom_driver.spec import settings as settings_spec

UNKNOWN = "N/A"


def metadata(request: request_module.GuestRequest,
             settings: settings_spec.GuestSettings) -> spec.Metadata:
    """Return the instance's metadata."""
    instance = request.instance
    _vendor, _product, package_version = settings.release
    return spec.Metadata(
        package_version=package_version,
        display_name=str(instance.display_name or instance.uuid),
        created_at=time.strftime("%Y-%m-%d %H:%M:%S",
                                 time.gmtime(request.asked_at)),
        flavor=_flavor(request.flavor), image=_image(instance),
        owner=_owner(instance),
        ports=tuple(_port(vif) for vif in request.network_info),
        root_type="image" if instance.image_ref else "volume")


def _flavor(flavor: flavor_object.Flavor) -> spec.Flavor:
    return spec.Flavor(
        name=flavor.name, id=flavor.flavorid, memory_mib=flavor.memory_mb,
        disk_gib=flavor.root_gb, swap_mib=flavor.swap,
        ephemeral_gib=flavor.ephemeral_gb, vcpus=flavor.vcpus,
        extra_specs=dict(flavor.extra_specs or {}))


def _image(instance: instance_object.Instance) -> spec.Image:
    image = nova_driver.ImageMeta.from_instance(instance)
    # A shelved instance's image_ref is a snapshot that will be gone.
    root = instance.system_metadata.get(
        "image_base_image_ref", instance.image_ref)
    return spec.Image(
        id=root or None, container_format=image.container_format,
        disk_format=image.disk_format, min_disk_gib=image.min_disk or 0,
        min_ram_mib=image.min_ram or 0,
        properties={name: str(value)
                    for name, value in image.properties.items()})


def _owner(instance: instance_object.Instance) -> spec.Owner:
    names = instance.system_metadata
    return spec.Owner(
        user_id=instance.user_id,
        user_name=names.get("owner_user_name", UNKNOWN),
        project_id=instance.project_id,
        project_name=names.get("owner_project_name", UNKNOWN))


def _port(vif: network_model.VIF) -> spec.Port:
    subnets = (vif["network"] or {}).get("subnets", [])
    return spec.Port(id=vif["id"], addresses=tuple(
        spec.Address(type=ip["type"], address=ip["address"],
                     version=ip["version"])
        for subnet in subnets for ip in subnet["ips"]))
