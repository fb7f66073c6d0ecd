"""Search by name or id: one coroutine for the function in sql/monitoring/."""

from uuid import UUID

from tenuto.db.connection.call import Conn, call
from tenuto.model.search import SearchResult


async def search_names(
    conn: Conn, *, org_id: UUID, text: str, kinds: list[str], limit: int | None = None
) -> list[SearchResult]:
    return await call(conn, "search_names", SearchResult, org_id=org_id, text=text, kinds=kinds, limit=limit)
