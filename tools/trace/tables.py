"""The requirement rows that the tables in Markdown hold."""

from collections.abc import Iterator
import dataclasses
import pathlib
import re

ROW_ID = re.compile(r"[A-Z]{1,2}\d+[a-z]?")
_CELL_EDGE = re.compile(r"(?<!\\)\|")


class MalformedTable(ValueError):
    """A table that cannot be read; the message names file and line."""


@dataclasses.dataclass(frozen=True, slots=True, order=True)
class RowKey:
    """What a row is called: its table's file name, and its id in there."""

    table: str
    row: str

    def __str__(self) -> str:
        return f"{self.table} {self.row}"


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One requirement.

    :ivar section: the heading it stands under.
    :ivar item: its first cell behind the id.
    """

    key: RowKey
    section: str
    item: str


def read(directory: pathlib.Path) -> dict[RowKey, Row]:
    """Return every row, in the order of the files and in them.

    :raises MalformedTable: an id stands twice, or no row was found.
    """
    rows: dict[RowKey, Row] = {}
    for path in sorted(directory.glob("*.md")):
        for row in _rows(path):
            if row.key in rows:
                raise MalformedTable(f"{path.name}: {row.key.row} is twice")
            rows[row.key] = row
    if not rows:
        raise MalformedTable(f"{directory}: no table holds a row")
    return rows


def cells(line: str) -> list[str]:
    """Return the cells of a table's line; none if it is no such line."""
    stripped = line.strip()
    if not stripped.startswith("|") or not stripped.endswith("|"):
        return []
    return [cell.strip() for cell in _CELL_EDGE.split(stripped)[1:-1]]


def row_id(line: str) -> str | None:
    """Return the id a table's line begins with, if it has one."""
    first, *others = cells(line) or [""]
    return first if others and ROW_ID.fullmatch(first) else None


def _rows(path: pathlib.Path) -> Iterator[Row]:
    section = ""
    for line in path.read_text().splitlines():
        if line.startswith("#"):
            section = line.lstrip("#").strip()
        found = row_id(line)
        if found:
            yield Row(key=RowKey(path.stem, found), section=section,
                      item=cells(line)[1])
