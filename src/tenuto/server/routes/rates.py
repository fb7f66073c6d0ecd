"""Rates: how much ended over time and how long it took, for the org and by task type."""

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
    """The last `limit` minutes (kept for 3 hours), hours (8 days) or days (90 days), of one task type or all."""

    period: Literal["minute", "hour", "day"] = "minute"
    limit: Limit = 60
    type: Annotated[str, Field(max_length=256)] | None = None


class ActivityQuery(Query):
    """Selects how many types to return."""

    limit: Limit = 50


@ROUTES.add("GET", "/v1/rates", permission="status:read", response=Items[ActivityRate])
async def list_rates(request: ApiRequest, query: RateQuery) -> object:
    """List how many attempts ended in each minute, hour or day, oldest first, and how long they took and waited."""
    return {"items": await request.call_with(query, counts.list_rates)}


@ROUTES.add("GET", "/v1/activity", permission="status:read", response=Items[TypeActivity])
async def list_type_activity(request: ApiRequest, query: ActivityQuery) -> object:
    """List task types, busiest first: their open tasks, and the ends, errors and run times of the last day."""
    return {"items": await request.call_with(query, counts.list_type_activity)}
