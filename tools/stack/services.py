"""``services.toml``, as values."""

from collections.abc import Mapping
import dataclasses
import pathlib
import shlex
import string
import tomllib
from typing import Any

TABLE = pathlib.Path(__file__).with_name("services.toml")
STOP_SECONDS = 20
# Connection: close, or clients meet connections that uwsgi is closing.
UWSGI = (
    "$venv/bin/uwsgi --http-socket 127.0.0.1:{port} --module {module} --master"
    " --lazy-apps --processes {processes} --threads {threads} --enable-threads"
    " --thunder-lock --die-on-term --need-app --buffer-size 65535"
    " --socket-timeout 300 --add-header 'Connection: close'"
    " --hook-master-start 'unix_signal:15 gracefully_kill_them_all'"
    " {arguments}")


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Service:
    """A process to be kept running; see ``services.toml``.

    :ivar environment: of the process, beside that of all.
    :ivar takes_children: what it started ends with it.
    """

    name: str
    command: tuple[str, ...]
    needs: tuple[str, ...] = ()
    ready: str = ""
    unless: str = ""
    environment: Mapping[str, str] = dataclasses.field(default_factory=dict)
    stop_seconds: int = STOP_SECONDS
    takes_children: bool = True


def load(names: Mapping[str, str],
         digests: Mapping[str, str]) -> tuple[Service, ...]:
    """Return the services in the order of the file.

    :param names: what stands for each ``$name``.
    :param digests: of each directory under etc/.  They go into the
        environments, so that a service differs when its configuration does.
    """
    return tuple(_service(name, table, names, digests)
                 for name, table in _tables().items())


def _service(name: str, table: Mapping[str, Any], names: Mapping[str, str],
             digests: Mapping[str, str]) -> Service:
    command, ready = table.get("command", ""), table.get("ready", "")
    if "wsgi" in table:
        command, ready = _wsgi(**table["wsgi"])

    def filled(text: str) -> str:
        return string.Template(text).substitute(names)

    return Service(
        name=name, command=tuple(shlex.split(filled(command))),
        ready=filled(ready), unless=table.get("unless", ""),
        needs=tuple(table.get("needs", ())),
        environment={
            key: filled(value)
            for key, value in table.get("environment", {}).items()
        } | {f"CONFIG_{directory.upper()}": digests[directory]
             for directory in table.get("configs", ())},
        stop_seconds=table.get("stop_seconds", STOP_SECONDS),
        takes_children=table.get("takes_children", True))


def _wsgi(module: str, port: int, processes: int, threads: int = 1,
          arguments: str = "", path: str = "/") -> tuple[str, str]:
    command = UWSGI.format(module=module, port=port, processes=processes,
                           threads=threads, arguments=arguments)
    return command, f"http://127.0.0.1:{port}{path}"


def sockets() -> dict[str, str]:
    """Return {service: the socket that, listened to, makes it needless}."""
    return {name: table["unless"] for name, table in _tables().items()
            if "unless" in table}


def _tables() -> dict[str, dict[str, Any]]:
    with TABLE.open("rb") as file:
        return tomllib.load(file)
