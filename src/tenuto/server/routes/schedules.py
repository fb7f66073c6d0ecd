"""Schedules: runs that start at given times."""

from typing import Any

from starlette.responses import Response

from tenuto.db import maintenance, reactions, schedules
from tenuto.model.cron import fire_after
from tenuto.model.durations import seconds
from tenuto.model.errors import InvalidInput
from tenuto.model.schedules import Schedule
from tenuto.server.http.pagination import NameFilter, PathName, page
from tenuto.server.http.route_table import RouteTable
from tenuto.server.requests.api import ApiRequest, Transaction
from tenuto.server.schemas import operations as schemas
from tenuto.server.schemas.base import Page
from tenuto.server.schemas.starts import PutScheduleRequest
from tenuto.server.starts.build import StartBuilder, limits_of
from tenuto.server.starts.inputs import refuse_reserved

ROUTES = RouteTable("schedules")


@ROUTES.add("PUT", "/v1/schedules/{name}", permission="schedules:write", response=Schedule)
async def put_schedule(request: ApiRequest, name: PathName, body: PutScheduleRequest) -> Response:
    """Create or change a schedule. Its next time changes only with cron or timezone."""
    refuse_reserved(f"schedule {name}", body.input)
    jitter = seconds(body.jitter, "jitter")
    if jitter > 86_400:
        raise InvalidInput(f"jitter is {body.jitter!r}, longer than a day", "write at most 1d")
    details = {"limits": limits_of(body), "metadata": body.metadata}

    async def work(change: Transaction) -> Schedule:
        put = await reactions.put_schedule(
            change.conn,
            org_id=change.org_id,
            name=name,
            kind=StartBuilder().task(body).kind(),
            input=body.input,
            details={key: value for key, value in details.items() if value} or None,
            cron=body.cron,
            timezone=body.timezone,
            catch_up=body.catch_up,
            jitter_seconds=jitter,
            next_at=fire_after(body.cron, body.timezone, await maintenance.now(change.conn)),
        )
        await change.note("schedule", name, "put", {"cron": {"new": body.cron}, "type": {"new": body.type}})
        return put

    return await request.change(work)


@ROUTES.add("GET", "/v1/schedules", permission="schedules:read", response=Page[Schedule])
async def list_schedules(request: ApiRequest, query: NameFilter) -> Any:
    """List every schedule by name, with its next time."""
    return page(await request.ask(reactions.list_schedules, **query.model_dump()), query, "name")


@ROUTES.add("POST", "/v1/schedules/{name}/pause", permission="schedules:write", response=None, status=204)
async def pause_schedule(request: ApiRequest, name: PathName) -> Response:
    """Pause a schedule: it starts nothing until it is resumed."""
    return await request.audited_call("schedule", name, "pause", reactions.pause_schedule, name=name)


@ROUTES.add("POST", "/v1/schedules/{name}/resume", permission="schedules:write", response=schemas.NextRunResponse)
async def resume_schedule(request: ApiRequest, name: PathName) -> Response:
    """Resume a schedule. Times that passed during the pause are skipped."""

    async def work(change: Transaction) -> schemas.NextRunResponse:
        next_at = await schedules.resume(change.conn, org_id=change.org_id, name=name)
        await change.note("schedule", name, "resume")
        return schemas.NextRunResponse(next_at=next_at)

    return await request.change(work)


@ROUTES.add("DELETE", "/v1/schedules/{name}", permission="schedules:write", response=None, status=204)
async def delete_schedule(request: ApiRequest, name: PathName) -> Response:
    """Delete a schedule. Runs that it started stay."""
    return await request.audited_call("schedule", name, "delete", reactions.delete_schedule, name=name)
