"""Rates: how many attempts ended over time and how long they took, for the org and by task type."""

from typing import Annotated, Literal

from pydantic import Field

from tenuto.db import counts
from tenuto.model.counts import ActivityRate
from tenuto.model.queues import TypeActivity
from tenuto.server.http.pagination import Limit, Query
from tenuto.server.http.route_table import RouteTable
from tenuto.server.requests.api import ApiRequest
from tenuto.server.schemas.base import Items

ROUTES = RouteTable("status")


class RateQuery(Query):
    """Selects the last `limit` minutes (kept for 3 hours), hours (kept for 8 days) or days (kept for 90 days), of one
    task type or of all."""

    period: Literal["minute", "hour", "day"] = "minute"
    limit: Limit = 60
    type: Annotated[str, Field(max_length=256)] | None = None


class ActivityQuery(Query):
    """`limit`: how many types to return."""

    limit: Limit = 50


@ROUTES.add("GET", "/v1/rates", permission="status:read", response=Items[ActivityRate])
async def list_rates(request: ApiRequest, query: RateQuery) -> object:
    """List how many attempts ended in each minute, hour or day, oldest first, with how long they ran and how long they
    waited before. Periods in which no attempt ended are omitted."""
    return {"items": await request.call_with(query, counts.list_rates)}


@ROUTES.add("GET", "/v1/activity", permission="status:read", response=Items[TypeActivity])
async def list_type_activity(request: ApiRequest, query: ActivityQuery) -> object:
    """List task types, busiest first. Each has the number of its unfinished tasks, and how many attempts ended and
    failed in the last day and how long they ran."""
    return {"items": await request.call_with(query, counts.list_type_activity)}
