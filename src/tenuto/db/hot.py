"""The hot path: starting, claiming and completing in batches, one sync connection per lane.

Arrays travel as text literals and uuid and jsonb come back as text: adapting them one by one costs more than the
server needs for the task (bench/results).
"""

from collections.abc import Sequence
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


def start_many(
    conn: psycopg.Connection,
    org_id: str,
    kind: str,
    inputs: list[str],
    ids: list[str],
    *,
    dedupe_keys: list[str] | None = None,
) -> int:
    """Start a run for each input (JSON text); answers how many were new. The caller wakes workers after its commit."""
    row = conn.execute(
        "select count(*) filter (where created) from tenuto.start_many("
        "p_org_id => %s, p_kinds => %s, p_inputs => %s, p_ids => %s, p_dedupe_keys => %s, p_wake => false)",
        (
            org_id,
            kind,
            array_literal(inputs),
            "{" + ",".join(ids) + "}",
            array_literal(dedupe_keys) if dedupe_keys else None,
        ),
    ).fetchone()
    return row[0] if row else 0


def start_run(conn: psycopg.Connection, org_id: str, kind: str, inputs: list[str], ids: list[str]) -> str:
    """Start one run with a task for each input (JSON text); answers the run."""
    row = conn.execute(
        "select run_id from tenuto.start_run("
        "p_org_id => %s, p_run => '{}', p_kinds => %s, p_inputs => %s, p_ids => %s, p_wake => false)",
        (org_id, kind, array_literal(inputs), "{" + ",".join(ids) + "}"),
    ).fetchone()
    assert row is not None  # noqa: S101 - the function answers one row or raises
    return row[0]


def open_lane(url: str, session_id: int, token: str, routes: list[int], *, role: str | None = None) -> Lane:
    """Connect a lane; `role` is taken on at log-in where the login itself is not it."""
    conn = psycopg.connect(url, autocommit=True, options=f"-c role={role}" if role else None)
    for name in ("uuid", "jsonb"):
        conn.adapters.register_loader(name, TextLoader)
    return Lane(conn, session_id, token, "{" + ",".join(map(str, routes)) + "}")


def array_literal(values: Sequence[str | None]) -> str:
    """A Postgres array literal of texts."""
    return "{" + ",".join("NULL" if value is None else _quoted(value) for value in values) + "}"


def _quoted(value: str) -> str:
    return '"' + value.replace("\\", "\\\\").replace('"', '\\"') + '"'
