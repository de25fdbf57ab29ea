"""What a user finds in the cloud: ``python -m tools.stack.cloud NAME``.

Runs in the stack's virtual environment.  Each function may be called again.
"""

import pathlib
import sys
import time

import openstack

SERVICES = (
    ("placement", "placement", "http://127.0.0.1:8778"),
    ("glance", "image", "http://127.0.0.1:9292"),
    ("neutron", "network", "http://127.0.0.1:9696"),
    ("nova", "compute", "http://127.0.0.1:8774/v2.1"),
    ("cinderv3", "volumev3", "http://127.0.0.1:8776/v3/%(project_id)s"),
    ("cinder", "block-storage", "http://127.0.0.1:8776/v3/%(project_id)s"),
)
USERS = ("placement", "glance", "neutron", "nova", "cinder")
# name: (MiB of memory, processors, GiB of disk)
FLAVORS = {"tiny": (128, 1, 1), "small": (192, 1, 1), "two": (256, 2, 2)}
IMAGE = pathlib.Path("build/stack-guest/guest.qcow2")
PRIVATE, PUBLIC, ROUTER = "private", "public", "router"
# Below the usual 1500: room for Geneve, and for a host of smaller MTU.
MTU = 1400
COMPUTE_SECONDS = 90


def catalog(cloud: openstack.connection.Connection) -> None:
    """Make the services' users, and say where the services are."""
    identity = cloud.identity
    domain = identity.find_domain("default")
    project = (identity.find_project("service")
               or identity.create_project(name="service",
                                          domain_id=domain.id))
    roles = [identity.find_role(name) or identity.create_role(name=name)
             for name in ("admin", "service")]
    for name in USERS:
        user = identity.find_user(name) or identity.create_user(
            name=name, password=cloud.config.auth["password"],
            domain_id=domain.id, default_project_id=project.id)
        for role in roles:
            identity.assign_project_role_to_user(project, user, role)
    for name, kind, url in SERVICES:
        service = (next(iter(identity.services(type=kind)), None)
                   or identity.create_service(name=name, type=kind))
        known = {each.interface
                 for each in identity.endpoints(service_id=service.id)}
        for interface in {"public", "internal", "admin"} - known:
            identity.create_endpoint(
                service_id=service.id, interface=interface, url=url,
                region_id="RegionOne")


def wait_for_compute(cloud: openstack.connection.Connection) -> None:
    """Wait until nova-compute reports itself up."""
    deadline = time.monotonic() + COMPUTE_SECONDS
    while time.monotonic() < deadline:
        if any(each.state == "up"
               for each in cloud.compute.services(binary="nova-compute")):
            return
        time.sleep(0.5)
    sys.exit("nova-compute is not up: see nova-compute.log")


def networks(cloud: openstack.connection.Connection) -> None:
    """Make the private and the public network, and a router between."""
    network = cloud.network
    private = network.find_network(PRIVATE) or network.create_network(
        name=PRIVATE, mtu=MTU)
    public = network.find_network(PUBLIC) or network.create_network(
        name=PUBLIC, mtu=MTU, is_router_external=True,
        provider_network_type="flat", provider_physical_network="public")
    inside = network.find_subnet(PRIVATE) or network.create_subnet(
        name=PRIVATE, network_id=private.id, ip_version=4,
        cidr="10.77.0.0/24")
    if not network.find_subnet(PUBLIC):
        network.create_subnet(
            name=PUBLIC, network_id=public.id, ip_version=4,
            cidr="172.24.4.0/24", gateway_ip="172.24.4.1",
            is_dhcp_enabled=False, allocation_pools=[
                {"start": "172.24.4.10", "end": "172.24.4.250"}])
    if not network.find_router(ROUTER):
        router = network.create_router(
            name=ROUTER, external_gateway_info={"network_id": public.id})
        network.add_interface_to_router(router, subnet_id=inside.id)
    _open_ports(cloud)


def _open_ports(cloud: openstack.connection.Connection) -> None:
    """Let ping and ssh through to guests of the administrator."""
    network = cloud.network
    group = next(network.security_groups(
        name="default", project_id=cloud.current_project_id))
    known = {rule.protocol for rule in network.security_group_rules(
        security_group_id=group.id) if rule.remote_ip_prefix}
    for protocol in {"icmp", "tcp"} - known:
        network.create_security_group_rule(
            security_group_id=group.id, direction="ingress",
            protocol=protocol, remote_ip_prefix="0.0.0.0/0")


def flavors(cloud: openstack.connection.Connection) -> None:
    for name, (memory, processors, disk) in FLAVORS.items():
        if not cloud.compute.find_flavor(name):
            cloud.compute.create_flavor(
                name=name, ram=memory, vcpus=processors, disk=disk)
    cloud.set_compute_quotas(
        cloud.current_project_id, instances=200, cores=200, ram=100000)


def volume_type(cloud: openstack.connection.Connection) -> None:
    if not cloud.block_storage.find_type("ceph"):
        cloud.block_storage.create_type(
            name="ceph", extra_specs={"volume_backend_name": "ceph"})


def images(cloud: openstack.connection.Connection) -> None:
    """Upload the guest, twice: tempest wants two images."""
    for name in ("guest", "guest-alt"):
        for old in cloud.image.images(name=name):
            cloud.image.delete_image(old)
        cloud.image.create_image(
            name=name, filename=str(IMAGE), disk_format="qcow2",
            container_format="bare", visibility="public")


if __name__ == "__main__":
    globals()[sys.argv[1].replace("-", "_")](openstack.connect())
