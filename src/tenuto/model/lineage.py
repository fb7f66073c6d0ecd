"""Lineage: from which columns of a job's inputs a column of its output is computed."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from tenuto.model.errors import InvalidInput
from tenuto.model.json import JsonObject
from tenuto.model.statuses import LineageConfidence, LineageKind, LineageMethodName

Direction = Literal["up", "down", "both"]

DEPTH, MAX_DEPTH = 10, 50  # over how many steps lineage is followed
MAX_SOURCES = 10_000  # maximum number per output
MAX_NAME_BYTES = 256
# How the output is computed from a column; the words are those of OpenLineage, in lower case.
SUBTYPES = (
    "identity", "transformation", "aggregation",
    "join", "group_by", "filter", "sort", "window", "conditional",
)  # fmt: skip


@dataclass(frozen=True, order=True)
class ColumnSource:
    """A column of an input (`field`) from which a column of the output is computed. If `column` is None, this applies
    to all columns of the output, as with a filter. If `field` is None, the column of the input is unknown. `kind` is
    `direct` if the output contains values of the column, and `indirect` if the values of the column only decide which
    other values are used."""

    column: str | None
    input: int
    field: str | None
    kind: LineageKind = "direct"
    subtype: str | None = None


@dataclass(frozen=True)
class OutputLineage:
    """The lineage of one output: how it was found (`method`), how reliable it is (`confidence`), and its source
    columns."""

    method: LineageMethodName
    confidence: LineageConfidence
    columns: Sequence[ColumnSource] = ()

    def json(self) -> JsonObject:
        """Return the lineage in the format of a publication."""
        return {
            "method": self.method,
            "confidence": self.confidence,
            "columns": [
                {
                    "column": source.column,
                    "input": source.input,
                    "field": source.field,
                    "kind": source.kind,
                    "subtype": source.subtype,
                }
                for source in self.columns
            ],
        }


def stated_lineage(
    columns: Mapping[str, str | Iterable[str]], inputs: Mapping[str, int], method: LineageMethodName
) -> OutputLineage:
    """Return the lineage that a DAG or a task states: `{"total": ["orders.amount", "rates"]}`. `inputs`: the numbers of
    the inputs by name. An input without a column, such as `rates`, means an unknown column of that input. Raises
    InvalidInput for an unknown input or too many sources."""
    sources = {
        _stated(column, written, inputs)
        for column, listed in columns.items()
        for written in ([listed] if isinstance(listed, str) else listed)
    }
    if len(sources) > MAX_SOURCES:
        raise InvalidInput(f"the lineage of an output has {len(sources):,} sources", f"write up to {MAX_SOURCES:,}")
    ordered = sorted(sources, key=lambda source: (source.column or "", source.input, source.field or ""))
    return OutputLineage(method, "stated", ordered)


def _stated(column: str, written: str, inputs: Mapping[str, int]) -> ColumnSource:
    name, _, field = written.partition(".")
    if name not in inputs:
        known = ", ".join(inputs) or "none"
        message = f"the lineage of {column:.80} names {written!r:.200}, which is not an input"
        raise InvalidInput(message, f"write INPUT.COLUMN; the inputs are {known}")
    for text in (column, field):
        if len(text.encode()) > MAX_NAME_BYTES:
            message = f"the column name {text[:80]!r}… has more than {MAX_NAME_BYTES} bytes"
            raise InvalidInput(message, "write a shorter name")
    return ColumnSource(column, inputs[name], field or None)
