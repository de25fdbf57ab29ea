"""guest-config I1-I6, I8."""

import unittest

from hypothesis import given
from hypothesis import strategies as st
from nova import exception as nova_exception
from nova.virt.libvirt import vif as in_tree

from nova_custom_driver import exception
from nova_custom_driver.planner import nics
from nova_custom_driver.spec import nic as spec
from tests.unit.planner import factories

QUEUES = {"hw:vif_multiqueue_enabled": "true"}


def a_nic(*, vif=None, virt_type="kvm", **changes):
    plan = factories.a_plan(
        vifs=[vif or factories.a_vif()],
        domain=factories.a_domain_facts(virt_type=virt_type), **changes)
    return plan.nics[0]


class NicTest(unittest.TestCase):

    def test_plain(self):
        self.assertEqual(
            spec.NicPlan(vif_id=factories.PORT, mac="fa:16:3e:00:00:01",
                         model="virtio", mtu=1450),
            a_nic(vif=factories.a_vif(mtu=1450)))

    def test_in_the_order_of_the_ports(self):
        plan = factories.a_plan(vifs=[
            factories.a_vif(id=name) for name in ("b", "c", "a")])
        self.assertEqual(["b", "c", "a"],
                         [nic.vif_id for nic in plan.nics])

    def test_a_port_without_a_network_has_no_mtu(self):
        self.assertIsNone(a_nic(vif=factories.a_vif(network=None)).mtu)


class ModelTest(unittest.TestCase):

    def test_the_images(self):
        for model in ("e1000e", "igb", "virtio"):
            self.assertEqual(model, a_nic(
                image={"hw_vif_model": model}).model)

    def test_libvirts_own_if_the_operator_says_so(self):
        self.assertIsNone(a_nic(
            settings={"use_virtio_for_bridges": False}).model)

    def test_the_models_are_those_of_the_in_tree_driver(self):
        self.assertEqual(
            {virt: set(in_tree.SUPPORTED_VIF_MODELS[virt])
             for virt in ("kvm", "qemu")},
            {virt: set(models) for virt, models in nics.MODELS_OF.items()})

    def test_refuses_what_kvm_lacks(self):
        self.assertEqual("lan9118", a_nic(
            virt_type="qemu", image={"hw_vif_model": "lan9118"}).model)
        with self.assertRaisesRegex(nova_exception.UnsupportedHardware,
                                    "lan9118.*kvm"):
            a_nic(image={"hw_vif_model": "lan9118"})


class DriverTest(unittest.TestCase):

    def driver(self, **changes):
        found = a_nic(**changes)
        return found.driver, found.queues, found.rx_queue_size

    def test_vhost_needs_kvm(self):
        self.assertEqual(("qemu", None, None), self.driver(
            virt_type="qemu", extra_specs=QUEUES,
            settings={"rx_queue_size": 512}))

    def test_a_queue_for_every_processor(self):
        self.assertEqual(("vhost", 6, None), self.driver(
            flavor={"vcpus": 6}, extra_specs=QUEUES))
        self.assertEqual(("vhost", 6, None), self.driver(
            flavor={"vcpus": 6},
            image={"hw_vif_multiqueue_enabled": "true"}))

    def test_not_for_a_single_processor(self):
        self.assertEqual((None, None, None), self.driver(
            flavor={"vcpus": 1}, extra_specs=QUEUES))

    def test_no_more_than_the_operator_says(self):
        self.assertEqual(("vhost", 4, None), self.driver(
            flavor={"vcpus": 6}, extra_specs=QUEUES,
            settings={"max_queues": 4}))

    def test_no_more_than_the_kernel_has(self):
        self.assertEqual(("vhost", 8, None), self.driver(
            flavor={"vcpus": 12}, extra_specs=QUEUES,
            host=factories.a_host(kernel_major=3)))
        self.assertEqual(
            [1, 8, 256, None, None, None],
            [nics.tap_queues(major) for major in (2, 3, 4, 5, 6, None)])

    def test_the_operator_before_the_kernel(self):
        self.assertEqual(("vhost", 10, None), self.driver(
            flavor={"vcpus": 12}, extra_specs=QUEUES,
            settings={"max_queues": 10},
            host=factories.a_host(kernel_major=3)))

    def test_the_size_of_the_receive_queue_is_vhosts(self):
        self.assertEqual(("vhost", None, 512), self.driver(
            settings={"rx_queue_size": 512}))

    def test_the_transmit_queue_is_vhost_users(self):
        self.assertIsNone(a_nic(
            settings={"tx_queue_size": 512}).tx_queue_size)

    def test_other_models_have_no_back_end(self):
        self.assertEqual((None, None, None), self.driver(
            image={"hw_vif_model": "e1000"}, extra_specs=QUEUES,
            settings={"rx_queue_size": 512}))

    def test_flavor_against_image(self):
        with self.assertRaises(nova_exception.FlavorImageConflict):
            self.driver(extra_specs=QUEUES,
                        image={"hw_vif_multiqueue_enabled": "false"})


class BandwidthTest(unittest.TestCase):

    @given(*[st.dictionaries(st.sampled_from(nics.LIMITS),
                             st.integers(0, 1 << 31), min_size=1)] * 2)
    def test_limits_pass_through(self, inbound, outbound):
        found = a_nic(extra_specs={
            f"quota:vif_{direction}_{name}": str(value)
            for direction, limits in (("inbound", inbound),
                                      ("outbound", outbound))
            for name, value in limits.items()})
        self.assertEqual(
            (spec.Bandwidth(**inbound), spec.Bandwidth(**outbound)),
            (found.inbound, found.outbound))

    def test_one_direction(self):
        found = a_nic(extra_specs={"quota:vif_outbound_peak": "7"})
        self.assertEqual((None, spec.Bandwidth(peak=7)),
                         (found.inbound, found.outbound))

    def test_refuses_what_is_no_number(self):
        with self.assertRaisesRegex(exception.InvalidGuestRequest,
                                    "quota:vif_inbound_burst=fast"):
            a_nic(extra_specs={"quota:vif_inbound_burst": "fast"})
