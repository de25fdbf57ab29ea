"""Why rows are not proved: ``doc/source/requirements/reasons.toml``."""

from collections.abc import Mapping
import dataclasses
import pathlib
import tomllib
from typing import Any

from tools.trace import names
from tools.trace import tables

_WANTED = {"table", "rows", "why"}


class MalformedReason(ValueError):
    """An entry that cannot be used; the message says which and why."""


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Reason:
    """Why some rows are not proved.

    :ivar later: what will prove them ("issue 5"); None if nothing will.
    """

    why: str
    later: str | None = None


def read(known: names.Names, path: pathlib.Path,
         ) -> dict[tables.RowKey, Reason]:
    """Return the reason of each row that has one.

    :raises MalformedReason: an entry lacks a part, names a row that no
        table has, or one that another entry names.
    """
    with path.open("rb") as file:
        entries = tomllib.load(file).get("reason", [])
    found: dict[tables.RowKey, Reason] = {}
    for entry in entries:
        reason = _reason(entry)
        try:
            keys = list(known.listed(entry["table"], entry["rows"]))
        except names.UnknownRow as error:
            raise MalformedReason(f"{path.name}: {error}") from None
        for key in keys:
            if key in found:
                raise MalformedReason(f"{path.name}: {key} has two reasons")
            found[key] = reason
    return found


def _reason(entry: Mapping[str, Any]) -> Reason:
    if not (set(entry) >= _WANTED and set(entry) <= _WANTED | {"later"}
            and all(str(entry[part]).strip() for part in entry)):
        raise MalformedReason(
            f"a reason has table, rows, why and maybe later, not {entry}")
    return Reason(why=" ".join(entry["why"].split()),
                  later=entry.get("later"))
