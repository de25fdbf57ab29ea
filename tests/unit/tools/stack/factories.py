"""Values that the tests of the stack start from."""


from tools.stack import settings


def stack(state="/stack", **chosen):
    return settings.from_environment({"STACK": str(state)} | chosen)


def names(**more):
    """Return a value for all that ``services.toml`` may name."""
    made = stack()
    return {name: str(getattr(made, name))
            for name in ("state", "venv", "etc", "run", "log", "data")} | {
        "driver_digest": "d1"} | more


class Digests(dict):
    """A digest for every directory."""

    def __missing__(self, name):
        return f"digest-of-{name}"


