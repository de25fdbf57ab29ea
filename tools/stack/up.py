"""The stack goes up, is repaired, goes down."""

import time

from tools.stack import configs
from tools.stack import install
from tools.stack import keeper as keeper_module
from tools.stack import leftovers
from tools.stack import plan
from tools.stack import ready
from tools.stack import services as services_module
from tools.stack import settings as settings_module
from tools.stack import status
from tools.stack import steps
from tools.stack.guest import build as guest
from tools.stack.steps import step as step_module

# Starting is work for processors; more at once only takes memory.
WORKERS = 3
# Stopping is mostly waiting.
STOP_WORKERS = 12


class Progress:
    """Lines for a person who waits, with the seconds since the start."""

    def __init__(self) -> None:
        self._began = time.monotonic()

    def __call__(self, text: str) -> None:
        print(f"[{time.monotonic() - self._began:4.0f} s] {text}", flush=True)


def up(settings: settings_module.Settings) -> None:
    """Bring up what is not up; what is stays as it is.

    :raises Failed: and says what, and where its log is.
    """
    say = Progress()
    install.everything(settings, say)
    configs.write(settings)
    services = services_module.load(
        configs.names(settings), configs.digests(settings))
    keeper = keeper_module.choose(settings)
    keeper.configure(services)
    plan.carry_out(
        [*(_service_task(settings, keeper, service, say)
           for service in services),
         *(_step_task(settings, step, say) for step in steps.STEPS),
         plan.Task(name="guest", needs=(), run=guest.main)], WORKERS)
    print(status.next_steps(settings))


def _service_task(settings: settings_module.Settings,
                  keeper: keeper_module.Keeper,
                  service: services_module.Service,
                  say: Progress) -> plan.Task:
    def run() -> None:
        if keeper.is_running(service.name):
            ready.wait(settings, keeper, service)
        elif service.unless and ready.answers(
                settings, f"unix:{service.unless}"):
            say(f"{service.name}: this machine's own is used")
        else:
            keeper.start(service.name)
            ready.wait(settings, keeper, service)
            say(f"{service.name} is up")
    return plan.Task(name=service.name, needs=service.needs, run=run)


def _step_task(settings: settings_module.Settings, step: step_module.Step,
               say: Progress) -> plan.Task:
    def run() -> None:
        if step_module.carry_out(step, settings):
            say(f"{step.name}: done")
    return plan.Task(name=step.name, needs=step.needs, run=run)


def down(settings: settings_module.Settings) -> None:
    """Stop everything that the stack started, its guests as well.

    Guests stay defined, and can be started when the stack is up again.
    """
    keeper = keeper_module.choose(settings)
    states = keeper.states()
    say = Progress()
    if states:
        services = services_module.load(
            configs.names(settings), configs.digests(settings))
        plan.carry_out(plan.reversed_tasks(
            [*(_stop_task(settings, keeper, service, say)
               for service in services if service.name in states),
             *(plan.Task(name=step.name, needs=step.needs, run=_nothing)
               for step in steps.STEPS)]), STOP_WORKERS)
        keeper.end()
    say("the stack is down")


def _stop_task(settings: settings_module.Settings,
               keeper: keeper_module.Keeper,
               service: services_module.Service,
               say: Progress) -> plan.Task:
    def run() -> None:
        if service.name in leftovers.BEFORE:
            leftovers.BEFORE[service.name](settings)
        keeper.stop(service.name)
        if service.name in leftovers.AFTER:
            leftovers.AFTER[service.name](settings)
        say(f"{service.name} is down")
    return plan.Task(name=service.name, needs=service.needs, run=run)


def _nothing() -> None:
    """A step leaves nothing to stop."""
