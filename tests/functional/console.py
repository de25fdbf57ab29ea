"""What the guest has said on its serial console."""

import base64
import dataclasses
import json
import time

PREFIX = "NCD-GUEST "


@dataclasses.dataclass(frozen=True)
class Fact:
    """One line: what it is about, its words, and those of them name=value.
    """

    what: str
    text: str

    def __getitem__(self, name):
        return dict(word.split("=", 1) for word in self.text.split()
                    if "=" in word)[name]


class Console:
    """A guest's console log.

    :param path: of the log that virtlogd writes.
    """

    def __init__(self, path):
        self._path = path

    def facts(self, what=None):
        """Return the facts so far, of one kind or of all."""
        try:
            text = self._path.read_bytes().decode(errors="replace")
        except FileNotFoundError:
            return []
        found = [_fact(line) for line in text.replace("\r", "").split("\n")
                 if line.startswith(PREFIX)]
        return [fact for fact in found if what in (None, fact.what)]

    def fact(self, what, **values):
        """Return the only fact of a kind with these values."""
        (found,) = [fact for fact in self.facts(what)
                    if all(fact[name] == value
                           for name, value in values.items())]
        return found

    def wait_for(self, what, seconds=90, count=1):
        """Return the newest fact of a kind once there are ``count``."""
        deadline = time.monotonic() + seconds
        while len(found := self.facts(what)) < count:
            if time.monotonic() > deadline:
                raise AssertionError(
                    f"the guest did not say '{what}' in {seconds} s; it said "
                    f"{[f'{f.what} {f.text}' for f in self.facts()]}")
            time.sleep(0.1)
        return found[-1]

    def json(self, name):
        """Return a JSON file of the config drive."""
        fact = self.fact("config-drive-json", name=name)
        return json.loads(fact.text.split("content=", 1)[1])

    def user_data(self):
        return base64.b64decode(self.fact("user-data")["base64"])


def _fact(line):
    what, _, text = line.removeprefix(PREFIX).partition(" ")
    return Fact(what, text)
