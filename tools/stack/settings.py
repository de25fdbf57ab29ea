"""What a person can choose by the environment, and where things lie."""

from collections.abc import Mapping
import dataclasses
import pathlib

DRIVERS = ("nova_custom_driver.CustomDriver", "libvirt.LibvirtDriver")
STORES = ("qcow2", "rbd")
# Emulation first: a /dev/kvm inside of a virtual machine may be one that
# cannot start a BIOS.
VIRT_TYPES = ("qemu", "kvm")


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """:ivar state: the one directory; whoever removes it removes all.

    :ivar driver: Nova's ``compute_driver``.
    :ivar store: Nova's ``images_type``, where guests' own disks lie.
    """

    state: pathlib.Path
    driver: str
    store: str
    virt_type: str

    @property
    def venv(self) -> pathlib.Path:
        return self.state / "venv"

    @property
    def etc(self) -> pathlib.Path:
        return self.state / "etc"

    @property
    def run(self) -> pathlib.Path:
        return self.state / "run"

    @property
    def log(self) -> pathlib.Path:
        return self.state / "log"

    @property
    def data(self) -> pathlib.Path:
        return self.state / "data"


def from_environment(environment: Mapping[str, str]) -> Settings:
    """Return the choices, with defaults.

    :raises SystemExit: for a choice there is not.
    """
    driver = _choice(environment, "DRIVER", DRIVERS)
    store = _choice(environment, "STORE", STORES)
    if store == "rbd" and driver == DRIVERS[0]:
        raise SystemExit(
            f"STORE=rbd: {driver} has no rbd disks yet; leave STORE out, or "
            f"add DRIVER={DRIVERS[1]}")
    return Settings(
        state=pathlib.Path(
            environment.get("STACK") or "/var/lib/nova-custom-driver"),
        driver=driver, store=store,
        virt_type=_choice(environment, "VIRT_TYPE", VIRT_TYPES))


def _choice(environment: Mapping[str, str], name: str,
            offered: tuple[str, ...]) -> str:
    value = environment.get(name) or offered[0]
    if value not in offered:
        raise SystemExit(f"{name}={value}: choose {' or '.join(offered)}")
    return value
