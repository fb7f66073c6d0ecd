"""A run as a graph and as a timeline: one coroutine per function in sql/monitoring/."""

from uuid import UUID

from tenuto.db.connection.call import Conn, call
from tenuto.model.run_graph import RunAttempt, RunGraphNode


async def get_run_graph(conn: Conn, *, org_id: UUID, run_id: UUID, limit: int | None = None) -> list[RunGraphNode]:
    return await call(conn, "get_run_graph", RunGraphNode, org_id=org_id, run_id=run_id, limit=limit)


async def list_run_attempts(conn: Conn, *, org_id: UUID, run_id: UUID, limit: int | None = None) -> list[RunAttempt]:
    return await call(conn, "list_run_attempts", RunAttempt, org_id=org_id, run_id=run_id, limit=limit)
