"""``python -m tests.benchmarks``: measure the driver on this host.

Wants libvirt with QEMU, which it starts where it does not run, and the rights
to make files its guests can read (root, mostly).
"""

import argparse
import os
import pathlib
import sys
import traceback

from tests.benchmarks import report
from tests.benchmarks import spawn
from tests.functional.services import libvirt as libvirt_service


def main() -> None:
    arguments = _arguments()
    print(f"{arguments.rounds} rounds; the log is {arguments.log}",
          flush=True)
    with libvirt_service.Libvirt():
        rows = spawn.run(arguments.uri, arguments.rounds,
                         arguments.together, arguments.log)
    report.write(rows, arguments.output)
    print(report.table(rows), *report.aims(*rows), sep="\n", flush=True)


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m tests.benchmarks", description=__doc__)
    parser.add_argument("--rounds", type=int, default=12,
                        help="of each contender (default: 12)")
    parser.add_argument("--together", type=int, default=10,
                        help="guests made at once (default: 10)")
    parser.add_argument("--uri", default="qemu:///system")
    parser.add_argument("--output", type=pathlib.Path,
                        default=pathlib.Path("build/bench.json"))
    parser.add_argument("--log", type=pathlib.Path,
                        default=pathlib.Path("build/bench.log"))
    return parser.parse_args()


if __name__ == "__main__":
    try:
        main()
    except BaseException:
        traceback.print_exc()
        status = 1
    else:
        status = 0
    libvirt_service.stop()
    sys.stdout.flush()
    sys.stderr.flush()
    # The in-tree driver's threads never end, and Python would wait for them.
    os._exit(status)
