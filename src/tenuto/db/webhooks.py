"""Webhooks: one coroutine per public function about them in sql/reactions/."""

from uuid import UUID

from tenuto.db.connection.call import Conn, call_one, json_value
from tenuto.model.json import Json
from tenuto.model.webhooks import ReceivedRequest, Webhook, WebhookKey


async def find_webhook(conn: Conn, *, org_id: UUID, path: str) -> WebhookKey:
    return await call_one(conn, "find_webhook", WebhookKey, org_id=org_id, path=path)


async def receive_webhook(
    conn: Conn, *, org_id: UUID, path: str, rotation: int, key: str, body: Json
) -> ReceivedRequest:
    return await call_one(
        conn,
        "receive_webhook",
        ReceivedRequest,
        org_id=org_id,
        path=path,
        rotation=rotation,
        key=key,
        body=json_value(body),
    )


async def get_webhook(conn: Conn, *, org_id: UUID, dag: str, name: str) -> Webhook:
    return await call_one(conn, "get_webhook", Webhook, org_id=org_id, dag=dag, name=name)


async def rotate_webhook(conn: Conn, *, org_id: UUID, dag: str, name: str) -> Webhook:
    return await call_one(conn, "rotate_webhook", Webhook, org_id=org_id, dag=dag, name=name)
