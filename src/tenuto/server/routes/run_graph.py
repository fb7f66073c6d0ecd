"""A run as a graph and as a timeline."""

from typing import Annotated
from uuid import UUID

from pydantic import Field

from tenuto.db import run_graph
from tenuto.model.run_graph import RunAttempt, RunGraphNode
from tenuto.server.http.pagination import Query
from tenuto.server.http.route_table import RouteTable
from tenuto.server.requests.api import ApiRequest
from tenuto.server.schemas.base import Items

ROUTES = RouteTable("runs")


class GraphQuery(Query):
    """How many tasks to return at most."""

    limit: Annotated[int, Field(ge=1, le=2000)] = 1000


class AttemptQuery(Query):
    """How many attempts to return at most."""

    limit: Annotated[int, Field(ge=1, le=5000)] = 1000


@ROUTES.add("GET", "/v1/runs/{run_id}/graph", permission="tasks:read", response=Items[RunGraphNode])
async def get_run_graph(request: ApiRequest, run_id: UUID, query: GraphQuery) -> object:
    """Get the tasks of a run with their states and the tasks that they depend on."""
    return {"items": await request.call_with(query, run_graph.get_run_graph, run_id=run_id)}


@ROUTES.add("GET", "/v1/runs/{run_id}/attempts", permission="tasks:read", response=Items[RunAttempt])
async def list_run_attempts(request: ApiRequest, run_id: UUID, query: AttemptQuery) -> object:
    """List the attempts of all tasks of a run in the order in which they began: when and where each ran."""
    return {"items": await request.call_with(query, run_graph.list_run_attempts, run_id=run_id)}
