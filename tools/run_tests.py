"""``python -m tools.run_tests unit|functional [pattern]``: run by stestr.

Ends with a line that says how many passed and failed.
"""

import os
import pathlib
import re
import subprocess
import sys

# Functional tests share the host and its memory.
WORKERS = {"unit": max(2, os.cpu_count() or 2), "functional": 1}


def main(kind: str, *pattern: str) -> int:
    """Return the exit status: 0 if every test passed and there was one."""
    # Each kind its own records: root's cannot be written by another user.
    records = pathlib.Path("build", "stestr", kind)
    records.mkdir(parents=True, exist_ok=True)
    command = [sys.executable, "-m", "stestr", "--test-path",
               f"./tests/{kind}", "--top-dir", ".",
               "--repo-url", str(records), "run",
               "--concurrency", str(WORKERS[kind]), *pattern]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    counts = {}
    assert process.stdout is not None
    for line in process.stdout:
        print(line, end="", flush=True)
        match = re.match(r" - (Passed|Skipped|Failed): (\d+)", line)
        if match:
            counts[match.group(1)] = int(match.group(2))
    status = process.wait()
    passed, failed, skipped = (
        counts.get(name, 0) for name in ("Passed", "Failed", "Skipped"))
    print(f"{passed} passed, {failed} failed, {skipped} skipped", flush=True)
    return status or int(passed == 0)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
