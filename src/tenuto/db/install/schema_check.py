"""Detects in a running process that another version of Tenuto replaced the functions in its database."""

import asyncio
import logging
from functools import cache

from tenuto.db.connection.call import Conn
from tenuto.db.connection.errors import OtherFunctions
from tenuto.db.connection.pool import ConnectionPool
from tenuto.db.install.sql_tree import read_tree

EVERY = 10.0  # seconds between two checks
INSTALLED = (
    "select (select max(number) from tenuto.migrations),"
    " (select value from tenuto.installation where key = 'interface')"
)

log = logging.getLogger("tenuto.db")


async def wait_for_other_functions(pool: ConnectionPool) -> OtherFunctions:
    """Return once the database no longer has the functions that this code calls, with an error that says what to do."""
    while True:
        await asyncio.sleep(EVERY)
        try:
            version, interface = await pool.call(_read)
        except Exception as problem:  # outages are reported by the code that needs the database
            log.debug("the schema version could not be read: %s", problem)
            continue
        latest, expected = await asyncio.to_thread(_expected)
        if interface is not None and interface != expected:
            return OtherFunctions(
                f"another Tenuto migrated the database to version {version:04d}, and its functions no longer "
                f"match this process (made for version {latest:04d}); start the Tenuto that migrated it"
            )


async def _read(conn: Conn) -> tuple[int, str | None]:
    row = await (await conn.execute(INSTALLED)).fetchone()
    return row if row else (0, None)


@cache
def _expected() -> tuple[int, str]:
    tree = read_tree()
    return tree.latest, tree.interface
