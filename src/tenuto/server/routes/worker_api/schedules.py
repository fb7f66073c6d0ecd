"""The schedules of an app, declared by its workers: the latest declaration wins."""

from starlette.responses import Response

from tenuto.db import maintenance, reactions, runs
from tenuto.db.connection.call import Conn
from tenuto.model.audit import diff
from tenuto.model.cron import fire_after
from tenuto.model.errors import Forbidden
from tenuto.model.principals import WorkerKeyPrincipal
from tenuto.model.schedules import Schedule
from tenuto.server.http.route_table import WORKER, RouteTable
from tenuto.server.requests.worker import WorkerRequest
from tenuto.server.schemas.worker_claims import PutSchedulesRequest, ScheduleDeclaration
from tenuto.server.starts.inputs import refuse_pickles

ROUTES = RouteTable("worker API")


@ROUTES.add("PUT", "/internal/schedules", permission=WORKER, response=None, status=204)
async def put_schedules(request: WorkerRequest, body: PutSchedulesRequest) -> Response:
    """Declare schedules. A schedule of one of `types` that is not listed is deleted. Only for queues of the worker
    key."""
    who, wanted = request.principal, {one.name: one for one in body.schedules}
    named = {*body.types, *wanted}
    for one in body.schedules:
        refuse_pickles(f"schedule {one.name}", [one.input, one.details])
    async with request.transaction() as conn:
        found = [one for one in await _all_schedules(conn, who) if one.name in named]
        schedules = [await _pinned(conn, who, one) for one in body.schedules]
        for one in [*found, *schedules]:
            _check_queue(who, one)
        now = await maintenance.now(conn)
        for one in schedules:
            said = one.model_dump()
            next_at = fire_after(one.cron, one.timezone, now)
            new = vars(await reactions.put_schedule(conn, org_id=who.org_id, **said, next_at=next_at))
            old = next((vars(old) for old in found if old.name == one.name), {})
            changes = diff({field: old.get(field) for field in said}, {field: new[field] for field in said})
            if changes:  # a worker that starts again makes none
                await request.note(conn, "schedule", one.name, "put", changes)
        for one in found:
            if one.name not in wanted:
                await reactions.delete_schedule(conn, org_id=who.org_id, name=one.name)
                await request.note(conn, "schedule", one.name, "delete", {"cron": {"old": one.cron}})
    return Response(None, 204)


async def _pinned(conn: Conn, who: WorkerKeyPrincipal, schedule: ScheduleDeclaration) -> ScheduleDeclaration:
    """Returns the schedule with its present queue set, so that a key bound to some queues stays within them if the type
    is declared for another queue later."""
    kind = schedule.kind
    if "*" in who.queues or "queue" in kind or not kind.get("inherit"):
        return schedule
    declared = await runs.get_declared_kind(conn, org_id=who.org_id, type=str(kind.get("type", ""))) or {}
    return schedule.model_copy(update={"kind": {**kind, "queue": declared.get("queue", "default")}})


async def _all_schedules(conn: Conn, who: WorkerKeyPrincipal) -> list[Schedule]:
    found: list[Schedule] = []
    while page := await reactions.list_schedules(conn, org_id=who.org_id, after=found[-1].name if found else None):
        found += page
    return found


def _check_queue(who: WorkerKeyPrincipal, schedule: Schedule | ScheduleDeclaration) -> None:
    queue = schedule.kind.get("queue", "default")
    if "*" not in who.queues and queue not in who.queues:
        raise Forbidden(
            f"schedule {schedule.name} is for queue {queue}, and the worker key is not",
            f"it is for {', '.join(who.queues)}",
        )
