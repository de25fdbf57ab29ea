"""MariaDB's databases, RabbitMQ's user."""

from tools.stack import command
from tools.stack import configs
from tools.stack import settings as settings_module
from tools.stack.steps.step import Step

# {database: user}
DATABASES = {
    "keystone": "keystone", "glance": "glance", "placement": "placement",
    "nova_api": "nova", "nova_cell0": "nova", "nova": "nova",
    "neutron": "neutron", "cinder": "cinder"}
HOSTS = ("127.0.0.1", "localhost")
# Not the usual one, on which another Erlang of this machine may have its own.
EPMD_PORT = "4370"
RABBITMQ = "/usr/lib/rabbitmq/bin/rabbitmqctl"


def directory(settings: settings_module.Settings) -> None:
    """Make MariaDB's directory."""
    command.run(
        settings, "mariadb-install-db", "--no-defaults", "--user=root",
        f"--datadir={settings.data}/mysql", "--skip-test-db",
        "--auth-root-authentication-method=normal", log="mariadb")


def databases(settings: settings_module.Settings) -> None:
    """Make the databases and their users."""
    command.run(
        settings, "mariadb", "--no-defaults", "-uroot",
        f"--socket={settings.run}/mysql.sock", log="mariadb-client",
        text_input=sql(configs.password(settings)))


def sql(password: str) -> str:
    """Return what makes the databases, be they there already."""
    lines = []
    for database, user in DATABASES.items():
        lines.append(f"CREATE DATABASE IF NOT EXISTS {database} "
                     "CHARACTER SET utf8mb3;")
        for host in HOSTS:
            lines += [
                f"CREATE USER IF NOT EXISTS '{user}'@'{host}';",
                f"SET PASSWORD FOR '{user}'@'{host}' = "
                f"PASSWORD('{password}');",
                f"GRANT ALL ON {database}.* TO '{user}'@'{host}';"]
    return "\n".join(lines)


def rabbitmq_user(settings: settings_module.Settings) -> None:
    """Make the user that the services are."""
    more = {"HOME": f"{settings.data}/rabbit",
            "RABBITMQ_NODENAME": "stack@localhost", "ERL_EPMD_PORT": EPMD_PORT,
            "RABBITMQ_CONF_ENV_FILE": "/dev/null"}

    def ctl(*arguments: str) -> None:
        command.run(settings, RABBITMQ, *arguments, log="rabbitmqctl",
                    more=more)

    ctl("await_startup")
    known = command.output(settings, RABBITMQ, "list_users", more=more)
    ctl("change_password" if "openstack" in known else "add_user",
        "openstack", configs.password(settings))
    ctl("set_permissions", "openstack", ".*", ".*", ".*")


STEPS = (
    Step(name="mariadb-directory", do=directory),
    Step(name="databases", needs=("mariadb",), do=databases),
    Step(name="rabbitmq-user", needs=("rabbitmq",), do=rabbitmq_user),
)
