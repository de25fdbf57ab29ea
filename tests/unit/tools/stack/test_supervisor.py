"""What supervisord reads."""

import configparser

import testtools

from tests.unit.tools.stack import factories
from tools.stack import services
from tools.stack import supervisor


def program(**changes):
    service = services.Service(
        name="one", command=("serve", "--set", "start-time=%t", "two words"),
        environment={"ARGUMENTS": "-kernel a {1,2}"}, **changes)
    parser = configparser.ConfigParser(interpolation=None)
    parser.read_string(supervisor.program(service, factories.stack()))
    return parser["program:one"]


class ProgramTest(testtools.TestCase):

    def test_what_is_the_services_is_not_expanded(self):
        self.assertEqual("serve --set start-time=%%t 'two words'",
                         program()["command"])

    def test_environment(self):
        said = program()["environment"]
        self.assertIn('ARGUMENTS="-kernel a {1,2}"', said)
        self.assertIn('PATH="/stack/venv/bin:/usr/sbin', said)
        self.assertIn('OS_NOVA_CONFIG_DIR="/stack/etc/nova"', said)

    def test_it_is_started_by_the_plan_and_kept_by_supervisord(self):
        made = program(stop_seconds=7)
        self.assertEqual(("false", "true", "7"), (
            made["autostart"], made["autorestart"], made["stopwaitsecs"]))
