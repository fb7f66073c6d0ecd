"""Events that a running attempt of a job emits, authenticated by its token."""

from uuid import UUID

from tenuto.db import events
from tenuto.sdk.values.wire_format import refuse_pickles
from tenuto.server.http.route_table import TASK, RouteTable
from tenuto.server.requests.task import TaskRequest
from tenuto.server.schemas.base import ResponseModel
from tenuto.server.schemas.task_requests import EmitEventRequest

ROUTES = RouteTable("task API")


class EmittedResponse(ResponseModel):
    id: UUID


@ROUTES.add("POST", "/v1/task/events", permission=TASK, response=EmittedResponse)
async def emit_own_event(request: TaskRequest, body: EmitEventRequest) -> object:
    """Emit an event of an output of the job. The jobs that read the output react to it at once, not only when the task
    ends. 429 if the output already has `max_inflight` events that are not handled yet. If the job emitted an event with
    the same `key` before, that event is returned, and no other is emitted."""
    request.check_named(body.task_id, body.attempt)
    refuse_pickles("the data of an event", body.data)
    who = request.principal
    async with request.fenced() as attempt:
        id = await events.emit_event(
            attempt.conn,
            session_id=who.session_id,
            token=attempt.token,
            task_id=who.task_id,
            attempt=who.attempt,
            output=body.output,
            data=body.data,
            partition=body.partition,
            key=body.key,
        )
    return {"id": id}
