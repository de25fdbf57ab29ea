"""Which tests are meant, and which of them are left out, with the reason."""

from collections.abc import Iterable, Mapping
import dataclasses
import pathlib
import re
import tomllib
from typing import Any

TABLE = pathlib.Path(__file__).with_name("tests.toml")
SMOKE = pathlib.Path(__file__).with_name("smoke.txt")


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Exclusion:
    """:ivar tests: a regular expression, from the start of a test's name.

    :ivar issue: who makes the entry needless; none if this stack cannot.
    """

    tests: str
    reason: str
    issue: int | None = None


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Selection:
    """:ivar meant: regular expressions, one of which fits."""

    meant: tuple[str, ...]
    excluded: tuple[Exclusion, ...]

    def choose(self, names: Iterable[str]) -> list[str]:
        """Return those that are to be run."""
        return [name for name in names
                if any(re.match(each, name) for each in self.meant)
                and self.why_not(name) is None]

    def why_not(self, name: str) -> Exclusion | None:
        """Return what leaves this test out, or None."""
        return next((each for each in self.excluded
                     if re.match(each.tests, name)), None)


def load() -> Selection:
    """Return ``tests.toml``."""
    with TABLE.open("rb") as file:
        return selection(tomllib.load(file))


def selection(table: Mapping[str, Any]) -> Selection:
    return Selection(
        meant=tuple(table["meant"]),
        excluded=tuple(Exclusion(**each) for each in table["excluded"]))


def smoke(names: Iterable[str]) -> list[str]:
    """Return those that ``smoke.txt`` begins."""
    beginnings = tuple(line for line in SMOKE.read_text().splitlines()
                       if line and not line.startswith("#"))
    return [name for name in names if name.startswith(beginnings)]


def plain(name: str) -> str:
    """Return a test's name without its attributes."""
    return name.partition("[")[0].strip()
