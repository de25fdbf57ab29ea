"""guest-config P1, P4, P5, P8; network A7."""

import unittest

from nova import objects

from nova_custom_driver import exception
from nova_custom_driver.planner import host_devices
from nova_custom_driver.spec import host_device as spec
from tests.unit.planner import factories

ALIAS = {"pci_passthrough:alias": "gpu:1"}
MDEV = "4b20d080-1b54-4048-85b3-a6a62d165c01"


def an_accelerator(kind="PCI", **address):
    return {"uuid": "arq", "attach_handle_type": kind,
            "attach_handle_uuid": MDEV,
            "attach_handle_info": {
                "domain": "0000", "bus": "84", "device": "00",
                "function": "1", "asked_type": "nvidia-35", **address}}


def claimed(*devices):
    """Return what the tracker has given an instance.

    :param devices: (address, extra info, uuid of the port it is for).
    """
    requests = [
        objects.InstancePCIRequest(
            count=1, request_id=str(number),
            alias_name=None if port else "gpu", requester_id=port)
        for number, (_address, _extra, port) in enumerate(devices)]
    return {
        "pci_requests": objects.InstancePCIRequests(requests=requests),
        "pci_devices": objects.PciDeviceList(objects=[
            objects.PciDevice(address=address, extra_info=extra,
                              request_id=str(number))
            for number, (address, extra, _port) in enumerate(devices)])}


def planned(*devices, specs=ALIAS, accelerators=(), mdevs=()):
    request = factories.a_request(
        extra_specs=specs, accelerators=accelerators, mdevs=mdevs)
    for name, value in claimed(*devices).items():
        setattr(request.instance, name, value)
    return host_devices.host_devices(request)


class HostDevicesTest(unittest.TestCase):

    def test_none(self):
        self.assertEqual((), factories.a_plan().devices.host_devices)

    def test_of_an_alias(self):
        """guest-config P1."""
        self.assertEqual(
            (spec.PciFunction(address="0000:84:00.0"),
             spec.PciFunction(address="0000:85:00.0", managed=False)),
            planned(("0000:84:00.0", {}, None),
                    ("0000:85:00.0", {"managed": "false"}, None)))

    def test_managed_as_novas_option_is_written(self):
        """guest-config P1."""
        for text, managed in (("true", True), ("false", False),
                              ("yes", True), ("no", False)):
            (found,) = planned(("0000:84:00.0", {"managed": text}, None))
            self.assertIs(managed, found.managed, text)

    def test_the_device_of_a_port_is_the_ports(self):
        """network A7."""
        self.assertEqual(
            (), planned(("0000:84:00.0", {}, factories.PORT)))

    def test_affinity_is_the_schedulers(self):
        """guest-config P8."""
        device = ("0000:84:00.0", {}, None)
        for policy in ("required", "socket", "preferred", "legacy"):
            self.assertEqual(planned(device), planned(device, specs={
                **ALIAS, "hw:pci_numa_affinity_policy": policy}))

    def test_of_cyborg(self):
        """guest-config P5."""
        self.assertEqual(
            (spec.PciFunction(address="0000:84:00.1"),),
            planned(accelerators=(an_accelerator(), an_accelerator("MDEV")),
                    specs={"accel:device_profile": "fpga"}))

    def test_of_cyborg_of_another_kind(self):
        """guest-config P5."""
        with self.assertLogs(host_devices.LOG.logger, "INFO") as logs:
            self.assertEqual(
                (), planned(accelerators=[an_accelerator("TEST_PCI")]))
        self.assertIn("TEST_PCI", logs.output[0])

    def test_an_address_that_is_none(self):
        """guest-config P5."""
        for part in (None, "", "what"):
            with self.assertRaises(exception.InvalidGuestRequest):
                planned(accelerators=[an_accelerator(bus=part)])

    def test_mediated(self):
        """guest-config P4."""
        self.assertEqual((spec.MediatedDevice(uuid=MDEV),),
                         planned(mdevs=(MDEV,)))
