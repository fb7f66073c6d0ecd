"""Webhooks of jobs: receives signed requests that start tasks, and shows and rotates the secrets of webhooks."""

from hashlib import sha256
from typing import Annotated
from uuid import UUID

from pydantic import Field
from starlette.responses import JSONResponse, Response

from tenuto.db import audit, webhooks
from tenuto.db.connection.pool import transaction_for
from tenuto.model.deliveries import SIGNATURE_HEADER, TIMESTAMP_HEADER
from tenuto.model.json import JsonObject
from tenuto.model.webhook_secrets import check_signature, webhook_secrets
from tenuto.model.webhooks import Webhook
from tenuto.server.http.pagination import PathName
from tenuto.server.http.request import HttpRequest, check_json
from tenuto.server.http.route_table import PUBLIC, RequestHeader, RouteTable
from tenuto.server.requests.api import ApiRequest, Transaction
from tenuto.server.schemas.base import ResponseModel

ROUTES = RouteTable("webhooks")
JSON = "application/json"
TEXT: JsonObject = {"type": "string"}


class WebhookResponse(ResponseModel):
    """The webhook of a job: the path of its endpoint, and the secret that signs requests."""

    org_id: UUID
    dag: str
    job: str
    path: str
    job_key: UUID
    rotation: int
    url_path: str
    secret: str


class ReceivedResponse(ResponseModel):
    """The task that a request started; `created` is false if the same request has arrived before."""

    task_id: UUID
    created: bool


@ROUTES.add(
    "POST",
    "/v1/webhooks/{org_id}/{webhook_path}",
    permission=PUBLIC,
    refuses=(401, 404, 409, 413, 415, 422, 429),
    response=ReceivedResponse,
    status=202,
    takes=JSON,
    headers=(
        RequestHeader(TIMESTAMP_HEADER, "The time of the request: seconds since 1970.", TEXT, required=True),
        RequestHeader(SIGNATURE_HEADER, "`v1=` and the HMAC-SHA-256 of TIMESTAMP.BODY, in hex.", TEXT, required=True),
    ),
)
async def receive_webhook(
    request: HttpRequest, org_id: UUID, webhook_path: Annotated[str, Field(min_length=1, max_length=256)]
) -> Response:
    """Start a task of the job whose webhook has this path, with the JSON body of the request. The headers
    Tenuto-Timestamp and Tenuto-Signature sign the body, in the same way as in deliveries. A request that is sent again
    starts no second task."""
    settings, path = request.server.settings, f"/{webhook_path}"
    async with transaction_for(request.server.pool, org_id, timeout=settings.statement_seconds) as conn:
        key = await webhooks.find_webhook(conn, org_id=org_id, path=path)
    signed = request.headers.get(SIGNATURE_HEADER)
    secrets = webhook_secrets(org_id, key, settings.peppers)
    body = await request.body()
    check_signature(secrets, request.headers.get(TIMESTAMP_HEADER), signed, body)
    check_json(request)
    content = await request.json()
    async with transaction_for(request.server.pool, org_id, timeout=settings.statement_seconds) as conn:
        received = await webhooks.receive_webhook(
            conn,
            org_id=org_id,
            path=path,
            rotation=key.rotation,
            key=sha256(str(signed).encode()).hexdigest(),
            body=content,
        )
        if received.created:
            origin = request.origin()
            await audit.write_audit(
                conn,
                org_id=org_id,
                entity="run",
                entity_id=str(received.task_id),
                action="start",
                actor_kind="system",
                actor_id=f"webhook {path}",
                ip=origin.ip,
                user_agent=origin.user_agent,
                request_id=origin.request_id,
            )
    result = {"task_id": str(received.task_id), "created": received.created}
    return JSONResponse(result, 202 if received.created else 200)


@ROUTES.add("GET", "/v1/jobs/{dag}/{name}/webhook", permission="jobs:write", response=WebhookResponse)
async def get_webhook(request: ApiRequest, dag: PathName, name: PathName) -> object:
    """Get the path and the secret of the webhook of a job."""
    return _shown(request, await request.call(webhooks.get_webhook, dag=dag, name=name))


@ROUTES.add(
    "POST", "/v1/jobs/{dag}/{name}/webhook/rotate", permission="jobs:write", response=WebhookResponse, repeatable=False
)
async def rotate_webhook(request: ApiRequest, dag: PathName, name: PathName) -> Response:
    """Replace the secret of a job's webhook. From now on, requests that are signed with the old secret are refused. An
    Idempotency-Key has no effect here."""

    async def work(change: Transaction) -> WebhookResponse:
        webhook = await webhooks.rotate_webhook(change.conn, org_id=change.org_id, dag=dag, name=name)
        await change.audit("job", f"{dag}/{name}", "rotate_webhook")
        return _shown(request, webhook)

    return await request.change(work)


def _shown(request: ApiRequest, webhook: Webhook) -> WebhookResponse:
    secret = webhook_secrets(webhook.org_id, webhook, request.settings.peppers)[0]
    return WebhookResponse(
        org_id=webhook.org_id,
        dag=webhook.dag,
        job=webhook.job,
        path=webhook.path,
        job_key=webhook.job_key,
        rotation=webhook.rotation,
        url_path=webhook.url_path,
        secret=secret,
    )
