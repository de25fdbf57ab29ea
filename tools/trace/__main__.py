"""``python -m tools.trace``: which requirements does no test prove?

The exit status is 1 when a row is open or a reason is outdated, 2 when a
table, a reason or a test names what is not there.
"""

import pathlib
import sys

from tools.trace import load
from tools.trace import report


def main(root: pathlib.Path = load.ROOT) -> int:
    """Print what stands in a checkout; return the exit status."""
    try:
        trace = load.load(root)
    except ValueError as error:
        print(error, file=sys.stderr)
        return 2
    for line in report.lines(trace):
        print(line)
    return int(bool(trace.open or trace.outdated))


if __name__ == "__main__":
    sys.exit(main())
