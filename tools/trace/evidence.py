"""Which tests name which rows.

A row counts as named where a test says so: in the docstring of a test
method, in that of a class that has some, or in a string of a table of cases
that holds nothing but names.  A module's docstring says what a file is about
and proves nothing.
"""

import ast
from collections.abc import Iterator
import pathlib
import re

from tools.trace import names
from tools.trace import tables


def read(directory: pathlib.Path, known: names.Names,
         ) -> dict[tables.RowKey, list[str]]:
    """Return the tests that name each row, as ``file:line``.

    :raises names.UnknownRow: a test names a row that no table has.
    """
    proofs: dict[tables.RowKey, list[str]] = {}
    for path in sorted(directory.rglob("*.py")):
        for line, text in texts(ast.parse(path.read_text())):
            place = f"{path.relative_to(directory.parent)}:{line}"
            for key in _found(known, text, place):
                proofs.setdefault(key, []).append(place)
    return proofs


def texts(module: ast.Module) -> Iterator[tuple[int, str]]:
    """Yield line and text of every place in which a test names rows."""
    docstrings = set()
    for node in ast.walk(module):
        if not isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef)):
            continue
        docstring = _docstring(node)
        if docstring is None:
            continue
        docstrings.add(docstring)
        if _is_test(node):
            yield docstring.lineno, docstring.value
    for node in ast.walk(module):
        if (isinstance(node, ast.Constant) and isinstance(node.value, str)
                and node not in docstrings and _only_names(node.value)):
            yield node.lineno, node.value


def _docstring(node: ast.Module | ast.ClassDef | ast.FunctionDef,
               ) -> ast.Constant | None:
    first = node.body[0] if node.body else None
    if (isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant)
            and isinstance(first.value.value, str)):
        return first.value
    return None


def _is_test(node: ast.AST) -> bool:
    if isinstance(node, ast.ClassDef):
        return any(_is_test(child) for child in node.body)
    return (isinstance(node, ast.FunctionDef)
            and node.name.startswith("test"))


def _only_names(text: str) -> bool:
    return re.fullmatch(
        r"([a-z-]+\s+[A-Z]{1,2}\d[\w\s,-]*)(;\s*[a-z-]+\s+[A-Z]{1,2}\d"
        r"[\w\s,-]*)*\.?", text) is not None


def _found(known: names.Names, text: str, place: str,
           ) -> Iterator[tables.RowKey]:
    try:
        yield from set(known.found(text))
    except names.UnknownRow as error:
        raise names.UnknownRow(f"{place}: {error}") from None
