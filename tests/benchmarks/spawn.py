"""How long a guest takes: our driver, the in-tree driver, and the floor."""

from collections.abc import Callable, Mapping
from concurrent import futures
import functools
import itertools
import pathlib
import statistics
import time

import libvirt

from tests.benchmarks import floor
from tests.benchmarks import report
from tests.benchmarks import stage

OURS = "nova_custom_driver.CustomDriver"
IN_TREE = "libvirt.LibvirtDriver"

ATTEMPTS = 5
SETTLE_SECONDS = 0.3

Maker = Callable[[stage.Request], None]


def run(uri: str, rounds: int, together: int,
        log: pathlib.Path) -> list[report.Row]:
    """Return the medians over ``rounds``, of one guest and of many at once.

    :param together: how many are many.
    :param log: where Nova's log goes.
    """
    with stage.stage(uri, log) as here:
        ours = here.driver(OURS)
        in_tree = here.driver(IN_TREE)
        makers: Mapping[str, Maker] = {
            "floor": floor.Floor(here, ours),
            "ours": functools.partial(stage.spawn, ours),
            "in_tree": functools.partial(stage.spawn, in_tree)}
        _alternate(here, makers, 1, 1)
        return [
            _row("spawn, image cached, no interface",
                 _alternate(here, makers, rounds, 1)),
            _row(f"{together} of them at once, until the last",
                 _alternate(here, makers, max(1, rounds // 3), together))]


def _row(name: str, times: Mapping[str, list[float]]) -> report.Row:
    return report.Row(name=name, **{
        maker: statistics.median(seconds) for maker, seconds in times.items()})


def _alternate(here: stage.Stage, makers: Mapping[str, Maker], rounds: int,
               together: int) -> dict[str, list[float]]:
    """Return {maker: seconds of each round}.

    They take turns in every order: who comes next may feel what the one
    before has left to the host.
    """
    orders = itertools.cycle(itertools.permutations(makers))
    times: dict[str, list[float]] = {name: [] for name in makers}
    for order in itertools.islice(orders, rounds):
        for name in order:
            time.sleep(SETTLE_SECONDS)
            times[name].append(
                _time_again(here, name, makers[name], together))
    return times


def _time_again(here: stage.Stage, name: str, make: Maker,
                together: int) -> float:
    """Return what :func:`_time` does; what fails is said and repeated.

    libvirtd itself fails to start a guest now and then, when a signal reaches
    it while it hands its device filter to the kernel ("failed to load cgroup
    BPF prog: Resource temporarily unavailable").
    """
    for _ in range(ATTEMPTS - 1):
        try:
            return _time(here, make, together)
        except Exception as error:
            print(f"{name}: {error}; once more", flush=True)
    return _time(here, make, together)


def _time(here: stage.Stage, make: Maker, together: int) -> float:
    """Return the seconds until ``together`` guests run; none is left."""
    requests = [here.request() for _ in range(together)]
    try:
        with futures.ThreadPoolExecutor(together) as threads:
            began = time.perf_counter()
            list(threads.map(make, requests))
            seconds = time.perf_counter() - began
        for request in requests:
            _check_running(here, request)
    finally:
        for request in requests:
            here.remove(request.instance.uuid)
    return seconds


def _check_running(here: stage.Stage, request: stage.Request) -> None:
    domain = here.libvirt.lookupByUUIDString(request.instance.uuid)
    state, _ = domain.state()
    if state != libvirt.VIR_DOMAIN_RUNNING:
        raise RuntimeError(f"{domain.name()} does not run: state {state}")
