"""The outbox: side effects that are pending or dead."""

from datetime import datetime
from typing import Annotated, Any, Literal

from pydantic import Field
from starlette.responses import Response

from tenuto.db import monitoring, outbox
from tenuto.model.errors import InvalidInput
from tenuto.server.http.pagination import Filter, page
from tenuto.server.http.route_table import RouteTable
from tenuto.server.requests.api import ApiRequest, Transaction
from tenuto.server.schemas.base import MAX_EXACT_INTEGER, WHOLE, Name, Page, RequestModel, ResponseModel

ROUTES = RouteTable("outbox")

Id = Annotated[int, Field(ge=1, le=MAX_EXACT_INTEGER), WHOLE]


class EffectFilter(Filter):
    """Selects side effects, newest first, before an id."""

    status: Literal["pending", "processing", "done", "dead"] | None = None
    kind: str | None = None
    before: Id | None = None


class EffectResponse(ResponseModel):
    """A side effect outside the database; dead after 20 attempts."""

    id: int
    kind: str
    payload: Any
    status: str
    attempts: int
    available_at: datetime
    last_error: str | None
    created_at: datetime
    processed_at: datetime | None


class ReplayRequest(RequestModel):
    """Selects dead side effects: by id, by kind, or all."""

    ids: Annotated[list[Id], Field(min_length=1, max_length=1000)] | None = None
    kind: Name | None = None
    all: bool = False


class ReplayResponse(ResponseModel):
    ids: list[int]


@ROUTES.add("GET", "/v1/outbox", permission="outbox:read", response=Page[EffectResponse])
async def list_effects(request: ApiRequest, query: EffectFilter) -> Any:
    """List side effects, newest first."""
    return page(await request.ask(monitoring.list_effects, **query.model_dump()), query, "id")


@ROUTES.add("POST", "/v1/outbox/replay", permission="outbox:write", response=ReplayResponse)
async def replay_effects(request: ApiRequest, body: ReplayRequest) -> Response:
    """Retry dead side effects, counting attempts from one."""
    if (body.ids is None and body.kind is None) != body.all:
        raise InvalidInput(
            "the side effects to replay are not selected in one way", 'write "ids": […], "kind": "…" or "all": true'
        )

    async def work(change: Transaction) -> ReplayResponse:
        done = await outbox.replay_effects(change.conn, org_id=change.org_id, ids=body.ids, kind=body.kind)
        await change.note("outbox", body.kind or "dead", "replay", {"effects": {"new": len(done)}})
        return ReplayResponse(ids=done)

    return await request.change(work)
