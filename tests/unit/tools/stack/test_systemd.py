"""What systemd reads."""

import testtools

from tests.unit.tools.stack import factories
from tools.stack import services
from tools.stack import systemd


def unit(**changes):
    return systemd.unit(services.Service(
        name="one", command=("sh", "start-time=%t", "a $b"),
        environment={"QUOTED": 'say "5%"'}, **changes),
        factories.stack()).splitlines()


class UnitTest(testtools.TestCase):

    def test_the_program_is_found_and_nothing_is_expanded(self):
        line = next(line for line in unit() if line.startswith("ExecStart"))
        self.assertRegex(line, r'^ExecStart="/\S*/sh" "start-time=%%t" '
                               r'"a \$\$b"$')

    def test_environment(self):
        self.assertIn('Environment="QUOTED=say \\"5%%\\""', unit())
        self.assertIn(
            'Environment="OS_NOVA_CONFIG_DIR=/stack/etc/nova"', unit())

    def test_guests_outlive_libvirtd(self):
        self.assertIn("KillMode=mixed", unit())
        self.assertIn("KillMode=process", unit(takes_children=False))

    def test_its_log_is_with_the_others(self):
        self.assertIn("StandardOutput=append:/stack/log/one.log", unit())
