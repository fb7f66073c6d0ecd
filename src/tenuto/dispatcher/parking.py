"""Processes the rows of a failed batch in smaller pieces, and parks the rows that fail alone."""

import logging
import time
from collections import Counter
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from uuid import UUID

from tenuto.db import maintenance
from tenuto.db.connection.call import Conn
from tenuto.db.connection.errors import StatementFailed, TimedOut, Unreachable
from tenuto.db.connection.pool import ConnectionPool
from tenuto.model.maintenance import DueRow
from tenuto.model.metrics import LOOP_ERRORS

PIECE_SECONDS = 2.0  # timeout for a piece of a failed batch, so that a slow row does not delay others for long
ALONE_SECONDS = 30.0  # maximum timeout for a parked row; it doubles with each retry, from PIECE_SECONDS on
TURN_SECONDS = 5.0  # after this time, the remaining rows of an org with failures are parked untried
PARTS = 8  # a failed piece is split into 8, because every level of splitting can take PIECE_SECONDS
MAX_LOGGED = 10  # parked rows that one turn logs

log = logging.getLogger("tenuto.dispatcher")
Work = Callable[[Conn, list[str]], Awaitable[None]]


def is_of_a_row(error: Exception) -> bool:
    """Returns whether a row may have caused this error. That is true for every error except an outage of the
    database."""
    return not isinstance(error, Unreachable) or isinstance(error, TimedOut | StatementFailed)


async def serve_apart(pool: ConnectionPool, loop: str, work: Work, *, limit: int, error: Exception) -> int:
    """Processes the rows of a loop whose batch failed, and returns how many were processed or parked.

    If none of the first rows fails, such as rows that another transaction has locked and the batch skipped, tries more
    rows, until one fails or all were tried. Raises `error` again if there are no rows. If the loop fails even without
    rows, raises that error, because no row caused it.
    """
    LOOP_ERRORS.labels(loop).inc()
    turn = Turn(pool, loop, work)
    tried: set[str] = set()
    while not turn.failed:
        picked = await pool.call(maintenance.pick_rows, loop=loop, limit=len(tried) * PARTS or limit)
        rows = [row for row in picked if row.key not in tried]
        if not rows:
            break
        if not tried:
            async with pool.connection(timeout=PIECE_SECONDS) as conn:
                await work(conn, [])  # raises an error if the function itself is broken
        tried |= {row.key for row in rows}
        await turn.serve(split(rows))
    if not tried:
        raise error
    return turn.served + len(turn.failed)


@dataclass
class Turn:
    """Processes the rows of a loop piece by piece. Pieces of orgs without failures come first."""

    pool: ConnectionPool
    loop: str
    work: Work
    served: int = 0
    failed: dict[str, tuple[DueRow, Exception]] = field(default_factory=dict[str, tuple[DueRow, Exception]])
    failures: Counter[UUID | None] = field(default_factory=Counter[UUID | None])

    async def serve(self, pieces: list[list[DueRow]]) -> None:
        ends_at = time.monotonic() + TURN_SECONDS
        try:
            while pieces:
                pieces.sort(key=self._failure_rank)
                piece = pieces.pop(0)
                if time.monotonic() > ends_at and (known := self._failure_of(piece)):
                    self.failed |= {row.key: (row, known) for row in piece}
                elif error := await self._try(piece):
                    self.failures.update({row.org_id for row in piece})
                    if len(piece) == 1:
                        self.failed[piece[0].key] = piece[0], error
                    else:
                        pieces += split(piece)
        finally:
            await self._park()

    def _failure_rank(self, piece: list[DueRow]) -> tuple[int, int]:
        return max(self.failures[row.org_id] for row in piece), len(piece)

    def _failure_of(self, piece: list[DueRow]) -> Exception | None:
        """If all rows of the piece belong to one org, return the error of a row of that org that was already recorded
        as failed. Return None if there is no such row, or if the piece has rows of several orgs."""
        orgs = {row.org_id for row in piece}
        return next((error for row, error in self.failed.values() if orgs == {row.org_id}), None)

    async def _try(self, piece: list[DueRow]) -> Exception | None:
        """Processes a piece. Returns the error that one of its rows caused, or None if it succeeded."""
        keys = [row.key for row in piece]
        seconds = min(ALONE_SECONDS, PIECE_SECONDS * 2 ** piece[0].failures) if len(piece) == 1 else PIECE_SECONDS
        try:
            async with self.pool.connection(timeout=seconds) as conn:
                await self.work(conn, keys)
        except Exception as error:
            if not is_of_a_row(error):
                raise
            return error
        self.served += len(keys)
        if any(row.failures for row in piece):
            await self.pool.call(maintenance.unpark_rows, loop=self.loop, keys=keys)
            log.info("dispatcher loop %s: %d parked rows processed", self.loop, len(keys))
        return None

    async def _park(self) -> None:
        if not self.failed:
            return
        rows = [row for row, _ in self.failed.values()]
        parked = await self.pool.call(
            maintenance.park_rows,
            loop=self.loop,
            keys=[row.key for row in rows],
            org_ids=[row.org_id for row in rows],
            run_ids=[row.run_id for row in rows],
            task_ids=[row.task_id for row in rows],
            errors=[text_of(error) for _, error in self.failed.values()],
            sqlstates=[sqlstate_of(error) for _, error in self.failed.values()],
        )
        for parked_row in parked[:MAX_LOGGED]:
            row, error = self.failed[parked_row.key]
            log.warning(
                "dispatcher loop %s: parked row %s until %s: %s",
                self.loop,
                name_of(row),
                f"{parked_row.retry_at:%H:%M:%S}",
                text_of(error),
            )
        if len(parked) > MAX_LOGGED:
            log.warning("dispatcher loop %s: parked %d more rows", self.loop, len(parked) - MAX_LOGGED)


def split(rows: Sequence[DueRow]) -> list[list[DueRow]]:
    """Split the rows into at most PARTS pieces. If they belong to several orgs, the rows of an org stay together."""
    by_org = sorted(rows, key=lambda row: (str(row.org_id), -row.failures))
    orgs = [list(group) for _, group in groupby(by_org, key=lambda row: row.org_id)]
    if len(orgs) == 1:
        size = -(-len(rows) // PARTS)
        return [by_org[start : start + size] for start in range(0, len(by_org), size)]
    size = -(-len(orgs) // PARTS)
    return [[row for org in orgs[start : start + size] for row in org] for start in range(0, len(orgs), size)]


def name_of(row: DueRow) -> str:
    """Describe a row by its key, and by its org, run and task if it has them."""
    named = {"org": row.org_id, "run": row.run_id, "task": row.task_id}
    return " ".join([f"row {row.key}", *(f"{name}={value}" for name, value in named.items() if value)])


def text_of(error: Exception) -> str:
    lines = str(error).strip().splitlines()
    return lines[0] if lines else type(error).__name__


def sqlstate_of(error: BaseException | None) -> str | None:
    """Return the SQLSTATE of a database error, or None."""
    while error is not None:
        code = getattr(error, "sqlstate", None) or getattr(error, "code", None)
        if isinstance(code, str):
            return code
        error = error.__cause__
    return None
