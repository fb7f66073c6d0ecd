"""Changes: what happens in the org, as it happens."""

from datetime import datetime
from typing import Annotated, Any, Literal
from uuid import UUID

from fastapi import Query
from fastapi.responses import StreamingResponse

from tenuto.server.change_stream import follower_of, read_place, said_of, seats_of, stream_changes
from tenuto.server.http.routing import RouteTable
from tenuto.server.requests.api import AtDesk
from tenuto.server.schemas.base import ResponseModel

ROUTES = RouteTable("changes")
PERMISSION = "runs:read"
STREAM = "text/event-stream"

After = Annotated[str | None, Query(max_length=1000, description="For those who cannot send Last-Event-ID.")]


class ChangeResponse(ResponseModel):
    """A run that began or ended, an attempt of a task that ended, a worker that came, drained or went."""

    kind: Literal["run", "task", "worker"]
    id: str
    run_id: UUID | None
    status: str
    at: datetime


class ChangesResponse(ResponseModel):
    """Up to 1,000 changes, and what `after` takes to go on."""

    items: list[ChangeResponse]
    next: str


@ROUTES.add("GET", "/v1/changes", permission=PERMISSION, answer=ChangesResponse)
async def follow_changes(desk: AtDesk, after: After = None) -> Any:
    """What changed since a place, or from now on. Who accepts `text/event-stream` gets it as it happens: events
    `change` with the same fields, each with an id; sent back as `Last-Event-ID` the stream goes on there and misses
    nothing, though some may come twice. It ends with an event `end` when the credential is not good any more."""
    said = desk.request.headers.get("last-event-id") or after
    place = read_place(said) if said else None
    if STREAM in desk.request.headers.get("accept", ""):
        seats_of(desk).check(desk.principal.org_id)
        return StreamingResponse(stream_changes(desk, PERMISSION, place), 200, {"X-Accel-Buffering": "no"}, STREAM)
    follower = await follower_of(desk, place)
    found = [said_of(one) for one in await follower.look()]
    return {"items": found, "next": str(follower.place)}
