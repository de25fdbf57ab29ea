"""Templates to configuration files."""

from collections.abc import Iterator
import hashlib
import pathlib
import re
import secrets
import shutil
import string

from tools.stack import settings as settings_module

TEMPLATES = pathlib.Path(__file__).with_name("templates")
DRIVER = pathlib.Path(__file__).parents[2] / "nova_custom_driver"
USERS = ("glance", "placement", "nova", "neutron", "cinder")
RBD_SECRET = "6f0d5d1c-51c5-4d0e-9f55-3a7c2b8e4f10"
# {project: (what its package brings in its etc/, ...)}
SHIPPED = {
    "glance": ("glance-api-paste.ini",),
    "nova": ("api-paste.ini",),
    "neutron": ("api-paste.ini", "rootwrap.conf", "rootwrap.d"),
    "cinder": ("api-paste.ini", "rootwrap.conf", "rootwrap.d",
               "resource_filters.json"),
}
AUTH = """auth_type = password
auth_url = http://127.0.0.1:5000/v3
username = {user}
password = {password}
project_name = service
user_domain_name = Default
project_domain_name = Default
region_name = RegionOne"""
TOKENS = """www_authenticate_uri = http://127.0.0.1:5000/v3
memcached_servers = 127.0.0.1:11211
service_token_roles_required = true
service_token_roles = service"""
RBD = """images_rbd_pool = vms
images_rbd_ceph_conf = {etc}/ceph/ceph.conf
rbd_user = cinder
rbd_secret_uuid = {secret}"""


def write(settings: settings_module.Settings) -> None:
    """Make the directories and files that services read."""
    for directory in _directories(settings):
        directory.mkdir(parents=True, exist_ok=True)
    for project, shipped in SHIPPED.items():
        for name in shipped:
            _copy(settings.venv / "etc" / project / name,
                  settings.etc / project / name)
        _point_rootwrap(settings, settings.etc / project)
    values = names(settings)
    for template in TEMPLATES.rglob("*"):
        if template.is_file():
            path = settings.etc / template.relative_to(TEMPLATES)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(render(template.read_text(), values))
            path.chmod(0o600)


def render(template: str, values: dict[str, str]) -> str:
    """Return the text with each ``$name`` replaced.

    :raises KeyError: a name has no value.
    """
    return string.Template(template).substitute(values)


def names(settings: settings_module.Settings) -> dict[str, str]:
    """Return what templates and ``services.toml`` may name."""
    word = password(settings)
    rbd = RBD.format(etc=settings.etc, secret=RBD_SECRET)
    return {
        "state": str(settings.state), "venv": str(settings.venv),
        "etc": str(settings.etc), "run": str(settings.run),
        "log": str(settings.log), "data": str(settings.data),
        "driver": settings.driver, "store": settings.store,
        "virt_type": settings.virt_type,
        "password": word, "tokens": TOKENS, "rbd_secret": RBD_SECRET,
        "rbd": rbd if settings.store == "rbd" else "",
        "rabbit": f"rabbit://openstack:{word}@127.0.0.1:5672/",
        "privsep": f"{settings.venv}/bin/privsep-helper --config-file "
                   f"{settings.etc}",
        "driver_digest": digest(DRIVER),
    } | {f"auth_{user}": AUTH.format(user=user, password=word)
         for user in USERS}


def password(settings: settings_module.Settings) -> str:
    """Return the password of all services, made at the first call."""
    path = settings.state / "password"
    if not path.exists():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch(0o600)
        path.write_text(secrets.token_hex(12))
    return path.read_text()


def digests(settings: settings_module.Settings) -> dict[str, str]:
    """Return {directory under etc/: digest of what is in it}."""
    return {path.name: digest(path) for path in settings.etc.iterdir()
            if path.is_dir()}


def digest(directory: pathlib.Path) -> str:
    """Return one that changes with any file in the directory."""
    made = hashlib.sha256()
    for path in sorted(directory.rglob("*")):
        if path.is_file() and path.suffix != ".pyc":
            made.update(str(path.relative_to(directory)).encode())
            made.update(path.read_bytes())
    return made.hexdigest()[:16]


def _directories(settings: settings_module.Settings
                 ) -> Iterator[pathlib.Path]:
    yield from (settings.run, settings.log, settings.run / "ceph",
                settings.log / "rabbit")
    yield from (settings.data / name for name in (
        "lock", "done", "mysql", "rabbit", "ovn", "keystone",
        "glance/images", "glance/staging", "glance/tasks", "nova/instances",
        "libvirt", "neutron", "cinder/conversion", "ceph"))
    yield from (settings.etc / name for name in SHIPPED)


def _copy(source: pathlib.Path, target: pathlib.Path) -> None:
    if source.is_dir():
        shutil.copytree(source, target, dirs_exist_ok=True)
    else:
        shutil.copy(source, target)


def _point_rootwrap(settings: settings_module.Settings,
                    directory: pathlib.Path) -> None:
    path = directory / "rootwrap.conf"
    if not path.exists():
        return
    text = re.sub(r"(?m)^exec_dirs=.*",
                  f"exec_dirs={settings.venv}/bin,/sbin,/usr/sbin,/bin,"
                  "/usr/bin", path.read_text())
    path.write_text(re.sub(r"(?m)^filters_path=.*",
                           f"filters_path={directory}/rootwrap.d", text))
