"""Limits on how many tasks run at a time, and rates of how many start per period: list, get, set, reset."""

from typing import Annotated, Literal

from pydantic import Field
from starlette.responses import Response

from tenuto.db import monitoring, task_types
from tenuto.model.queues import LimitStatus
from tenuto.server.http.pagination import Filter
from tenuto.server.http.route_table import RouteTable
from tenuto.server.requests.api import ApiRequest, Transaction
from tenuto.server.schemas.base import Page
from tenuto.server.schemas.operations import SetLimitRequest

ROUTES = RouteTable("limits")

Scope = Literal["key", "queue", "rate"]
ConcurrencyScope = Literal["key", "queue"]
Key = Annotated[str, Field(max_length=1024)]


class LimitFilter(Filter):
    """Selects limits in the order of scope and key. `scope`: only limits of this scope. `after`: the last limit of the
    previous page as `scope:key`."""

    scope: Scope | None = None
    after: Annotated[str, Field(pattern="^(key|queue|rate):", max_length=1100)] | None = None

    def params(self) -> dict[str, object]:
        """Return the parameters of the SQL function."""
        scope, _, key = self.after.partition(":") if self.after else (None, None, None)
        return {"scope": self.scope, "after_scope": scope, "after_key": key, "limit": self.limit}


@ROUTES.add("GET", "/v1/limits", permission="queues:read", response=Page[LimitStatus])
async def list_limits(request: ApiRequest, query: LimitFilter) -> object:
    """List the limits of the org. Each has the number of tasks that use it and of tasks that wait for it, both counted
    up to 10,000. A limit that no task used for a day is deleted."""
    items = await request.call_with(query, monitoring.list_limits)
    last = f"{items[-1].scope}:{items[-1].key}" if len(items) == query.limit else None
    return {"items": items, "next": last}


@ROUTES.add("GET", "/v1/limits/{scope}/{key}", permission="queues:read", response=LimitStatus)
async def get_limit(request: ApiRequest, scope: Scope, key: Key) -> object:
    """Get a limit by its scope and key."""
    return await request.call(monitoring.get_limit, scope=scope, key=key)


@ROUTES.add("PUT", "/v1/limits/{scope}/{key}", permission="queues:write", response=None, status=204)
async def set_limit(request: ApiRequest, scope: ConcurrencyScope, key: Key, body: SetLimitRequest) -> Response:
    """Override the size of a concurrency limit. Until the limit is reset, workers, jobs, deploys and starts do not
    change its size. The limit of a job has the scope `key` and the key `job:{job_key}`."""

    async def work(change: Transaction) -> None:
        await task_types.set_limit(change.conn, org_id=change.org_id, scope=scope, key=key, size=body.size)
        await change.audit("limit", f"{scope}:{key}"[:1024], "set", {"size": {"new": body.size}})

    return await request.change(work, status=204)


@ROUTES.add("DELETE", "/v1/limits/{scope}/{key}", permission="queues:write", response=None, status=204)
async def reset_limit(request: ApiRequest, scope: ConcurrencyScope, key: Key) -> Response:
    """Remove the override of a limit. Its size is then the size that workers declare, or else the size that the next
    start declares."""
    entity = f"{scope}:{key}"[:1024]
    return await request.audited_call("limit", entity, "reset", task_types.reset_limit, scope=scope, key=key)
