"""How a text names rows: ``guest-config D1-D3, D6; storage C2 to C4``."""

from collections.abc import Collection, Iterator
import re

from tools.trace import tables

_ID = tables.ROW_ID.pattern
_ITEM = rf"{_ID}(?:\s*(?:-|to\b)\s*{_ID})?"
_BETWEEN = r"(?:\s*[,;]\s*(?:and\s+)?|\s+and\s+)"
_RANGE = re.compile(rf"({_ID})(?:\s*(?:-|to)\s*({_ID}))?")
_PARTS = re.compile(r"([A-Z]+)(\d+)([a-z]?)")

#: Tests may say "placement" for short.
SHORT = {"placement": "placement-reporting"}


class UnknownRow(ValueError):
    """A text names a row that no table has; the message says which."""


class Names:
    """Finds the rows that texts name.

    :param rows: the rows there are, in the order in which ranges count.
    """

    def __init__(self, rows: Collection[tables.RowKey]) -> None:
        self._rows = list(rows)
        known = {key.table for key in self._rows}
        self._full = {name: name for name in known} | {
            short: full for short, full in SHORT.items() if full in known}
        words = "|".join(sorted(map(re.escape, self._full),
                                key=len, reverse=True))
        self._list = re.compile(
            rf"(?<![\w-])({words})(?:\.md)?:?\s+"
            rf"({_ITEM}(?:{_BETWEEN}{_ITEM})*)(?!\w)")

    def found(self, text: str) -> Iterator[tables.RowKey]:
        """Yield each row the text names.

        :raises UnknownRow: no table has it.
        """
        for match in self._list.finditer(text):
            table = self._full[match.group(1)]
            yield from self.listed(table, match.group(2))

    def listed(self, table: str, items: str) -> Iterator[tables.RowKey]:
        """Yield the rows of one table that a list such as "D1-D3, D6" names.

        :raises UnknownRow: the table has it not.
        """
        for match in _RANGE.finditer(items):
            first, last = match.groups()
            yield from self._range(table, first, last or first)

    def _range(self, table: str, first: str, last: str,
               ) -> Iterator[tables.RowKey]:
        for end in (first, last):
            if tables.RowKey(table, end) not in self._rows:
                raise UnknownRow(f"{table} has no row {end}")
        low, high = _order(first), _order(last)
        if low[0] != high[0] or low > high:
            raise UnknownRow(f"{table} {first}-{last} is no range")
        for key in self._rows:
            if key.table == table and low <= _order(key.row) <= high:
                yield key


def _order(row: str) -> tuple[str, int, str]:
    match = _PARTS.fullmatch(row)
    assert match is not None
    letters, number, variant = match.groups()
    return letters, int(number), variant
