"""The numbers as a table and as a file."""

from collections.abc import Sequence
import dataclasses
import json
import pathlib


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """Medians in seconds."""

    name: str
    floor: float
    ours: float
    in_tree: float

    @property
    def ratio(self) -> float:
        """Ours over the floor."""
        return self.ours / self.floor

    @property
    def share(self) -> float:
        """Our time above the floor over the in-tree driver's."""
        return (self.ours - self.floor) / (self.in_tree - self.floor)


def table(rows: Sequence[Row]) -> str:
    """Return one line a row, in milliseconds."""
    width = max(len(row.name) for row in rows)
    head = (f"{'milliseconds':{width}}  floor   ours  in-tree  ours/floor"
            "  above floor: ours  in-tree  share")
    return "\n".join([head, *(
        f"{row.name:{width}} {row.floor * 1000:6.0f} {row.ours * 1000:6.0f}"
        f"  {row.in_tree * 1000:7.0f}  {row.ratio:10.2f}"
        f"  {(row.ours - row.floor) * 1000:17.0f}"
        f"  {(row.in_tree - row.floor) * 1000:7.0f}  {row.share:5.2f}"
        for row in rows)])


def aims(one: Row, many: Row) -> list[str]:
    """Return what is aimed at and whether it was reached, a line each."""
    return [f"{'reached' if reached else 'MISSED '}  {aim}"
            for reached, aim in (
        (one.ours - one.floor <= 0.1, "one: at most 100 ms above the floor"),
        (one.share <= 0.1, "one: above the floor at most a tenth of the "
                           "in-tree driver's"),
        (many.ratio <= 1.2, "many: at most 1.2 of the floor"))]


def write(rows: Sequence[Row], path: pathlib.Path) -> None:
    """Write a list of {"name", "floor", "ours", "in_tree"}, in seconds."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(
        [dataclasses.asdict(row) for row in rows], indent=2) + "\n")
