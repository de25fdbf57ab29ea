"""Tasks in the order of their needs, side by side where they may be."""

from collections.abc import Callable, Iterable
import concurrent.futures
import dataclasses
import graphlib


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Task:
    """:ivar run: does it, or finds that it is done."""

    name: str
    needs: tuple[str, ...]
    run: Callable[[], None]


def carry_out(tasks: Iterable[Task], workers: int) -> None:
    """Run every task after all that it needs.

    The first failure lets what has begun come to its end, begins nothing
    more, and is raised.

    :raises graphlib.CycleError: tasks need each other.
    :raises KeyError: one needs a task that there is not.
    """
    table = {task.name: task for task in tasks}
    order = graphlib.TopologicalSorter(
        {task.name: task.needs for task in table.values()})
    order.prepare()
    with concurrent.futures.ThreadPoolExecutor(workers) as pool:
        begun: dict[concurrent.futures.Future[None], str] = {}
        while order.is_active():
            for name in order.get_ready():
                begun[pool.submit(table[name].run)] = name
            ended, _ = concurrent.futures.wait(
                begun, return_when=concurrent.futures.FIRST_COMPLETED)
            for future in ended:
                name = begun.pop(future)
                try:
                    future.result()
                except BaseException:
                    pool.shutdown(wait=True, cancel_futures=True)
                    raise
                order.done(name)


def reversed_tasks(tasks: Iterable[Task]) -> list[Task]:
    """Return the tasks so that each waits for all that need it.

    What is needed, but not among them, is left out.
    """
    tasks = tuple(tasks)
    return [dataclasses.replace(task, needs=tuple(
        other.name for other in tasks if task.name in other.needs))
        for task in tasks]
