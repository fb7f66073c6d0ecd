"""Notices in a running process that the functions in its database became those of another Tenuto."""

import asyncio
import logging
from functools import cache

from tenuto.db.connection.call import Conn
from tenuto.db.connection.errors import OtherFunctions
from tenuto.db.connection.pool import ConnectionPool
from tenuto.db.install.sql_tree import read_tree

EVERY = 10.0  # seconds between two looks
INSTALLED = (
    "select (select max(number) from tenuto.migrations),"
    " (select value from tenuto.installation where key = 'interface')"
)

log = logging.getLogger("tenuto.db")


async def wait_for_other_functions(pool: ConnectionPool) -> OtherFunctions:
    """Return once the database no longer has the functions that this code calls, with what to do."""
    while True:
        await asyncio.sleep(EVERY)
        try:
            version, interface = await pool.call(_read)
        except Exception as problem:  # a database that is away is reported by those who need it
            log.debug("the schema version could not be read: %s", problem)
            continue
        latest, expected = await asyncio.to_thread(_expected)
        if interface is not None and interface != expected:
            return OtherFunctions(
                f"another Tenuto migrated the database to version {version:04d}, and its functions are no longer those "
                f"that this process calls (it is made for version {latest:04d}); start the Tenuto that migrated it"
            )


async def _read(conn: Conn) -> tuple[int, str | None]:
    row = await (await conn.execute(INSTALLED)).fetchone()
    return row if row else (0, None)


@cache
def _expected() -> tuple[int, str]:
    tree = read_tree()
    return tree.latest, tree.interface
