"""The schedules that the workers of an app declare. The latest declaration wins."""

from starlette.responses import Response

from tenuto.db import schedules
from tenuto.sdk.values.wire_format import refuse_pickles
from tenuto.server.http.route_table import WORKER, RouteTable
from tenuto.server.requests.worker import WorkerRequest
from tenuto.server.schemas.worker_claims import PutSchedulesRequest

ROUTES = RouteTable("worker API")


@ROUTES.add("PUT", "/internal/schedules", permission=WORKER, response=None, status=204)
async def put_schedules(request: WorkerRequest, body: PutSchedulesRequest) -> Response:
    """Declare the schedules of the task types in `types`. A schedule of one of these types that is not in the request
    is deleted. The schedules must be in queues of the worker key."""
    for schedule in body.schedules:
        refuse_pickles(f"schedule {schedule.name}", [schedule.input, schedule.details])
    async with request.transaction() as conn:
        changes = await schedules.declare(
            conn,
            org_id=request.principal.org_id,
            types=body.types,
            schedules=[schedule.model_dump() for schedule in body.schedules],
            queues=list(request.principal.queues),
        )
        for change in changes:
            await request.audit(conn, "schedule", change.name, change.action, change.changes)
    return Response(None, 204)
