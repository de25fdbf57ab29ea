"""guest-config B2-B4, C17; that the rooms' decisions reach the plan."""

import subprocess
import sys
import unittest

from nova_custom_driver.spec import device
from tests.unit.planner import factories

# Planning must not need Nova's options, which only the service has read.
PURE = """
import socket, subprocess
from tests.unit.planner import factories
request = factories.a_request(vifs=[factories.a_vif()], config_drive=True)
from nova_custom_driver.planner import guest
import builtins, os, time
def refuse(*args, **kwargs):
    raise AssertionError("the planner touched the world")
for module, name in ((os, "uname"), (os, "stat"), (time, "time"),
                     (builtins, "open"), (subprocess, "Popen")):
    setattr(module, name, refuse)
guest.plan_guest(request, factories.a_host(), factories.a_domain_facts(),
                 factories.guest_settings())
"""


class PlanGuestTest(unittest.TestCase):

    def test_name_uuid_and_size(self):
        plan = factories.a_plan(flavor={"memory_mb": 768, "vcpus": 3})
        self.assertEqual(
            ("instance-00000007", factories.UUID, 786432, 3, 1),
            (plan.name, plan.uuid, plan.memory_kib, plan.vcpus,
             plan.iothreads))

    def test_the_hypervisor_is_that_of_the_facts(self):
        self.assertEqual("kvm", factories.a_plan().virt_type)
        self.assertEqual("qemu", factories.a_plan(
            domain=factories.a_domain_facts(virt_type="qemu")).virt_type)

    def test_processors_guests_may_use(self):
        self.assertIsNone(factories.a_plan().cpuset)
        shared = frozenset((2, 3))
        self.assertEqual(shared, factories.a_plan(
            settings={"cpu_shared_set": shared}).cpuset)

    def test_architecture_and_machine(self):
        boot = factories.a_plan(
            settings={"machine_types": {"x86_64": "q35"}},
            domain=factories.q35_facts()).boot
        self.assertEqual(("x86_64", "q35"), (boot.arch, boot.machine))

    def test_equal_requests_make_equal_plans(self):
        def plan():
            return factories.a_plan(
                vifs=[factories.a_vif()], config_drive=True,
                settings={"vnc": device.Vnc(listen="::")})
        self.assertEqual(plan(), plan())

    def test_touches_nothing_but_its_arguments(self):
        done = subprocess.run([sys.executable, "-c", PURE],
                              capture_output=True, text=True)
        self.assertEqual(0, done.returncode, done.stderr)
