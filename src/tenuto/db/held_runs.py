"""Releases held runs."""

from uuid import UUID

from tenuto.db.connection.call import Conn, call_value


async def release_run(conn: Conn, *, org_id: UUID, run_id: UUID) -> bool:
    return await call_value(conn, "release_run", org_id=org_id, run_id=run_id)
