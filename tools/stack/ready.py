"""When a service is ready for those that need it."""

import shlex
import socket
import subprocess
import time
import urllib.error
import urllib.request

from tools.stack import command
from tools.stack import keeper as keeper_module
from tools.stack import services as services_module
from tools.stack import settings as settings_module

SECONDS = 120
PAUSE_SECONDS = 0.2
PROBE_SECONDS = 10


def wait(settings: settings_module.Settings, keeper: keeper_module.Keeper,
         service: services_module.Service) -> None:
    """Return as soon as the service is ready.

    :raises Failed: it ends, or is not ready after two minutes.
    """
    deadline = time.monotonic() + SECONDS
    while not (keeper.is_running(service.name)
               and answers(settings, service.ready)):
        state = keeper.states().get(service.name)
        if state in ("fatal", "exited") or time.monotonic() > deadline:
            raise command.Failed(
                f"{service.name} is not ready ({state}):\n"
                + command.tail(settings.log / f"{service.name}.log"))
        time.sleep(PAUSE_SECONDS)


def answers(settings: settings_module.Settings, probe: str) -> bool:
    """Return whether the probe of ``services.toml`` succeeds."""
    kind, _, rest = probe.partition(":")
    match kind:
        case "tcp":
            return _connects(socket.AF_INET, ("127.0.0.1", int(rest)))
        case "unix":
            return _connects(socket.AF_UNIX, rest)
        case "http":
            return _responds(probe)
        case "run":
            return _succeeds(settings, rest)
    return True


def _connects(family: socket.AddressFamily,
              address: str | tuple[str, int]) -> bool:
    with socket.socket(family) as wire:
        return wire.connect_ex(address) == 0


def _responds(url: str) -> bool:
    try:
        urllib.request.urlopen(url, timeout=PROBE_SECONDS).close()
    except urllib.error.HTTPError as error:
        return error.code < 500
    except OSError:
        return False
    return True


def _succeeds(settings: settings_module.Settings, line: str) -> bool:
    return subprocess.run(
        shlex.split(line), stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL, check=False, timeout=PROBE_SECONDS,
        env=command.environment(settings)).returncode == 0
