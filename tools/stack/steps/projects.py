"""Each project's database, and what a new cloud has to know."""

from collections.abc import Callable
import pathlib

from tools.stack import command
from tools.stack import configs
from tools.stack import settings as settings_module
from tools.stack.guest import build as guest
from tools.stack.steps.step import Step

REPOSITORY = pathlib.Path(__file__).parents[3]
IDENTITY = "http://127.0.0.1:5000/v3"
Do = Callable[[settings_module.Settings], None]


def _manage(program: str, *lines: str, file: str) -> Do:
    """Return what runs the lines of a project's management command."""
    def do(settings: settings_module.Settings) -> None:
        for line in lines:
            command.run(settings, f"{settings.venv}/bin/{program}",
                        "--config-file", f"{settings.etc}/{file}",
                        *line.split(), log=program)
    return do


def keystone(settings: settings_module.Settings) -> None:
    """Make keystone's database, keys, and first user."""
    root = "--keystone-user root --keystone-group root"
    _manage(
        "keystone-manage", "db_sync", f"fernet_setup {root}",
        f"credential_setup {root}",
        f"bootstrap --bootstrap-password {configs.password(settings)}"
        f" --bootstrap-admin-url {IDENTITY}"
        f" --bootstrap-internal-url {IDENTITY}"
        f" --bootstrap-public-url {IDENTITY}"
        " --bootstrap-region-id RegionOne",
        file="keystone/keystone.conf")(settings)


def cells(settings: settings_module.Settings) -> None:
    """Make Nova's databases and its two cells."""
    nova = command.output(
        settings, f"{settings.venv}/bin/nova-manage", "--config-file",
        f"{settings.etc}/nova/nova.conf", "cell_v2", "list_cells")
    cell0 = ("mysql+pymysql://nova:"
             f"{configs.password(settings)}@127.0.0.1/nova_cell0")
    lines = ["api_db sync",
             f"cell_v2 map_cell0 --database_connection {cell0}", "db sync"]
    if "cell1" not in nova:
        lines.append("cell_v2 create_cell --name cell1")
    _manage("nova-manage", *lines, file="nova/nova.conf")(settings)


def _cloud(*arguments: str) -> Do:
    """Return what runs :mod:`tools.stack.cloud` where its imports are."""
    def do(settings: settings_module.Settings) -> None:
        command.run(
            settings, f"{settings.venv}/bin/python", "-m",
            "tools.stack.cloud", *arguments, log="cloud",
            more=credentials(settings) | {"PYTHONPATH": str(REPOSITORY)})
    return do


def credentials(settings: settings_module.Settings) -> dict[str, str]:
    """Return the administrator's variables, as in ``admin.rc``."""
    lines = (settings.etc / "admin.rc").read_text().splitlines()
    return dict(line.removeprefix("export ").split("=", 1) for line in lines
                if line.startswith("export OS_"))


STEPS = (
    Step(name="keystone-bootstrap", needs=("databases",), do=keystone),
    Step(name="catalog", needs=("keystone",), do=_cloud("catalog")),
    Step(name="placement-database", needs=("databases",),
         do=_manage("placement-manage", "db sync",
                    file="placement/placement.conf")),
    Step(name="glance-database", needs=("databases",),
         do=_manage("glance-manage", "db_sync",
                    file="glance/glance-api.conf")),
    Step(name="neutron-database", needs=("databases",),
         do=_manage("neutron-db-manage", "upgrade head",
                    file="neutron/neutron.conf")),
    Step(name="cinder-database", needs=("databases",),
         do=_manage("cinder-manage", "db sync", file="cinder/cinder.conf")),
    Step(name="nova-cells", needs=("databases",), do=cells),
    Step(name="compute-host", needs=("nova-api", "nova-compute"),
         once=False, do=_cloud("wait-for-compute")),
    Step(name="cell-hosts", needs=("compute-host",),
         do=_manage("nova-manage", "cell_v2 discover_hosts",
                    file="nova/nova.conf")),
    Step(name="networks", needs=("neutron", "access"),
         do=_cloud("networks")),
    Step(name="flavors", needs=("nova-api",), do=_cloud("flavors")),
    Step(name="volume-type", needs=("cinder",), do=_cloud("volume-type")),
    Step(name="images", needs=("glance", "guest"), do=_cloud("images"),
         recipe=guest.recipe),
)
