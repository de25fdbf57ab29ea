"""Write down what a guest was given, so later defaults do not change it.

Nova keeps these as image properties in the instance's system metadata; its
own commands read them (``nova-manage libvirt``, ``nova-status``).
"""

from nova.objects import instance as instance_object

from nova_custom_driver.spec import device
from nova_custom_driver.spec import disk
from nova_custom_driver.spec import guest as guest_spec

PREFIX = "image_"
# Every guest has these; the others only where it has such a device.
ALWAYS = ("hw_machine_type",)


def of(plan: guest_spec.GuestPlan) -> dict[str, str]:
    """Return {image property: value}, for those the guest has a value of.
    """
    buses = {disk_plan.device: disk_plan.bus.value
             for disk_plan in reversed(plan.disks)}
    tablet = next((item for item in plan.devices.inputs
                   if item.kind is device.InputKind.TABLET), None)
    found = {
        "hw_machine_type": plan.boot.machine,
        "hw_disk_bus": buses.get(disk.Device.DISK),
        "hw_cdrom_bus": buses.get(disk.Device.CDROM),
        "hw_video_model":
            plan.devices.video.model if plan.devices.video else None,
        "hw_vif_model": next(
            (nic.model for nic in plan.nics if nic.model), None),
        "hw_pointer_model": "usbtablet" if tablet is not None else None,
        "hw_input_bus": tablet.bus if tablet is not None else None,
    }
    return {name: value for name, value in found.items() if value}


def register(instance: instance_object.Instance,
             values: dict[str, str]) -> bool:
    """Add what the instance does not have yet; return whether it changed.
    """
    missing = {f"{PREFIX}{name}": value for name, value in values.items()
               if f"{PREFIX}{name}" not in instance.system_metadata}
    instance.system_metadata.update(missing)
    return bool(missing)


def complete(instance: instance_object.Instance) -> bool:
    """Return whether the instance's defaults were written down before."""
    return all(f"{PREFIX}{name}" in instance.system_metadata
               for name in ALWAYS)
