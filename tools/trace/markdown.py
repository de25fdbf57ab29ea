"""The tables as a Markdown reader has to see them.

In their files they are plain text in Markdown's form, in which nothing but
back quotes and emphasis means anything: ``<uuid>_disk`` is that, no HTML.
"""

from collections.abc import Iterator
import re

from tools.trace import report
from tools.trace import tables

_CODE = re.compile(r"(`[^`]*`)")
_EMPHASIS = re.compile(
    r"(?<![^\s(])(\*{1,2})(?=\w)([^*|]+?)(?<=[\w.'])\1(?!\w)")
_SPECIAL = re.compile(r"([<>*_\[\]~$])")


def with_status(text: str, table: str, trace: report.Trace) -> Iterator[str]:
    """Yield a file's lines, escaped; rows with an id end with their status.

    :param table: the file's name without its ending.
    """
    numbered = False
    for line in text.splitlines():
        cells = tables.cells(line)
        if not cells:
            numbered = False
            yield line if line.startswith("#") else escaped(line)
            continue
        numbered = numbered or cells[0] == "#"
        shown = [escaped(cell) for cell in cells]
        if numbered:
            shown.append(_last_cell(line, table, trace))
        yield f"| {' | '.join(shown)} |"


def escaped(text: str) -> str:
    """Return text with everything escaped but code and emphasis."""
    return "".join(
        part if part.startswith("`") else _without_markup(part)
        for part in _CODE.split(text))


def _last_cell(line: str, table: str, trace: report.Trace) -> str:
    row = tables.row_id(line)
    if row:
        return escaped(trace.status(tables.RowKey(table, row)))
    return "---" if tables.cells(line)[0].startswith("---") else "Status"


def _without_markup(text: str) -> str:
    pieces = []
    end = 0
    for match in _EMPHASIS.finditer(text):
        marks, inner = match.groups()
        pieces += [_plain(text[end:match.start()]), marks, _plain(inner),
                   marks]
        end = match.end()
    return "".join(pieces) + _plain(text[end:])


def _plain(text: str) -> str:
    return _SPECIAL.sub(r"\\\1", text)
