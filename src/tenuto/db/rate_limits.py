"""Token buckets of the API's rate limits: one coroutine per public function about them in sql/identity/."""

from uuid import UUID

from tenuto.db.connection.call import Conn, call_one
from tenuto.model.identity import Tokens


async def take_tokens(
    conn: Conn,
    *,
    org_id: UUID,
    buckets: list[str],
    rates: list[float],
    bursts: list[float],
    cost: float | None = None,
) -> Tokens:
    return await call_one(
        conn, "take_tokens", Tokens, org_id=org_id, buckets=buckets, rates=rates, bursts=bursts, cost=cost
    )
