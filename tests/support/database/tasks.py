"""Arranges workers and tasks with SQL functions, and reads what a user can see of them."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID

import psycopg
from psycopg.rows import dict_row
from psycopg.types.json import Jsonb

from tenuto.db.connection.call import call_sync, json_array

DEFAULT_ORG = UUID("00000000-0000-7000-8000-000000000001")
Db = psycopg.Connection
Answer = str


def call(db: Db, function: str, **params: object) -> Any:
    """The single value, or the rows, of a kernel function."""
    rows = call_sync(db, function, **params)
    if len(rows) == 1 and list(rows[0]) == [function]:
        return rows[0][function]
    return rows


@dataclass(frozen=True)
class Claim:
    """One attempt as a worker holds it."""

    task_id: UUID
    attempt: int
    run_id: UUID
    input: Any
    slots: Any
    group_no: int
    metadata: Any = None
    root_id: UUID | None = None


@dataclass
class Worker:
    """A registered worker that calls the kernel as a real one does, and numbers its claims."""

    db: Db
    session_id: int
    token: UUID
    org_id: UUID = DEFAULT_ORG
    name: str = "w"
    claim_no: int = 0
    fence: dict[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.fence = {"session_id": self.session_id, "token": self.token}

    def routes(self, queues: list[str] | None = None, types: list[str] | None = None) -> list[int]:
        rows = call_sync(self.db, "resolve_routes", session_id=self.session_id, queues=queues, types=types)
        return [row["route_id"] for row in rows]

    def claim(self, limit: int = 1, *, routes: list[int] | None = None, group: str | None = None) -> list[Claim]:
        self.claim_no += 1
        rows = call_sync(
            self.db,
            "claim_tasks",
            **self.fence,
            claim_no=self.claim_no,
            routes=self.routes() if routes is None else routes,
            limit=limit,
            group=group,
        )
        groups = dict(
            self.db.execute(
                "select id, group_no from tenuto.running_tasks where id = any(%s)", [[row["task_id"] for row in rows]]
            ).fetchall()
        )
        return [_claim({**row, "group_no": groups[row["task_id"]]}) for row in rows]

    def claim_one(self) -> Claim:
        (claim,) = self.claim(1)
        return claim

    def complete(
        self,
        *claims: Claim,
        outputs: Sequence[object] | None = None,
        effects: object = None,
        published: Sequence[object] | None = None,
    ) -> list[Answer]:
        values = json_array(outputs) if outputs is not None else None
        effects = Jsonb(effects) if effects is not None else None
        lists = json_array(published) if published is not None else None
        return self._report("complete_tasks", claims, outputs=values, effects=effects, published=lists)

    def fail(
        self, *claims: Claim, error: object = "boom", retry: float | None = None, final: bool = False
    ) -> list[Answer]:
        after = -1.0 if final else retry
        return self._report(
            "fail_tasks",
            claims,
            errors=json_array([{"message": error}] * len(claims)),
            retries=[after] * len(claims) if after is not None else None,
        )

    def lose(self, *claims: Claim, error: object = "exit code 9") -> list[Answer]:
        return self._report("lose_tasks", claims, errors=json_array([{"message": error}] * len(claims)))

    def snooze(self, *claims: Claim, seconds: float = 60) -> list[Answer]:
        return self._report("snooze_tasks", claims, seconds=[float(seconds)] * len(claims))

    def interrupt(self, *claims: Claim) -> list[Answer]:
        return self._report("interrupt_tasks", claims)

    def wait(self, claim: Claim, **wait: object) -> Answer:
        """`wait(claim, **{"for": "signal", "name": "go"})`, see wait_tasks."""
        return self._report("wait_tasks", [claim], waits=json_array([wait]))[0]

    def block(self, *claims: Claim, versions: list[str | None] | None = None, **mismatch: object) -> list[Answer]:
        """The code calls a sleep where it charged before."""
        found = {"step_no": 2, "expected": "step 'charge'", "found": "sleep", **mismatch}
        return self._report("block_tasks", claims, mismatches=json_array([found] * len(claims)), versions=versions)

    def beat(self, *held: Claim, settled: int | None = None, metrics: dict[str, Any] | None = None) -> dict[str, Any]:
        (row,) = call_sync(
            self.db,
            "heartbeat",
            **self.fence,
            task_ids=[claim.task_id for claim in held],
            attempts=[claim.attempt for claim in held],
            settled=self.claim_no if settled is None else settled,
            metrics=metrics,
        )
        return row

    def start_children(self, parent: Claim, *inputs: object, **more: object) -> list[UUID]:
        params: dict[str, object] = {"kinds": Jsonb([{"type": "app.child"}]), **more}
        return call(
            self.db,
            "start_children",
            **self.fence,
            task_id=parent.task_id,
            attempt=parent.attempt,
            inputs=json_array(inputs),
            **params,
        )

    def _report(self, function: str, claims: Sequence[Claim], **values: object) -> list[Answer]:
        rows = call_sync(
            self.db,
            function,
            **self.fence,
            task_ids=[claim.task_id for claim in claims],
            attempts=[claim.attempt for claim in claims],
            **values,
        )
        return [row["result"] for row in rows]


def a_worker(
    db: Db, name: str = "w", *, org_id: UUID = DEFAULT_ORG, lease: str = "60 seconds", **more: object
) -> Worker:
    (row,) = call_sync(db, "register_worker", org_id=org_id, worker_id=name, lease=lease, **more)
    return Worker(db, row["session_id"], row["token"], org_id, name)


def a_worker_with(db: Db, code: str, name: str | None = None, **more: Any) -> Worker:
    """A worker that registers with this version of the code."""
    return a_worker(db, name or f"with {code}", **{"metadata": Jsonb({"code_version": code}), **more})


def start(
    db: Db, *inputs: object, org_id: UUID = DEFAULT_ORG, kind: dict[str, Any] | None = None, **more: object
) -> list[UUID]:
    """Runs of one task each (run id = task id), by default one with no input."""
    kinds = Jsonb([{"type": "app.work", **(kind or {})}])
    rows = call_sync(db, "start_many", org_id=org_id, kinds=kinds, inputs=json_array(inputs or (None,)), **more)
    return [row["run_id"] for row in rows]


def start_one(db: Db, **more: Any) -> UUID:
    (run_id,) = start(db, **more)
    return run_id


def start_graph(
    db: Db,
    size: int,
    edges: Sequence[tuple[int, int] | tuple[int, int, str]] = (),
    *,
    org_id: UUID = DEFAULT_ORG,
    kinds: list[dict[str, Any]] | None = None,
    task_kinds: list[int] | None = None,
    details: list[dict[str, Any]] | None = None,
    run: dict[str, Any] | None = None,
    ids: list[UUID] | None = None,
) -> tuple[UUID, list[UUID]]:
    """A run of `size` tasks; answers the run and its tasks in order."""
    (row,) = call_sync(
        db,
        "start_run",
        org_id=org_id,
        run=Jsonb(run or {"name": "graph"}),
        kinds=Jsonb(kinds or [{"type": "app.work", "backoff_seconds": 0}]),
        inputs=json_array(range(size)),
        task_kinds=task_kinds,
        details=Jsonb(details) if details else None,
        ids=ids,
        edges=Jsonb([dict(zip(("from", "to", "on"), edge, strict=False)) for edge in edges]) if edges else None,
    )
    tasks = db.execute("select id from tenuto._run_tasks(%s) order by id", [row["run_id"]]).fetchall()
    return row["run_id"], [task[0] for task in tasks]


def status(db: Db, task_id: UUID) -> str:
    row = db.execute("select status from tenuto.task_status where id = %s", [task_id]).fetchone()
    return row[0] if row else "gone"


def statuses(db: Db, task_ids: Sequence[UUID]) -> list[str]:
    return [status(db, task_id) for task_id in task_ids]


def run_status(db: Db, run_id: UUID, *, settle: bool = True) -> str:
    """The run's state, after what a dispatcher would fold and settle."""
    if settle:
        for _ in range(3):
            db.execute("select tenuto.fold_runs()")
            db.execute("select tenuto.settle_runs()")
    row = db.execute("select status from tenuto.run_status where id = %s", [run_id]).fetchone()
    return row[0] if row else "gone"


def task(db: Db, task_id: UUID) -> dict[str, Any]:
    """Everything task_status shows of one task, which get_task answers too."""
    with db.cursor(row_factory=dict_row) as cursor:
        shown = cursor.execute("select * from tenuto.task_status where id = %s", [task_id]).fetchone() or {}
        if shown:
            cursor.execute("select * from tenuto.get_task(%s, %s)", [shown["org_id"], task_id])
            assert cursor.fetchone() == shown
        return shown


def history(db: Db, task_id: UUID) -> list[tuple[int, str]]:
    """(attempt, outcome) of every end, oldest first."""
    return db.execute(
        "select attempt, outcome from tenuto.task_attempts where task_id = %s order by attempt, end_no desc", [task_id]
    ).fetchall()


def drain(db: Db, worker: Worker, *, limit: int = 100, rounds: int = 1000) -> int:
    """Claim and complete until nothing is ready; answers how many were completed."""
    done = 0
    for _ in range(rounds):
        claims = worker.claim(limit)
        if not claims:
            return done
        done += len(worker.complete(*claims))
    raise AssertionError("tasks keep coming")


def _claim(row: dict[str, Any]) -> Claim:
    return Claim(
        row["task_id"],
        row["attempt"],
        row["run_id"],
        row["input"],
        row["slots"],
        row["group_no"],
        row["metadata"],
        row["root_id"],
    )
