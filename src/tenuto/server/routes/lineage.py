"""Lineage: what datasets and their columns were computed from, and what was computed from them."""

from typing import Annotated
from uuid import UUID

from pydantic import Field

from tenuto.db import datasets
from tenuto.model.lineage import DEPTH, MAX_DEPTH, Confidence, Direction, Kind, LineageNode, Method
from tenuto.model.permissions import allows
from tenuto.server.http.pagination import PathName, Query
from tenuto.server.http.route_table import RouteTable
from tenuto.server.requests.api import ApiRequest
from tenuto.server.schemas.base import ResponseModel

ROUTES = RouteTable("lineage")

EVERY_DATASET = "datasets:write"  # with it, the caller reads every dataset of the org, as admins do


class LineageQuery(Query):
    """The dataset, and optionally one of its columns and one of its versions."""

    dataset: PathName
    column: PathName | None = None
    version_id: UUID | None = None
    direction: Direction = "both"
    depth: Annotated[int, Field(ge=1, le=MAX_DEPTH)] = DEPTH


class LineageEdgeResponse(ResponseModel):
    """`to` was computed from `from`. `indirect`: its values only decide, as in a filter. `method`: found in the SELECT
    (`sql`), `declared` in the DAG, `reported` by the code, or known from the `inputs` of tasks. `confidence`: `exact`,
    `stated` by a person, or only the `table`. `stale`: it was computed from another version of the dataset."""

    source: str = Field(alias="from")
    to: str
    kind: Kind
    subtype: str | None
    method: Method
    confidence: Confidence
    stale: bool


class LineageResponse(ResponseModel):
    """A graph of dataset versions, or of their columns; `root` is null for a dataset without a version. `truncated`:
    there are more than 10,000 edges in one direction."""

    root: str | None
    nodes: list[LineageNode]
    edges: list[LineageEdgeResponse]
    truncated: bool


@ROUTES.add("GET", "/v1/lineage", permission="lineage:read", response=LineageResponse)
async def get_lineage(request: ApiRequest, query: LineageQuery) -> object:
    """Get what a dataset or a column was computed from, and what was computed from it. A user sees datasets whose
    `read_roles` include one of their roles; with the permission `datasets:write`, which admins have, every dataset of
    the org. All others are left out, and a dataset that cannot be read does not exist (404)."""
    return await request.ask(
        datasets.get_lineage,
        dataset=query.dataset,
        column=query.column,
        version_id=query.version_id,
        up=query.direction != "down",
        down=query.direction != "up",
        depth=query.depth,
        user_id=request.by_user,
        every=allows(request.principal.permissions, EVERY_DATASET),
    )
