"""OpenLineage events: one coroutine per public function about them."""

from uuid import UUID

from psycopg.types.json import Jsonb

from tenuto.db.connection.call import Conn, call_one, call_value
from tenuto.model.lineage_facts import AttemptSubject, DatasetSubject, JobSubject, LineageFacts, QueuedEvent


async def emit_running(conn: Conn, *, limit: int | None = None, keys: list[str] | None = None) -> int:
    return await call_value(conn, "emit_running", limit=limit, keys=keys)


async def get_lineage_facts(
    conn: Conn, *, org_id: UUID, subject: AttemptSubject | JobSubject | DatasetSubject, event: QueuedEvent
) -> LineageFacts:
    return await call_one(
        conn, "get_lineage_facts", LineageFacts, org_id=org_id, subject=Jsonb(subject), event=Jsonb(event)
    )
