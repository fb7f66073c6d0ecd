"""Events and what they do to jobs: one coroutine per function of sql/reactions/ that emits, processes or lists
events."""

from uuid import UUID

from tenuto.db.connection.call import Conn, call, call_value, json_or_default
from tenuto.model.events import Event, Reaction, RoutedEffect
from tenuto.model.json import JsonObject


async def route_events(conn: Conn, *, owner: str, ids: list[int], limit: int | None = None) -> list[RoutedEffect]:
    return await call(conn, "route_events", RoutedEffect, owner=owner, ids=ids, limit=limit)


async def emit_event(
    conn: Conn,
    *,
    session_id: int,
    token: UUID,
    task_id: UUID,
    attempt: int,
    output: str,
    data: JsonObject | None = None,
    partition: str | None = None,
    key: str | None = None,
) -> UUID:
    return await call_value(
        conn,
        "emit_event",
        session_id=session_id,
        token=token,
        task_id=task_id,
        attempt=attempt,
        output=output,
        data=json_or_default(data),
        partition=partition,
        key=key,
    )


async def list_events(
    conn: Conn, *, org_id: UUID, dataset: str | None = None, before: UUID | None = None, limit: int | None = None
) -> list[Event]:
    return await call(conn, "list_events", Event, org_id=org_id, dataset=dataset, before=before, limit=limit)


async def list_reactions(
    conn: Conn,
    *,
    org_id: UUID,
    event_id: UUID | None = None,
    dag: str | None = None,
    name: str | None = None,
    after_event: UUID | None = None,
    after_job: UUID | None = None,
    limit: int | None = None,
) -> list[Reaction]:
    return await call(
        conn,
        "list_reactions",
        Reaction,
        org_id=org_id,
        event_id=event_id,
        dag=dag,
        name=name,
        after_event=after_event,
        after_job=after_job,
        limit=limit,
    )
