"""What runs, and what a person does next."""

from tools.stack import keeper as keeper_module
from tools.stack import ready
from tools.stack import services as services_module
from tools.stack import settings as settings_module

NEXT = """
OpenStack is up, with compute_driver = {driver}.

    source {etc}/admin.rc
    openstack keypair create me > me.pem && chmod 600 me.pem
    openstack server create --flavor tiny --image guest --network private \\
        --key-name me --wait first
    openstack console log show first
    openstack console url show first     # noVNC, on this machine
    openstack floating ip create public -f value -c floating_ip_address
    openstack server add floating ip first <that address>
    ssh -i me.pem root@<that address>

Logs: {log}    Guests: virsh list    Stop: make stack-down
"""


def show(settings: settings_module.Settings) -> int:
    """Print a line for each service; return 1 unless all of them run."""
    states = keeper_module.choose(settings).states()
    if not states:
        print("The stack is down.")
        return 1
    well = True
    for name, state in states.items():
        well &= state == "running" or _elsewhere(settings, name)
        print(f"{state:10} {name}")
    return int(not well)


def _elsewhere(settings: settings_module.Settings, name: str) -> bool:
    """Return whether the machine's own process does the service's work."""
    unless = services_module.sockets().get(name)
    return bool(unless) and ready.answers(settings, f"unix:{unless}")


def next_steps(settings: settings_module.Settings) -> str:
    """Return what to tell a person whose stack is up."""
    return NEXT.format(driver=settings.driver, etc=settings.etc,
                       log=settings.log)
