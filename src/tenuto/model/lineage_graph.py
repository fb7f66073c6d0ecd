"""The graph that `GET /v1/lineage` returns. Its nodes are dataset versions or their columns; its edges say which was
computed from which."""

from dataclasses import dataclass
from typing import Annotated
from uuid import UUID

from pydantic import Field

from tenuto.model.statuses import LineageConfidence, LineageKind, LineageMethodName


@dataclass(frozen=True)
class LineageNode:
    """A dataset version, or a column of it. `id` is the id of the version, followed by the column."""

    id: str
    dataset: str
    version: UUID
    column: str | None
    dag: str
    current: bool


@dataclass(frozen=True)
class LineageEdge:
    """`to` was computed from `source`, whose name in JSON is `from`. `kind` is `indirect` if the values of the source
    only decide which values are used, as in a filter. `method` is how the edge was found: in the SELECT (`sql`),
    `declared` in the DAG, `reported` by the code, or from the `inputs` of tasks. `confidence` is `exact`; `stated` by
    the DAG or the code; or `table` if only the tables are known. `stale`: the data was computed from another version of
    the dataset than the one in the node."""

    source: Annotated[str, Field(alias="from")]
    to: str
    kind: LineageKind
    subtype: str | None
    method: LineageMethodName
    confidence: LineageConfidence
    stale: bool = False


@dataclass(frozen=True)
class LineageGraph:
    """A graph of dataset versions, or of their columns, around the node `root`. `root` is None for a dataset without a
    version. `truncated`: there are more than 10,000 edges in one direction, and the edges after the first 10,000 are
    omitted."""

    root: str | None
    nodes: list[LineageNode]
    edges: list[LineageEdge]
    truncated: bool
