"""What stands of the requirements."""

from collections.abc import Iterator, Mapping, Sequence
import dataclasses
import itertools

from tools.trace import reasons
from tools.trace import tables


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Trace:
    """All rows, what proves them, and why some are not proved."""

    rows: Mapping[tables.RowKey, tables.Row]
    proofs: Mapping[tables.RowKey, Sequence[str]]
    reasons: Mapping[tables.RowKey, reasons.Reason]

    @property
    def open(self) -> list[tables.Row]:
        """The rows with neither."""
        return [row for key, row in self.rows.items()
                if key not in self.proofs and key not in self.reasons]

    @property
    def excused(self) -> list[tables.RowKey]:
        """The rows that only have a reason."""
        return [key for key in self.reasons if key not in self.proofs]

    @property
    def outdated(self) -> list[tables.RowKey]:
        """The rows that are proved although a reason says never."""
        return [key for key, reason in self.reasons.items()
                if key in self.proofs and reason.later is None]

    def summary(self) -> str:
        """Return the line that sums it up."""
        return (f"{len(self.rows)} rows, {len(self.proofs)} proved, "
                f"{len(self.excused)} with a reason, {len(self.open)} open")

    def status(self, key: tables.RowKey) -> str:
        """Return a row's cell in the support matrix."""
        if key in self.proofs:
            return f"tested ({len(self.proofs[key])})"
        if key not in self.reasons:
            return "open"
        reason = self.reasons[key]
        return f"later: {reason.why}" if reason.later else reason.why


def lines(trace: Trace) -> Iterator[str]:
    """Yield the open rows below their headings, and the summary."""
    for (table, section), rows in itertools.groupby(
            trace.open, key=lambda row: (row.key.table, row.section)):
        yield f"{table}, {section}:"
        for row in rows:
            yield f"    {row.key.row:5} {row.item[:68]}"
    for key in trace.outdated:
        yield f"{key} is proved; its reason in reasons.toml can go"
    yield trace.summary()
