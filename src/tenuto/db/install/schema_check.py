"""Detects in a running process that another version of Tenuto has replaced the SQL functions."""

import asyncio
import logging

from tenuto.db.connection.call import Conn
from tenuto.db.connection.errors import OtherFunctions
from tenuto.db.connection.pool import ConnectionPool
from tenuto.db.install.interface import Interface, parse_interface
from tenuto.db.install.migrations import FUNCTIONS
from tenuto.db.install.sql_tree import read_tree

EVERY = 10.0  # seconds between two checks
INSTALLED = (
    "select (select max(number) from tenuto.migrations),"
    " (select value from tenuto.installation where key = 'interface')"
)

log = logging.getLogger("tenuto.db")


async def wait_for_other_functions(pool: ConnectionPool) -> OtherFunctions:
    """Waits until this code no longer works with the functions in the database. Then returns an error that says what to
    do."""
    known: str | None = None  # the digest of the last functions with which this code works
    while True:
        await asyncio.sleep(EVERY)
        try:
            version, digest = await pool.call(_read)
            if digest in (None, known):
                continue
            expected = (await asyncio.to_thread(read_tree)).interface
            if digest == expected.digest:
                known = digest
                continue
            missing = expected.missing_in(await pool.call(_read_functions))
        except Exception as problem:  # outages are reported by the code that needs the database
            log.debug("the schema version could not be read: %s", problem)
            continue
        if missing:
            return OtherFunctions(
                f"another Tenuto migrated the database (version {version:04d}), and its functions no longer match "
                f"this process: {missing[0]}; start the Tenuto that migrated it"
            )
        log.info(
            "another version of Tenuto migrated the database to version %04d; this process is compatible with it",
            version,
        )
        known = digest


async def _read(conn: Conn) -> tuple[int, str | None]:
    row = await (await conn.execute(INSTALLED)).fetchone()
    return row if row else (0, None)


async def _read_functions(conn: Conn) -> Interface:
    row = await (await conn.execute(FUNCTIONS)).fetchone()
    return parse_interface(row[0]) if row else Interface({}, {})
