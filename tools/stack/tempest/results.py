"""What came out, and what came out with the in-tree driver."""

import collections
from collections.abc import Mapping
import pathlib

RECORD = pathlib.Path(__file__).with_name("recorded.txt")
PASSED, FAILED, SKIPPED = "pass", "fail", "skip"
Results = dict[str, str]


def read(path: pathlib.Path) -> Results:
    """Return {test: what came out} of a file of such lines."""
    if not path.exists():
        return {}
    pairs = (line.split() for line in path.read_text().splitlines()
             if line and not line.startswith("#"))
    return {name: outcome for outcome, name in pairs}


def write(path: pathlib.Path, results: Mapping[str, str],
          heading: str = "") -> None:
    lines = [heading] if heading else []
    lines += [f"{results[name]} {name}" for name in sorted(results)]
    path.write_text("\n".join(lines) + "\n")


def worse(here: Mapping[str, str],
          there: Mapping[str, str]) -> dict[str, str]:
    """Return {test: why it counts against this driver}.

    A failure does not where the in-tree driver failed as well; a skip does
    where it passed.
    """
    found = {}
    for name, outcome in sorted(here.items()):
        recorded = there.get(name)
        if outcome == FAILED and recorded != FAILED:
            found[name] = ("passes with the in-tree driver"
                           if recorded == PASSED else "has no record")
        elif outcome == SKIPPED and recorded == PASSED:
            found[name] = "was skipped, and passes with the in-tree driver"
    return found


def summary(here: Mapping[str, str], there: Mapping[str, str]) -> str:
    """Return lines for a person."""
    counts = collections.Counter(here.values())
    lines = [f"{counts[PASSED]} passed, {counts[FAILED]} failed, "
             f"{counts[SKIPPED]} skipped",
             f"{len(here.keys() & there.keys())} of {len(here)} have a "
             "record of the in-tree driver"]
    lines += [f"    {name}: {why}"
              for name, why in worse(here, there).items()]
    better = [name for name, outcome in sorted(here.items())
              if outcome == PASSED and there.get(name) == FAILED]
    lines += [f"    {name}: passes here, fails with the in-tree driver"
              for name in better]
    return "\n".join(lines)
