"""The stream of changes of the org."""

from datetime import datetime
from typing import Annotated
from uuid import UUID

from pydantic import Field
from starlette.responses import StreamingResponse

from tenuto.model.statuses import ChangeKind, ChangeStatus
from tenuto.server.change_stream import change_fields, follower_of, read_cursor, seats_of, stream_changes
from tenuto.server.http.route_table import RequestHeader, RouteTable
from tenuto.server.requests.api import ApiRequest
from tenuto.server.schemas.base import ResponseModel

ROUTES = RouteTable("changes")
PERMISSION = "runs:read"
STREAM = "text/event-stream"
LAST_EVENT_ID = RequestHeader(
    "Last-Event-ID", "The id of the last event that the client received.", {"type": "string", "maxLength": 1000}
)

After = Annotated[
    str | None,
    Field(max_length=1000, description="Cursor to continue from, for clients that cannot send Last-Event-ID."),
]


class ChangeResponse(ResponseModel):
    """A run that was created or ended, an attempt that ended, or a worker that registered, drained or terminated."""

    kind: ChangeKind
    id: str
    run_id: UUID | None
    status: ChangeStatus
    at: datetime


class ChangesResponse(ResponseModel):
    """Up to 1,000 changes. `next`: the value of `after` for the request that continues after them."""

    items: list[ChangeResponse]
    next: str


@ROUTES.add(
    "GET",
    "/v1/changes",
    permission=PERMISSION,
    response=ChangesResponse,
    headers=(LAST_EVENT_ID,),
    responses={200: {"content": {STREAM: {"schema": {"type": "string"}}}}},
)
async def follow_changes(request: ApiRequest, after: After = None) -> object:
    """List the changes after a cursor, or from now on. Changes older than 30 days are not returned. With `Accept:
    text/event-stream` the response is a stream of `change` events with the same fields. Each event has an id. A client
    that reconnects sends the last id it received as `Last-Event-ID`: it misses no change, but may get some changes
    twice. The stream ends with an `end` event when the credential is no longer valid."""
    last = request.http.headers.get("last-event-id") or after
    cursor = read_cursor(last) if last else None
    if STREAM in request.http.headers.get("accept", ""):
        seats_of(request).check(request.principal.org_id)
        return StreamingResponse(stream_changes(request, PERMISSION, cursor), 200, {"X-Accel-Buffering": "no"}, STREAM)
    follower = await follower_of(request, cursor)
    return {"items": [change_fields(change) for change in await follower.poll()], "next": str(follower.cursor)}
