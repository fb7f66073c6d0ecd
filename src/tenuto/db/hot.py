"""The hot path: starting, claiming and completing in batches, one sync connection per lane.

Arrays travel as text literals and uuid and jsonb come back as text: adapting them one by one costs more than the
server needs for the task (bench/results).
"""

from dataclasses import dataclass
from typing import NamedTuple

import psycopg
from psycopg.types.string import TextLoader

Row = tuple[object, ...]


class Claimed(NamedTuple):
    """A claimed task as the server sends it: uuids and JSON as text."""

    answer: str | None
    task_id: str
    attempt: int
    run_id: str
    route_id: int
    input: str | None
    slots: str | None
    timeout_seconds: float | None
    metadata: str | None


@dataclass
class Lane:
    """One connection of a worker process: it reports what is done and claims what comes next."""

    conn: psycopg.Connection
    session_id: int
    token: str
    routes: str

    def exchange(
        self, ids: list[str], attempts: list[int], outputs: list[str | None] | None, *, claim_no: int, limit: int
    ) -> list[Row]:
        """Complete these, claim up to `limit` more; rows are as `Claimed`, refused reports have an answer."""
        return self.conn.execute(
            "select * from tenuto.complete_and_claim(%s, %s, %s, %s, %s, %s, %s, %s)",
            (
                self.session_id,
                self.token,
                "{" + ",".join(ids) + "}",
                "{" + ",".join(map(str, attempts)) + "}",
                array_literal(outputs) if outputs else None,
                claim_no,
                self.routes,
                limit,
            ),
        ).fetchall()


def open_lane(url: str, session_id: int, token: str, routes: list[int], *, role: str | None = None) -> Lane:
    """Connect a lane; `role` is taken on at log-in where the login itself is not it."""
    conn = psycopg.connect(url, autocommit=True, options=f"-c role={role}" if role else None)
    for name in ("uuid", "jsonb"):
        conn.adapters.register_loader(name, TextLoader)
    return Lane(conn, session_id, token, "{" + ",".join(map(str, routes)) + "}")


def array_literal(values: list[str | None]) -> str:
    """A Postgres array literal of texts."""
    return "{" + ",".join("NULL" if value is None else _quoted(value) for value in values) + "}"


def _quoted(value: str) -> str:
    return '"' + value.replace("\\", "\\\\").replace('"', '\\"') + '"'
