"""Stores a bundle as a whole (its row, types and parts in one transaction), and reads its bytes part by part."""

from collections.abc import AsyncIterator, Awaitable, Callable
from typing import BinaryIO
from uuid import UUID

from tenuto.db import bundles
from tenuto.db.connection.call import Conn
from tenuto.model.bundles import Bundle

PART_BYTES = 1 << 20


async def upload_bundle(
    conn: Conn, *, org_id: UUID, bundle: Bundle, file: BinaryIO, sha256: str, size: int, created_by: str
) -> bool:
    """Store a verified bundle in the caller's transaction. Return False if it already existed."""
    new = await bundles.put_bundle(
        conn, org_id=org_id, sha256=sha256, manifest=bundle.manifest, size=size, created_by=created_by
    )
    file.seek(0)
    no = 0
    while new and (data := file.read(PART_BYTES)):
        await bundles.put_bundle_part(conn, org_id=org_id, sha256=sha256, no=no, data=data)
        no += 1
    return new


async def parts_of(get_part: Callable[[int], Awaitable[bytes | None]]) -> AsyncIterator[bytes]:
    """Yields the bytes of a bundle. `get_part` returns the part with a number, from 0, or None after the last part."""
    no = 0
    while part := await get_part(no):
        yield bytes(part)
        no += 1
