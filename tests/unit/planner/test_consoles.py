"""guest-config S1-S3, S5, G4."""

import pathlib
import unittest

from hypothesis import given
from hypothesis import strategies as st
from nova import exception as nova_exception

from nova_custom_driver.planner import consoles
from nova_custom_driver.spec import device as spec
from tests.unit.planner import factories

LOG = factories.ROOT / "console.log"


def count(*, flavor=None, image=None, virt_type="kvm"):
    specs = {} if flavor is None else {"hw:serial_port_count": str(flavor)}
    properties = {} if image is None else {"hw_serial_port_count": image}
    return consoles.port_count(
        factories.a_flavor(extra_specs=specs),
        factories.an_image(**properties), virt_type)


class PortCountTest(unittest.TestCase):

    def test_one(self):
        self.assertEqual(1, count())

    def test_the_image_may_ask_for_less_than_the_flavor_grants(self):
        self.assertEqual(3, count(flavor=3))
        self.assertEqual(2, count(image=2))
        self.assertEqual(1, count(flavor=3, image=1))

    def test_but_not_for_more(self):
        with self.assertRaises(
                nova_exception.ImageSerialPortNumberExceedFlavorValue):
            count(flavor=1, image=2)

    def test_refuses_what_is_no_number(self):
        with self.assertRaises(nova_exception.ImageSerialPortNumberInvalid):
            count(flavor="few")

    @given(st.integers(1, 100))
    def test_qemu_has_three(self, wanted):
        if wanted <= 3:
            self.assertEqual(wanted, count(flavor=wanted))
        else:
            with self.assertRaisesRegex(
                    nova_exception.SerialPortNumberLimitExceeded, "3.*kvm"):
                count(flavor=wanted)


class SerialsTest(unittest.TestCase):

    def test_a_logged_pty(self):
        self.assertEqual((spec.SerialPty(log=LOG),),
                         factories.a_plan().devices.serials)

    def test_ports_of_which_the_first_is_logged(self):
        plan = factories.a_plan(
            serial_ports=(10000, 10003),
            settings={"serial_console": True,
                      "serial_console_host": "192.0.2.1"})
        self.assertEqual(
            (spec.SerialTcp(host="192.0.2.1", port=10000, log=LOG),
             spec.SerialTcp(host="192.0.2.1", port=10003)),
            plan.devices.serials)

    def test_s390x_has_consoles_in_their_place(self):
        found = factories.a_plan(
            image={"hw_emulation_architecture": "s390x"},
            domain=factories.a_domain_facts(
                arch="s390x", virt_type="qemu")).devices
        self.assertEqual(((), (spec.SerialPty(log=LOG),)),
                         (found.serials, found.consoles))
        self.assertEqual((), factories.a_plan().devices.consoles)


class ChannelsTest(unittest.TestCase):

    def test_none(self):
        self.assertEqual((), factories.a_plan().devices.channels)
        self.assertEqual((), factories.a_plan(
            image={"hw_qemu_guest_agent": "no"}).devices.channels)

    def test_both_agents(self):
        plan = factories.a_plan(
            image={"hw_qemu_guest_agent": "yes"},
            settings={"spice": spec.Spice(listen="::"), "spice_agent": True})
        self.assertEqual(
            (spec.SpiceChannel(), spec.AgentChannel(path=pathlib.PurePosixPath(
                "/var/lib/libvirt/qemu/"
                "org.qemu.guest_agent.0.instance-00000007.sock"))),
            plan.devices.channels)

    def test_spice_without_its_agent(self):
        self.assertEqual((), factories.a_plan(
            settings={"spice": spec.Spice(listen="::")}).devices.channels)
