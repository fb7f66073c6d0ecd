"""The graph that `GET /v1/lineage` returns: dataset versions, or their columns, and what was computed from what."""

from dataclasses import dataclass
from typing import Annotated
from uuid import UUID

from pydantic import Field

from tenuto.model.lineage import Confidence, Kind, Method


@dataclass(frozen=True)
class LineageNode:
    """A dataset version, or a column of it; `id` is that of the version, followed by the column."""

    id: str
    dataset: str
    version: UUID
    column: str | None
    dag: str
    current: bool


@dataclass(frozen=True)
class LineageEdge:
    """`to` was computed from `source`, which JSON calls `from`. `kind` is `indirect` if the values of the source only
    decide which values are used, as in a filter. `method`: found in the SELECT (`sql`), `declared` in the DAG,
    `reported` by the code, or known from the `inputs` of tasks. `confidence`: `exact`, `stated` in the DAG or by the
    code, or only the `table`. `stale`: it was computed from another version of the dataset than the node shows."""

    source: Annotated[str, Field(alias="from")]
    to: str
    kind: Kind
    subtype: str | None
    method: Method
    confidence: Confidence
    stale: bool = False


@dataclass(frozen=True)
class LineageGraph:
    """A graph of dataset versions, or of their columns, around `root`, which is None for a dataset without a version.
    `truncated`: there are more than 10,000 edges in one direction."""

    root: str | None
    nodes: list[LineageNode]
    edges: list[LineageEdge]
    truncated: bool
