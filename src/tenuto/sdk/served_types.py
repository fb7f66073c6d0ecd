"""Checks whether a type is known: a worker has declared or served it, or a bundle contains it. If not, suggests a
similar type."""

from uuid import UUID

from tenuto.db import runs
from tenuto.db.connection.call import Conn
from tenuto.model.tasks import ServedType
from tenuto.sdk.suggestions import nearest


async def check_type(conn: Conn, *, org_id: UUID, type: str) -> ServedType:
    """Return whether a worker has ever declared or served the type, or a bundle contains it; if not, also the most
    similar type."""
    if not await runs.list_unknown_types(conn, org_id=org_id, types=[type]):
        return ServedType(type, served=True, similar=None)
    return ServedType(type, served=False, similar=nearest(type, await runs.list_types(conn, org_id=org_id)))
