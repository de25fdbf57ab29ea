"""Keeps the processes where no systemd runs: supervisord, by XML-RPC."""

from collections.abc import Iterable
import http.client
import pathlib
import shlex
import socket
import time
from typing import Any
import xmlrpc.client

from tools.stack import command
from tools.stack import services as services_module
from tools.stack import settings as settings_module

START_SECONDS = 15
END_SECONDS = 10
MAIN = """[supervisord]
logfile = {log}/supervisord.log
pidfile = {run}/supervisord.pid
childlogdir = {log}
minfds = 16384

[unix_http_server]
file = {run}/supervisor.sock
chmod = 0700

[rpcinterface:supervisor]
supervisor.rpcinterface_factory = {factory}

[include]
files = {run}/supervisor.d/*.ini
"""
PROGRAM = """[program:{name}]
command = {command}
environment = {environment}
directory = /
autostart = false
autorestart = true
startsecs = 1
startretries = 3
stopasgroup = {group}
killasgroup = {group}
stopwaitsecs = {stop_seconds}
redirect_stderr = true
stdout_logfile = {log}/{name}.log
stdout_logfile_maxbytes = 50MB
stdout_logfile_backups = 1
"""


class Supervisor:
    """One supervisord for all services of the stack."""

    def __init__(self, settings: settings_module.Settings) -> None:
        self._settings = settings
        self._programs = settings.run / "supervisor.d"

    def configure(self, services: Iterable[services_module.Service]) -> None:
        """Let it know these services, and stop those that have changed.

        :raises Failed: supervisord does not start.
        """
        services = tuple(services)
        self._write(services)
        if not self._answers():
            self._start_daemon()
        [[added, changed, removed]] = self._call("reloadConfig")
        for name in (*changed, *removed):
            self._call("stopProcessGroup", name)
            self._call("removeProcessGroup", name)
        for name in (*added, *changed):
            self._call("addProcessGroup", name)

    def states(self) -> dict[str, str]:
        """Return {service: state, and since when}; {} if nothing runs."""
        if not self._answers():
            return {}
        return {info["name"]: info["statename"].lower()
                for info in self._call("getAllProcessInfo")}

    def is_running(self, name: str) -> bool:
        return self.states().get(name) in ("running", "starting", "backoff")

    def start(self, name: str) -> None:
        if not self.is_running(name):
            self._call("startProcess", name, False)

    def stop(self, name: str) -> None:
        if self.is_running(name):
            self._call("stopProcess", name)

    def end(self) -> None:
        """Stop what still runs, and supervisord itself."""
        if not self._answers():
            return
        self._call("shutdown")
        deadline = time.monotonic() + END_SECONDS
        pid = self._settings.run / "supervisord.pid"
        while pid.exists() and time.monotonic() < deadline:
            time.sleep(0.1)

    def _write(self, services: Iterable[services_module.Service]) -> None:
        self._programs.mkdir(parents=True, exist_ok=True)
        for old in self._programs.glob("*.ini"):
            old.unlink()
        for service in services:
            path = self._programs / f"{service.name}.ini"
            path.write_text(program(service, self._settings))
            path.chmod(0o600)

    def _start_daemon(self) -> None:
        main = self._settings.run / "supervisord.conf"
        main.write_text(MAIN.format(
            log=self._settings.log, run=self._settings.run,
            factory="supervisor.rpcinterface:make_main_rpcinterface"))
        command.run(
            self._settings, f"{self._settings.venv}/bin/supervisord",
            "-c", str(main), log="supervisord-start")
        deadline = time.monotonic() + START_SECONDS
        while not self._answers():
            if time.monotonic() > deadline:
                raise command.Failed("supervisord does not answer:\n"
                                     + command.tail(self._settings.log
                                                    / "supervisord.log"))
            time.sleep(0.1)

    def _answers(self) -> bool:
        try:
            self._call("getState")
        except OSError:
            return False
        return True

    def _call(self, method: str, *arguments: Any) -> Any:
        with xmlrpc.client.ServerProxy(
                "http://stack/RPC2", transport=_UnixTransport(
                    self._settings.run / "supervisor.sock")) as proxy:
            return getattr(proxy.supervisor, method)(*arguments)


def program(service: services_module.Service,
            settings: settings_module.Settings) -> str:
    """Return the service as supervisord reads it."""
    environment = command.environment(settings) | dict(service.environment)
    return PROGRAM.format(
        name=service.name, log=settings.log,
        group=str(service.takes_children).lower(),
        stop_seconds=service.stop_seconds,
        command=shlex.join(service.command).replace("%", "%%"),
        environment=",".join(
            f'{key}="{value}"'.replace("%", "%%")
            for key, value in sorted(environment.items())))


class _UnixTransport(xmlrpc.client.Transport):

    def __init__(self, path: pathlib.Path) -> None:
        super().__init__()
        self._path = path

    def make_connection(self, host: Any) -> http.client.HTTPConnection:
        return _UnixConnection(self._path)


class _UnixConnection(http.client.HTTPConnection):

    def __init__(self, path: pathlib.Path) -> None:
        super().__init__("stack")
        self._path = path

    def connect(self) -> None:
        self.sock = socket.socket(socket.AF_UNIX)
        self.sock.connect(str(self._path))
