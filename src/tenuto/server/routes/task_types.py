"""The task types that workers declared or bundles run."""

from tenuto.db import task_types
from tenuto.model.task_types import TaskType, TaskTypeSummary
from tenuto.server.http.pagination import NameFilter, PathName, page
from tenuto.server.http.route_table import RouteTable
from tenuto.server.requests.api import ApiRequest
from tenuto.server.schemas.base import Page

ROUTES = RouteTable("types")


@ROUTES.add("GET", "/v1/types", permission="tasks:read", response=Page[TaskTypeSummary])
async def list_types(request: ApiRequest, query: NameFilter) -> object:
    """List the task types that workers declared or that bundles contain, in the order of their names."""
    return page(await request.call_with(query, task_types.list_task_types), query, "type")


@ROUTES.add("GET", "/v1/types/{type}", permission="tasks:read", response=TaskType)
async def get_type(request: ApiRequest, type: PathName) -> object:
    """Get a task type: the options that its workers declared for its tasks, and the JSON Schema of its arguments."""
    return await request.call(task_types.get_task_type, type=type)
