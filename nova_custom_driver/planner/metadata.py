"""What the domain tells about its instance."""

import time

from nova.network import model as network_model
from nova.virt import driver as nova_driver

from nova_custom_driver.planner import request as request_module
from nova_custom_driver.spec import metadata as spec


def metadata(request: request_module.GuestRequest) -> spec.Metadata:
    """Return the instance's metadata, its creation time being now."""
    found = nova_driver.ComputeDriver.get_instance_driver_metadata(
        request.instance, request.network_info)
    return spec.Metadata(
        package_version=found.nova_package,
        display_name=found.instance_meta.name,
        created_at=time.strftime("%Y-%m-%d %H:%M:%S",
                                 time.gmtime(found.creation_time)),
        flavor=_flavor(found.flavor),
        image=_image(found.image, found.root_id),
        owner=spec.Owner(
            user_id=found.owner.userid, user_name=found.owner.username,
            project_id=found.owner.projectid,
            project_name=found.owner.projectname),
        ports=tuple(_port(vif) for vif in found.network_info))


def _flavor(flavor: nova_driver.FlavorMeta) -> spec.Flavor:
    return spec.Flavor(
        name=flavor.name, id=flavor.flavorid, memory_mib=flavor.memory_mb,
        disk_gib=flavor.root_gb, swap_mib=flavor.swap,
        ephemeral_gib=flavor.ephemeral_gb, vcpus=flavor.vcpus,
        extra_specs=dict(flavor.extra_specs or {}))


def _image(image: nova_driver.ImageMeta, root_id: str | None) -> spec.Image:
    return spec.Image(
        id=root_id or None, container_format=image.container_format,
        disk_format=image.disk_format, min_disk_gib=image.min_disk or 0,
        min_ram_mib=image.min_ram or 0,
        properties={name: str(value)
                    for name, value in image.properties.items()})


def _port(vif: network_model.VIF) -> spec.Port:
    subnets = (vif["network"] or {}).get("subnets", [])
    return spec.Port(id=vif["id"], addresses=tuple(
        spec.Address(type=ip["type"], address=ip["address"],
                     version=ip["version"])
        for subnet in subnets for ip in subnet["ips"]))
