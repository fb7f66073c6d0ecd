"""Destinations of the org's effects. A secret is shown once."""

from typing import Annotated

from pydantic import Field
from starlette.responses import Response

from tenuto.db import outbox
from tenuto.model.deliveries import check_destination_url, encrypt_secret, make_secret
from tenuto.model.outbox import Destination
from tenuto.server.http.pagination import Filter, page
from tenuto.server.http.route_table import RouteTable
from tenuto.server.requests.api import ApiRequest, Transaction
from tenuto.server.schemas.base import Name, Page, RequestModel, ResponseModel

ROUTES = RouteTable("destinations")


class DestinationFilter(Filter):
    after: str | None = None


class PutDestinationRequest(RequestModel):
    url: Annotated[str, Field(min_length=1, max_length=2048)]
    openlineage: bool = False


class DestinationSecretResponse(ResponseModel):
    """`secret` signs the deliveries. It is null unless it is new, and is shown only in this response."""

    name: str
    secret: str | None


@ROUTES.add("GET", "/v1/destinations", permission="outbox:read", response=Page[Destination])
async def list_destinations(request: ApiRequest, query: DestinationFilter) -> object:
    """List the destinations of effects by name."""
    return page(await request.call_with(query, outbox.list_destinations), query, "name")


@ROUTES.add(
    "PUT", "/v1/destinations/{name}", permission="outbox:write", response=DestinationSecretResponse, repeatable=False
)
async def put_destination(request: ApiRequest, name: Name, body: PutDestinationRequest) -> Response:
    """Declare where effects with this destination are delivered: a URL, `mailto:ADDRESS`, or `command:NAME` for a
    command that the dispatchers declare. With `openlineage`, the OpenLineage events of the org are delivered there, and
    no effects. An existing destination keeps its secret. An Idempotency-Key has no effect here."""
    check_destination_url(body.url, openlineage=body.openlineage)
    secret = make_secret()

    async def work(change: Transaction) -> DestinationSecretResponse:
        stored = encrypt_secret(secret, change.org_id, name, request.settings.peppers)
        is_new = await outbox.put_destination(
            change.conn,
            org_id=change.org_id,
            name=name,
            url=body.url,
            secret=stored,
            openlineage=body.openlineage,
        )
        await change.audit("destination", name, "set", {"url": {"new": body.url}})
        return DestinationSecretResponse(name=name, secret=secret if is_new else None)

    return await request.change(work)


@ROUTES.add(
    "POST",
    "/v1/destinations/{name}/rotate",
    permission="outbox:write",
    response=DestinationSecretResponse,
    repeatable=False,
)
async def rotate_destination(request: ApiRequest, name: Name) -> Response:
    """Replace the secret of a destination: the next delivery is signed with the new one."""
    secret = make_secret()

    async def work(change: Transaction) -> DestinationSecretResponse:
        stored = encrypt_secret(secret, change.org_id, name, request.settings.peppers)
        await outbox.rotate_destination(change.conn, org_id=change.org_id, name=name, secret=stored)
        await change.audit("destination", name, "rotate")
        return DestinationSecretResponse(name=name, secret=secret)

    return await request.change(work)


@ROUTES.add("DELETE", "/v1/destinations/{name}", permission="outbox:write", response=None, status=204)
async def delete_destination(request: ApiRequest, name: Name) -> Response:
    """Delete a destination. Effects for it that are not delivered yet fail until the destination is declared again."""
    return await request.audited_call("destination", name, "delete", outbox.delete_destination, name=name)
