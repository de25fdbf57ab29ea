"""The table of services: complete, on loopback, started anew if changed."""

import graphlib
import re

import testtools

from tests.unit.tools.stack import factories
from tools.stack import services
from tools.stack import steps


def load(**digests):
    return {service.name: service for service in services.load(
        factories.names(), factories.Digests(digests))}


class ServicesTest(testtools.TestCase):

    def test_what_is_needed_is_there_and_needs_no_circle(self):
        needs = {service.name: service.needs for service in load().values()}
        needs |= {step.name: step.needs for step in steps.STEPS}
        needs["guest"] = ()
        for name, needed in needs.items():
            self.assertLessEqual(set(needed), needs.keys(), name)
        graphlib.TopologicalSorter(needs).prepare()

    def test_they_listen_on_loopback_only(self):
        for service in load().values():
            for address in re.findall(r"\d+\.\d+\.\d+\.\d+",
                                      " ".join(service.command)):
                self.assertEqual("127.0.0.1", address, service.name)

    def test_a_service_differs_when_its_configuration_does(self):
        before, after = load(nova="1"), load(nova="2")
        changed = {name for name in before if before[name] != after[name]}
        self.assertEqual({"nova-api", "nova-metadata", "nova-conductor",
                          "nova-scheduler", "nova-compute",
                          "nova-novncproxy"}, changed)

    def test_a_module_becomes_a_server_on_its_port(self):
        glance = load()["glance"]
        self.assertEqual("/stack/venv/bin/uwsgi", glance.command[0])
        self.assertIn("127.0.0.1:9292", glance.command)
        self.assertIn("Connection: close", glance.command)
        self.assertIn("--chunked-input-limit", glance.command)
        self.assertEqual("http://127.0.0.1:9292/healthcheck", glance.ready)

    def test_neutron_and_placement_come_before_nova_compute(self):
        self.assertLessEqual({"neutron", "placement", "glance", "libvirtd"},
                             set(load()["nova-compute"].needs))

    def test_whose_work_the_machine_may_do_itself(self):
        self.assertEqual({"libvirtd", "virtlogd"}, services.sockets().keys())
