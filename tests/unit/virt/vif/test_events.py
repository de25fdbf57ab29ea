"""network W1."""

import unittest

from nova.network import model

from nova_custom_driver.virt.vif import events
from tests.unit.virt.vif import factories


class AwaitedTest(unittest.TestCase):

    def awaited(self, **changes):
        vif = factories.an_ovs_port(id="a-port", **changes)
        return events.awaited(model.NetworkInfo([vif]))

    def test_a_port_that_is_down_is_waited_for(self):
        self.assertEqual([("network-vif-plugged", "a-port")],
                         self.awaited(active=False))

    def test_a_port_that_is_up_is_not(self):
        self.assertEqual([], self.awaited(active=True))

    def test_nor_one_of_unknown_state(self):
        self.assertEqual([], self.awaited(active=None))

    def test_nor_one_the_card_wires(self):
        self.assertEqual([], self.awaited(
            vnic_type=model.VNIC_TYPE_REMOTE_MANAGED))

    def test_in_the_order_of_the_ports(self):
        vifs = [factories.an_ovs_port(id=name) for name in ("b", "a", "c")]
        self.assertEqual(
            ["b", "a", "c"],
            [port for _, port in events.awaited(model.NetworkInfo(vifs))])
