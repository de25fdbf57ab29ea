"""driver-contract E7: the service's record follows the connection."""

import threading
import unittest
from unittest import mock

from nova import exception as nova_exception
from nova import objects

from nova_custom_driver.virt.ops import service_status

SECONDS = 10


class Service:
    """The record; ``saved`` is what the database holds."""

    def __init__(self, *, disabled=False, disabled_reason=None):
        self.disabled = disabled
        self.disabled_reason = disabled_reason
        self.saved = []

    def save(self):
        self.saved.append((self.disabled, self.disabled_reason))


class VirtApi:
    """Nova's way to the provider's trait COMPUTE_STATUS_DISABLED."""

    def __init__(self):
        self.told = []

    def update_compute_provider_status(self, context, rp_uuid, enabled):
        self.told.append((rp_uuid, enabled))


class ServiceStatusTest(unittest.TestCase):

    def setUp(self):
        self.virtapi = VirtApi()
        self.status = service_status.ServiceStatus("host1", self.virtapi)
        self.addCleanup(self.status.close)
        self.look_up = self.patch(objects.Service, "get_by_compute_host")
        self.patch(objects.ComputeNodeList, "get_all_by_host").return_value \
            = [mock.Mock(uuid="node")]

    def patch(self, owner, name):
        patch = mock.patch.object(owner, name)
        self.addCleanup(patch.stop)
        return patch.start()

    def change(self, *ups, service):
        """Have the connection change, and wait until that was worked off."""
        self.look_up.return_value = service
        for up in ups:
            self.status.connection_changed(up, None if up else "it broke")
        done = threading.Event()
        self.status._executor.submit(done.set)
        self.assertTrue(done.wait(SECONDS))
        return service

    def test_disabled_with_the_reason(self):
        """driver-contract E7."""
        service = self.change(False, service=Service())
        self.assertEqual([(True, "AUTO: it broke")], service.saved)
        self.assertEqual([("node", False)], self.virtapi.told)
        self.assertEqual("host1", self.look_up.call_args.args[1])

    def test_enabled_again_where_it_was_us(self):
        """driver-contract E7."""
        service = self.change(True, service=Service(
            disabled=True, disabled_reason="AUTO: it broke"))
        self.assertEqual([(False, None)], service.saved)
        self.assertEqual([("node", True)], self.virtapi.told)

    def test_what_a_person_has_disabled_stays_so(self):
        for reason in (None, "", "disk change", "not AUTO: at all"):
            service = Service(disabled=True, disabled_reason=reason)
            self.change(False, True, service=service)
            self.assertEqual([], service.saved)
            self.assertEqual(reason, service.disabled_reason)
        self.assertEqual([], self.virtapi.told)

    def test_nothing_to_change_nothing_saved(self):
        service = self.change(True, service=Service())
        self.assertEqual([], service.saved)
        service = self.change(False, service=Service(
            disabled=True, disabled_reason="AUTO: earlier"))
        self.assertEqual([], service.saved)

    def test_in_the_order_it_happened(self):
        service = self.change(False, True, False, service=Service())
        self.assertEqual([True, False, True],
                         [disabled for disabled, _ in service.saved])

    def test_the_caller_does_not_wait(self):
        """driver-contract E9: it is the thread of events."""
        release, finished = threading.Event(), threading.Event()
        self.addCleanup(release.set)

        def slow(*args):
            release.wait(SECONDS)
            finished.set()
            return Service()

        self.look_up.side_effect = slow
        self.status.connection_changed(False, "it broke")
        self.assertFalse(finished.is_set())
        release.set()
        self.assertTrue(finished.wait(SECONDS))

    def test_a_service_without_a_record(self):
        self.look_up.side_effect = nova_exception.ComputeHostNotFound(
            host="host1")
        with self.assertLogs(service_status.LOG.logger, "INFO") as logs:
            self.change(False, service=None)
        self.assertEqual(["INFO"], [log.levelname for log in logs.records])

    def test_a_failure_does_not_end_the_thread(self):
        self.look_up.side_effect = ValueError
        with self.assertLogs(service_status.LOG.logger, "ERROR"):
            self.change(False, service=None)
        self.look_up.side_effect = None
        service = self.change(False, service=Service())
        self.assertTrue(service.disabled)

    def test_closed_it_does_nothing(self):
        self.status.close()
        self.status.connection_changed(False, "it broke")
        self.look_up.assert_not_called()
