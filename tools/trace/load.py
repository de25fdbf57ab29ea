"""A trace, read from a checkout."""

import pathlib

from tools.trace import evidence
from tools.trace import names
from tools.trace import reasons
from tools.trace import report
from tools.trace import tables

ROOT = pathlib.Path(__file__).parents[2]


def load(root: pathlib.Path = ROOT) -> report.Trace:
    """Return what stands in the checkout at ``root``.

    :raises ValueError: a table, a reason or a test is wrong; the message
        says where.
    """
    directory = root / "doc/source/requirements"
    rows = tables.read(directory)
    known = names.Names(rows)
    return report.Trace(
        rows=rows,
        proofs=evidence.read(root / "tests", known),
        reasons=reasons.read(known, directory / "reasons.toml"))
