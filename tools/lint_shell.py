"""``python -m tools.lint_shell``: shellcheck on scripts, bashate on bash's.

A script is a tracked file that begins with a shell's ``#!`` or, where it is
only sourced, has a line ``# shellcheck shell=``.
"""

import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).parents[1]
SCRIPT = re.compile(
    r"\A#!.*\b(?P<run>(ba)?sh)$|^# shellcheck shell=(?P<sourced>\w+)",
    re.MULTILINE)
SHELLCHECK = ("shellcheck", "--external-sources")
# E005: what is only sourced has neither "#!" nor ".sh".
BASHATE = ("bashate", "--ignore=E005")


def scripts() -> dict[str, str]:
    """Return each script's shell by its path in the repository."""
    tracked = subprocess.run(
        ["git", "ls-files", "-z"], cwd=ROOT, check=True, text=True,
        stdout=subprocess.PIPE).stdout.split("\0")
    found = {path: _shell(ROOT / path) for path in tracked if path}
    return {path: shell for path, shell in found.items() if shell}


def _shell(path: pathlib.Path) -> str | None:
    if path.suffix == ".py" or not path.is_file():
        return None
    try:
        match = SCRIPT.search(path.read_text())
    except UnicodeDecodeError:
        return None
    return match and (match["run"] or match["sourced"])


def main() -> int:
    """Return the exit status: 0 if no linter complains."""
    found = scripts()
    bash = [path for path, shell in found.items() if shell == "bash"]
    return int(any([
        subprocess.run([*SHELLCHECK, *found], cwd=ROOT).returncode,
        subprocess.run([*BASHATE, *bash], cwd=ROOT).returncode]))


if __name__ == "__main__":
    sys.exit(main())
