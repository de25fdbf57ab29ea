"""network P1, P2, P4; what needs a host is in tests/functional/vif."""

import contextlib
import unittest
from unittest import mock

from nova import exception as nova_exception
from os_vif import exception as os_vif_exception
from oslo_concurrency import processutils

from nova_custom_driver.virt.vif import own
from nova_custom_driver.virt.vif import plug
from tests.unit.virt.vif import factories

MULTIQUEUE = {"hw:vif_multiqueue_enabled": "true"}


class OsVifPluggerTest(unittest.TestCase):

    def setUp(self):
        stack = contextlib.ExitStack()
        self.addCleanup(stack.close)
        self.os_vif = stack.enter_context(
            mock.patch.object(plug, "os_vif", autospec=True))
        self.kernel = stack.enter_context(
            mock.patch.object(own, "linux_net", autospec=True))
        self.instance = factories.an_instance()
        self.plugger = plug.OsVifPlugger()

    def test_os_vif_learns_whose_port_it_is(self):
        vif = factories.an_ovs_port()
        self.plugger.plug(self.instance, vif)
        plugged, instance = self.os_vif.plug.call_args.args
        self.assertEqual(
            (vif["id"], self.instance.uuid, self.instance.project_id),
            (plugged.id, instance.uuid, instance.project_id))

    def test_errors_of_os_vif(self):
        """network P1, P2: the classes Nova knows, with the cause."""
        vif = factories.an_ovs_port()
        for action, call in (("plug", self.plugger.plug),
                             ("unplug", self.plugger.unplug)):
            error = os_vif_exception.PlugException(vif=vif["id"], err="down")
            getattr(self.os_vif, action).side_effect = error
            with self.subTest(action), self.assertRaisesRegex(
                    nova_exception.InternalError,
                    f"{action} port {vif['id']}.*down") as seen:
                call(self.instance, vif)
            self.assertIs(error, seen.exception.__cause__)

    def test_errors_of_the_kernel(self):
        """network P1, P2: also where a program for taps is missing."""
        vif = factories.a_tap_port()
        for error in (processutils.ProcessExecutionError(stderr="no room"),
                      FileNotFoundError("no room for tunctl")):
            self.kernel.create_tap_dev.side_effect = error
            self.kernel.delete_net_dev.side_effect = error
            for action, call in (("plug", self.plugger.plug),
                                 ("unplug", self.plugger.unplug)):
                with self.subTest(action, error=error), \
                        self.assertRaisesRegex(
                            nova_exception.InternalError,
                            f"(?s){action} port {vif['id']}.*no room"):
                    call(self.instance, vif)

    def test_a_tap_that_os_vif_makes_has_queues_if_the_guest_has(self):
        """network V1: multiqueue is set with create_tap."""
        vif = factories.an_ovs_port(details={"ovs_create_tap": True})
        for wanted in (True, False):
            plugger = plug.OsVifPlugger(multiqueue=lambda instance, answer=(
                wanted): answer)
            plugger.plug(self.instance, vif)
            plugged = self.os_vif.plug.call_args.args[0]
            self.assertIs(wanted, plugged.port_profile.multiqueue)

    def test_a_tap_that_libvirt_makes_is_not_spoken_of(self):
        plugger = plug.OsVifPlugger(multiqueue=lambda instance: True)
        plugger.plug(self.instance,
                     factories.an_ovs_port(delegate_create=False))
        plugged = self.os_vif.plug.call_args.args[0]
        self.assertFalse(plugged.port_profile.obj_attr_is_set("multiqueue"))

    def test_a_tap_of_ours(self):
        """network P4."""
        plugger = plug.OsVifPlugger(multiqueue=lambda instance: True)
        vif = factories.a_tap_port(
            details={"mac_address": "00:61:fe:ed:ca:fe"})
        plugger.plug(self.instance, vif)
        self.kernel.create_tap_dev.assert_called_once_with(
            vif["devname"], "00:61:fe:ed:ca:fe", multiqueue=True)
        self.kernel.set_device_mtu.assert_called_once_with(
            vif["devname"], 1442)

    def test_a_tap_of_a_network_without_an_mtu(self):
        self.plugger.plug(self.instance, factories.a_tap_port(
            network=factories.a_network(mtu=None)))
        self.kernel.set_device_mtu.assert_not_called()

    def test_a_port_whose_device_is_gone_can_be_unplugged(self):
        """network P2: the card was taken out."""
        with self.assertLogs(plug.LOG.logger, "WARNING") as seen:
            self.plugger.unplug(self.instance, factories.a_card_port(
                vnic_type="macvtap"))
        self.assertIn(factories.FUNCTION, seen.output[0])

    def test_a_port_that_lost_its_binding_is_spoken_of(self):
        with self.assertLogs(plug.LOG.logger, "WARNING") as seen:
            self.plugger.unplug(self.instance, factories.an_ovs_port(
                id="a-port", type="binding_failed"))
        self.assertIn("a-port", seen.output[0])
        self.os_vif.unplug.assert_not_called()


class AsksForQueuesTest(unittest.TestCase):
    """network P4, guest-config I4."""

    def asks(self, **changes):
        return plug.asks_for_queues(factories.an_instance(**changes))

    def test_the_flavor_or_the_image_asks(self):
        self.assertTrue(self.asks(vcpus=2, extra_specs=MULTIQUEUE))
        self.assertTrue(self.asks(vcpus=2, image_properties={
            "hw_vif_multiqueue_enabled": "true"}))
        self.assertFalse(self.asks(vcpus=2))

    def test_one_processor_needs_one_queue(self):
        self.assertFalse(self.asks(vcpus=1, extra_specs=MULTIQUEUE))

    def test_only_virtio_has_queues(self):
        for model, expected in (("virtio", True), ("e1000", False)):
            self.assertIs(expected, self.asks(
                vcpus=2, extra_specs=MULTIQUEUE,
                image_properties={"hw_vif_model": model}))
