"""What every plugger has to pass, the real one and the fake."""

from concurrent import futures
import json

from nova import exception as nova_exception
from nova.network import model as network_model

UNKNOWN = ("bridge", "dvs", "no-such")


class VifPluggerContract:
    """network P2, P3, V16, V17.

    :ivar instance: the instance ports are plugged for.
    """

    plugger = None
    instance = None

    def a_vif(self, **changes):
        """Return a port that nobody has used yet."""
        raise NotImplementedError

    def plugged(self):
        """Return {port: what is on the host for it}, of all ports."""
        raise NotImplementedError

    def plug(self, vif):
        self.plugger.plug(self.instance, vif)

    def unplug(self, vif):
        self.plugger.unplug(self.instance, vif)

    def test_a_port_is_there_from_plug_to_unplug(self):
        vif = self.a_vif()
        self.plug(vif)
        self.assertEqual([vif["id"]], list(self.plugged()))
        self.unplug(vif)
        self.assertEqual({}, self.plugged())

    def test_a_plugged_port_can_be_plugged_again(self):
        """network P3: the service does so whenever it starts."""
        vif = self.a_vif()
        self.plug(vif)
        before = self.plugged()
        self.plug(vif)
        self.assertEqual(before, self.plugged())
        self.unplug(vif)
        self.assertEqual({}, self.plugged())

    def test_a_port_that_is_gone_can_be_unplugged(self):
        vif = self.a_vif()
        self.unplug(vif)
        self.plug(vif)
        self.unplug(vif)
        self.unplug(vif)
        self.assertEqual({}, self.plugged())

    def test_an_unplugged_port_can_be_plugged_again(self):
        vif = self.a_vif()
        self.plug(vif)
        before = self.plugged()
        self.unplug(vif)
        self.plug(vif)
        self.assertEqual(list(before), list(self.plugged()))

    def test_ports_do_not_touch_each_other(self):
        one, other = self.a_vif(), self.a_vif()
        self.plug(one)
        self.plug(other)
        self.unplug(one)
        self.assertEqual([other["id"]], list(self.plugged()))

    def test_ports_are_plugged_and_unplugged_side_by_side(self):
        vifs = [self.a_vif() for _ in range(4)]
        with futures.ThreadPoolExecutor() as pool:
            list(pool.map(self.plug, vifs))
            self.assertEqual({vif["id"] for vif in vifs},
                             set(self.plugged()))
            list(pool.map(self.unplug, vifs))
        self.assertEqual({}, self.plugged())

    def test_a_description_is_enough_to_unplug(self):
        """design 3: after a crash there is the journal only."""
        vif = self.a_vif()
        written = json.dumps(self.plugger.describe(self.instance, vif))
        self.assertEqual({}, self.plugged())
        self.plug(vif)
        self.plugger.unplug_described(json.loads(written))
        self.assertEqual({}, self.plugged())
        self.plugger.unplug_described(json.loads(written))

    def test_a_port_has_the_same_source_plugged_or_not(self):
        vif = self.a_vif()
        before = self.plugger.source(vif)
        self.plug(vif)
        self.assertEqual(before, self.plugger.source(vif))
        self.assertEqual(vif["devname"], before.target)

    def test_a_port_that_is_not_bound_is_refused(self):
        """network V16: Nova then sets the instance to ERROR, and goes on."""
        for kind in (network_model.VIF_TYPE_UNBOUND,
                     network_model.VIF_TYPE_BINDING_FAILED):
            self._check_refused(self.a_vif(type=kind))

    def test_a_port_that_is_not_bound_any_more_can_be_unplugged(self):
        self.unplug(self.a_vif(type=network_model.VIF_TYPE_BINDING_FAILED))

    def test_a_port_of_another_kind_is_refused(self):
        """network V17."""
        for kind in UNKNOWN:
            self._check_refused(self.a_vif(type=kind))
        for vnic in (network_model.VNIC_TYPE_MACVTAP,
                     network_model.VNIC_TYPE_BAREMETAL):
            self._check_refused(self.a_vif(vnic_type=vnic))

    def _check_refused(self, vif):
        calls = (lambda: self.plugger.source(vif), lambda: self.plug(vif),
                 lambda: self.plugger.describe(self.instance, vif))
        with self.subTest(type=vif["type"], vnic=vif["vnic_type"]):
            for call in calls:
                with self.assertRaises(
                        nova_exception.VirtualInterfacePlugException) as seen:
                    call()
                self.assertIn(vif["id"], str(seen.exception))
                self.assertIn(vif["type"], str(seen.exception))
            self.assertEqual({}, self.plugged())
