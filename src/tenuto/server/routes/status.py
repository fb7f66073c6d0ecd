"""The status of the org: counts of tasks, workers and dispatchers."""

from typing import Any

from tenuto.db import monitoring
from tenuto.server.http.route_table import RouteTable
from tenuto.server.requests.api import ApiRequest
from tenuto.server.schemas.operations import StatusResponse

ROUTES = RouteTable("status")


@ROUTES.add("GET", "/v1/status", permission="status:read", response=StatusResponse)
async def get_status(request: ApiRequest) -> Any:
    """Get the number of tasks in each state, and of workers."""
    return await request.ask(monitoring.get_overview)
