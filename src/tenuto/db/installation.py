"""The installation that a database belongs to: one coroutine per public function."""

from tenuto.db.connection.call import Conn, call, call_one, call_value, call_void
from tenuto.model.installation import Installation, OpenWork


async def get_installation(conn: Conn, *, installation: str | None = None, store: str | None = None) -> Installation:
    return await call_one(conn, "get_installation", Installation, installation=installation, store=store)


async def record_store(conn: Conn, *, root: str) -> None:
    await call_void(conn, "record_store", root=root)


async def list_open_work(conn: Conn) -> list[OpenWork]:
    return await call(conn, "list_open_work", OpenWork)


async def adopt_database(
    conn: Conn,
    *,
    installation: str | None = None,
    moved: bool | None = None,
    discard_effects: bool | None = None,
    store: str | None = None,
    own_store: bool | None = None,
    dry_run: bool | None = None,
) -> int:
    return await call_value(
        conn,
        "adopt_database",
        installation=installation,
        moved=moved,
        discard_effects=discard_effects,
        store=store,
        own_store=own_store,
        dry_run=dry_run,
    )
