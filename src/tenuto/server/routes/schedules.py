"""Schedules: runs that start at given times."""

from starlette.responses import Response

from tenuto.db import maintenance, reactions, schedules
from tenuto.model.cron import fire_after
from tenuto.model.durations import Duration, seconds
from tenuto.model.errors import InvalidInput
from tenuto.model.json import Json
from tenuto.model.schedules import Schedule, ScheduleUpdate
from tenuto.sdk.client.start_request import StartRequest
from tenuto.sdk.task_reference import as_json
from tenuto.sdk.values.wire_format import dump, refuse_reserved
from tenuto.server.http.pagination import NameFilter, PathName, page
from tenuto.server.http.route_table import RouteTable
from tenuto.server.requests.api import ApiRequest, Transaction
from tenuto.server.schemas import operations as schemas
from tenuto.server.schemas.base import Page
from tenuto.server.schemas.starts import PutScheduleRequest
from tenuto.server.starts.build import StartBuilder, limits_of

ROUTES = RouteTable("schedules")


@ROUTES.add("PUT", "/v1/schedules/{name}", permission="schedules:write", response=Schedule)
async def put_schedule(request: ApiRequest, name: PathName, body: PutScheduleRequest) -> Response:
    """Create or change a schedule. Its next time changes only if `cron` or `timezone` changes. The input is checked
    against the JSON Schema that a worker declared for the type."""
    refuse_reserved(f"schedule {name}", body.input)
    await _check_input(request, body.type, body.input)
    jitter = _jitter(body.jitter)
    details = {"limits": limits_of(body), "metadata": body.metadata}

    async def work(change: Transaction) -> Schedule:
        put = await reactions.put_schedule(
            change.conn,
            org_id=change.org_id,
            name=name,
            kind=StartBuilder().task(body).kind,
            input=body.input,
            details={key: value for key, value in details.items() if value} or None,
            cron=body.cron,
            timezone=body.timezone,
            catch_up=body.catch_up,
            jitter_seconds=jitter,
            next_at=fire_after(body.cron, body.timezone, await maintenance.now(change.conn)),
        )
        await change.audit("schedule", name, "put", {"cron": {"new": body.cron}, "type": {"new": body.type}})
        return put

    return await request.change(work)


async def _check_input(request: ApiRequest, type: str, input: Json) -> None:
    """Raises InvalidInput for an input that a start of the type would refuse."""
    start = StartRequest({}, [{"type": type}], [dump(input)], as_json)
    await request.http.server.input_checks.check(request, [start], [type])


def _jitter(value: Duration) -> float:
    jitter = seconds(value, "jitter")
    if jitter > 86_400:
        raise InvalidInput(f"jitter is {value!r}, longer than a day", "write at most 1d")
    return jitter


@ROUTES.add("GET", "/v1/schedules", permission="schedules:read", response=Page[Schedule])
async def list_schedules(request: ApiRequest, query: NameFilter) -> object:
    """List all schedules by name, each with its next time."""
    return page(await request.call_with(query, reactions.list_schedules), query, "name")


@ROUTES.add("GET", "/v1/schedules/{name}", permission="schedules:read", response=Schedule)
async def get_schedule(request: ApiRequest, name: PathName) -> object:
    """Get a schedule, with its next time."""
    return await request.call(reactions.get_schedule, name=name)


@ROUTES.add("PATCH", "/v1/schedules/{name}", permission="schedules:write", response=Schedule)
async def update_schedule(request: ApiRequest, name: PathName, body: schemas.UpdateScheduleRequest) -> Response:
    """Change the times, the input or the metadata of a schedule. Fields that are not sent stay the same. Its next time
    changes only if `cron` or `timezone` changes. To change the options of its tasks, send the whole schedule with
    PUT."""
    refuse_reserved(f"schedule {name}", body.input)
    if body.input is not None:
        schedule = await request.call(reactions.get_schedule, name=name)
        await _check_input(request, str(schedule.kind["type"]), body.input)
    changes = ScheduleUpdate(
        cron=body.cron,
        timezone=body.timezone,
        catch_up=body.catch_up,
        jitter_seconds=None if body.jitter is None else _jitter(body.jitter),
        input=body.input,
        metadata=body.metadata,
    )

    async def work(change: Transaction) -> Schedule:
        old, new = await schedules.update(change.conn, org_id=change.org_id, name=name, changes=changes)
        await change.audit("schedule", name, "update", changes.audited(old))
        return new

    return await request.change(work)


@ROUTES.add("POST", "/v1/schedules/{name}/pause", permission="schedules:write", response=None, status=204)
async def pause_schedule(request: ApiRequest, name: PathName) -> Response:
    """Pause a schedule: it starts nothing until it is resumed."""
    return await request.audited_call("schedule", name, "pause", reactions.pause_schedule, name=name)


@ROUTES.add("POST", "/v1/schedules/{name}/resume", permission="schedules:write", response=schemas.NextRunResponse)
async def resume_schedule(request: ApiRequest, name: PathName) -> Response:
    """Resume a schedule. Times that passed during the pause are skipped."""

    async def work(change: Transaction) -> schemas.NextRunResponse:
        next_at = await schedules.resume(change.conn, org_id=change.org_id, name=name)
        await change.audit("schedule", name, "resume")
        return schemas.NextRunResponse(next_at=next_at)

    return await request.change(work)


@ROUTES.add("POST", "/v1/schedules/{name}/run", permission="schedules:write", response=schemas.FiredScheduleResponse)
async def run_schedule(request: ApiRequest, name: PathName) -> Response:
    """Start a run of a schedule now, even if it is paused. Its next time stays the same."""

    async def work(change: Transaction) -> schemas.FiredScheduleResponse:
        run_id = await reactions.fire_schedule_now(change.conn, org_id=change.org_id, name=name)
        await change.audit("schedule", name, "fire", {"run": {"new": str(run_id)}})
        return schemas.FiredScheduleResponse(run_id=run_id)

    return await request.change(work)


@ROUTES.add("DELETE", "/v1/schedules/{name}", permission="schedules:write", response=None, status=204)
async def delete_schedule(request: ApiRequest, name: PathName) -> Response:
    """Delete a schedule. Runs that it started stay."""
    return await request.audited_call("schedule", name, "delete", reactions.delete_schedule, name=name)
