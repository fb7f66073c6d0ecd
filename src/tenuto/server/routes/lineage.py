"""Lineage: from which data a dataset or a column was computed, and which data was computed from it."""

from typing import Annotated
from uuid import UUID

from pydantic import Field

from tenuto.db import datasets
from tenuto.model.lineage import DEPTH, MAX_DEPTH, Direction
from tenuto.model.lineage_graph import LineageGraph
from tenuto.server.http.pagination import PathName, Query
from tenuto.server.http.route_table import RouteTable
from tenuto.server.requests.api import ApiRequest

ROUTES = RouteTable("lineage")

EVERY_DATASET = "datasets:write"  # a caller with this permission can read every dataset of the org, as admins can


class LineageQuery(Query):
    """The dataset, and optionally one of its columns and one of its versions."""

    dataset: PathName
    column: PathName | None = None
    version_id: UUID | None = None
    direction: Direction = "both"
    depth: Annotated[int, Field(ge=1, le=MAX_DEPTH)] = DEPTH


@ROUTES.add("GET", "/v1/lineage", permission="lineage:read", response=LineageGraph)
async def get_lineage(request: ApiRequest, query: LineageQuery) -> object:
    """Get the datasets or columns from which a dataset or a column was computed, and the datasets or columns that were
    computed from it. A user sees only datasets whose `read_roles` include one of the user's roles. A caller with the
    permission `datasets:write`, which admins have, sees every dataset of the org. Datasets that the caller cannot read
    are omitted from the result; a request for such a dataset gets 404."""
    return await request.call(
        datasets.get_lineage,
        dataset=query.dataset,
        column=query.column,
        version_id=query.version_id,
        up=query.direction != "down",
        down=query.direction != "up",
        depth=query.depth,
        user_id=request.by_user,
        every=EVERY_DATASET in request.principal.permissions,
    )
