"""What is done once, and what has to be true each time."""

from tools.stack.steps import ceph
from tools.stack.steps import data
from tools.stack.steps import network
from tools.stack.steps import projects
from tools.stack.steps import step

STEPS: tuple[step.Step, ...] = (
    *data.STEPS, *ceph.STEPS, *network.STEPS, *projects.STEPS)
