"""The outbox: side effects that are pending or dead."""

from typing import Annotated, Literal

from pydantic import Field
from starlette.responses import Response

from tenuto.db import monitoring, outbox
from tenuto.model.errors import InvalidInput
from tenuto.model.json import JsonObject
from tenuto.model.outbox import EffectSummary, PublishedEffect, replay_subject
from tenuto.sdk.values.wire_format import refuse_pickles
from tenuto.server.http.pagination import Filter, page
from tenuto.server.http.route_table import RouteTable
from tenuto.server.requests.api import ApiRequest, Transaction
from tenuto.server.schemas.base import MAX_EXACT_INTEGER, WHOLE, EffectKey, Name, Page, RequestModel, ResponseModel

ROUTES = RouteTable("outbox")

Id = Annotated[int, Field(ge=1, le=MAX_EXACT_INTEGER), WHOLE]


class EffectFilter(Filter):
    """Selects side effects, newest first. `before`: the last id of the previous page."""

    status: Literal["pending", "processing", "done", "dead"] | None = None
    kind: str | None = None
    before: Id | None = None


class PublishEffectRequest(RequestModel):
    """`payload` is `{"destination": …, "body": …}`. An effect with a `key` is published only once."""

    kind: Literal["deliver"]
    payload: JsonObject
    key: EffectKey | None = None


class ReplayRequest(RequestModel):
    """Selects dead side effects by `ids` or by `kind`, or all of them."""

    ids: Annotated[list[Id], Field(min_length=1, max_length=1000)] | None = None
    kind: Name | None = None
    all: bool = False


class ReplayResponse(ResponseModel):
    ids: list[int]


@ROUTES.add("GET", "/v1/outbox", permission="outbox:read", response=Page[EffectSummary])
async def list_effects(request: ApiRequest, query: EffectFilter) -> object:
    """List side effects, newest first."""
    effects = await request.call_with(query, monitoring.list_effects)
    return page([effect.summary() for effect in effects], query, "id")


@ROUTES.add("POST", "/v1/outbox", permission="outbox:write", response=PublishedEffect, status=201)
async def publish_effect(request: ApiRequest, body: PublishEffectRequest) -> Response:
    """Publish a side effect. If an effect with the same `key` was published before, the first effect is returned, with
    `created` false."""
    refuse_pickles("the payload of an effect", body.payload)

    async def work(change: Transaction) -> PublishedEffect:
        effect = await outbox.publish_effect(
            change.conn, org_id=change.org_id, kind=body.kind, payload=body.payload, key=body.key
        )
        if effect.created:
            await change.audit("effect", effect.id, "publish", {"kind": {"new": body.kind}})
        return effect

    return await request.change(work, status=lambda effect: 201 if effect.created else 200)


@ROUTES.add("POST", "/v1/outbox/replay", permission="outbox:write", response=ReplayResponse)
async def replay_effects(request: ApiRequest, body: ReplayRequest) -> Response:
    """Retry dead side effects. Their attempts are counted from one again."""
    if (body.ids is None and body.kind is None) != body.all:
        raise InvalidInput(
            "the side effects to replay must be selected in exactly one way",
            'write "ids": […], "kind": "…" or "all": true',
        )

    async def work(change: Transaction) -> ReplayResponse:
        done = await outbox.replay_effects(change.conn, org_id=change.org_id, ids=body.ids, kind=body.kind)
        await change.audit("outbox", replay_subject(body.ids, body.kind), "replay", {"effects": {"new": len(done)}})
        return ReplayResponse(ids=done)

    return await request.change(work)
