"""``python -m tools.stack.tempest all|smoke [record]``, or a regex.

Runs in the stack's virtual environment, on the stack that is up.  ``record``
puts what comes out into ``recorded.txt``; only with the in-tree driver.
"""

import os
import pathlib
import re
import subprocess
import sys

import subunit
import testtools

from tools.stack import settings as settings_module
from tools.stack.tempest import results
from tools.stack.tempest import selection
from tools.stack.tempest import workspace

CONCURRENCY = "2"
OUTCOMES = {"success": results.PASSED, "xfail": results.PASSED,
            "skip": results.SKIPPED}
HEADING = ("# What comes out with DRIVER=libvirt.LibvirtDriver; "
           "\"make tempest RECORD=record\" writes it.")


def main(which: str = "all", record: str = "") -> int:
    """Return the exit status: 0 unless this driver does worse."""
    settings = settings_module.from_environment(os.environ)
    directory = workspace.make(settings)
    chosen = _chosen(which, workspace.tests(directory))
    print(f"tempest: {len(chosen)} tests on {settings.driver}", flush=True)
    here = _run(directory, chosen)
    if record:
        if settings.driver != "libvirt.LibvirtDriver":
            sys.exit("record: only with DRIVER=libvirt.LibvirtDriver")
        results.write(results.RECORD,
                      results.read(results.RECORD) | here, HEADING)
    there = results.read(results.RECORD)
    results.write(directory / "results.txt", here)
    print(f"\n{results.summary(here, there)}\n"
          f"Results: {directory}/results.txt, {directory}/results.subunit")
    return int(not here or bool(results.worse(here, there)))


def _chosen(which: str, names: list[str]) -> list[str]:
    table = selection.load()
    match which:
        case "all":
            return table.choose(names)
        case "smoke":
            return table.choose(selection.smoke(names))
    return table.choose(name for name in names if re.search(which, name))


def _run(directory: pathlib.Path, chosen: list[str]) -> results.Results:
    """Run the tests, their progress shown, and return what came out."""
    load_list = directory / "chosen.txt"
    load_list.write_text("\n".join(chosen) + "\n")
    subprocess.run(
        ["tempest", "run", "--config-file", str(directory / "tempest.conf"),
         "--load-list", str(load_list), "--concurrency", CONCURRENCY],
        cwd=directory, check=False)
    stream = directory / "results.subunit"
    with stream.open("wb") as file:
        subprocess.run(["stestr", "last", "--subunit"], cwd=directory,
                       check=False, stdout=file)
    return _outcomes(stream)


def _outcomes(stream: pathlib.Path) -> results.Results:
    found: results.Results = {}

    def take(test: dict[str, object]) -> None:
        name = selection.plain(str(test["id"]))
        outcome = OUTCOMES.get(str(test["status"]), results.FAILED)
        found[name] = outcome

    sink = testtools.StreamToDict(take)
    sink.startTestRun()
    with stream.open("rb") as file:
        subunit.ByteStreamToStreamResult(file).run(sink)
    sink.stopTestRun()
    return found


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
