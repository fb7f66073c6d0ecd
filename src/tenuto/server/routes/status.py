"""The status of the org: counts of tasks, workers and dispatchers."""

from tenuto.db import overview
from tenuto.model.overview import OrgStatus
from tenuto.server.http.route_table import RouteTable
from tenuto.server.requests.api import ApiRequest

ROUTES = RouteTable("status")


@ROUTES.add("GET", "/v1/status", permission="status:read", response=OrgStatus)
async def get_status(request: ApiRequest) -> object:
    """Get the numbers of tasks, workers and side effects in each state, and how many attempts end per second."""
    return await request.read(overview.get_status, installation=request.settings.installation)
