"""Everything at once: four connections, every completion sent twice, workers that die, forget and are cancelled."""

import random
import threading
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from uuid import UUID

import psycopg

from tenuto.model.errors import TenutoError
from tests.support.database.interleave import on
from tests.support.database.invariants import assert_invariants
from tests.support.database.tasks import DEFAULT_ORG, Claim, Worker, a_worker, call, run_status, start_graph, statuses

THREADS = 4
WIDTH = 200
TIMEOUT_SECONDS = 240.0
DISPATCHER = ("expire_attempts", "promote_due", "fold_runs", "sweep_cancelled", "sweep_lanes", "move_floors")


class Storm:
    """What the threads share: reports still to be sent, and what was answered."""

    def __init__(self, runs: list[UUID], victims: list[UUID]) -> None:
        self.runs, self.victims = runs, victims
        self.answers: Counter[str] = Counter()
        self.accepted: Counter[UUID] = Counter()
        self._reports: list[tuple[Worker, Claim]] = []
        self._lock = threading.Lock()

    def report_later(self, worker: Worker, claims: list[Claim], dice: random.Random) -> None:
        with self._lock:
            self._reports += [(worker, claim) for claim in claims * 2]
            dice.shuffle(self._reports)

    def some_reports(self) -> list[tuple[Worker, Claim]]:
        with self._lock:
            taken, self._reports = self._reports[:12], self._reports[12:]
            return taken

    def send(self, db: psycopg.Connection, reports: list[tuple[Worker, Claim]]) -> None:
        for session in {worker.session_id for worker, _ in reports}:
            batch = [report for report in reports if report[0].session_id == session]
            claims = [claim for _, claim in batch]
            answers = on(batch[0][0], db).complete(*claims)
            with self._lock:
                self.answers.update(answers)
                self.accepted.update(
                    {claim.task_id for claim, a in zip(claims, answers, strict=True) if a == "accepted"}
                )

    def over(self, db: psycopg.Connection) -> bool:
        rows = db.execute("select status from tenuto.run_status where id = any (%s)", [self.runs]).fetchall()
        return {status for (status,) in rows} <= {"completed", "failed", "cancelled"} and not self._reports


def live(database: str, no: int, storm: Storm) -> None:
    """One thread: claim, start children, report what anybody holds, and now and then something bad."""
    dice = random.Random(no)  # noqa: S311 - a shuffle, not a secret
    end = time.monotonic() + TIMEOUT_SECONDS
    with psycopg.connect(database, autocommit=True) as db:
        db.execute("set role tenuto_worker")
        worker = a_worker(db, f"w{no}")
        while not storm.over(db):
            assert time.monotonic() < end, "the storm does not end"
            claims = worker.claim(dice.randint(1, 10))
            for claim in claims:
                if claim.input == 0:
                    worker.start_children(claim, *range(1, 6))
            storm.report_later(worker, claims, dice)
            storm.send(db, storm.some_reports())
            worker = trouble(db, worker, claims, dice, storm)
            call(db, dice.choice(DISPATCHER))


def trouble(db: psycopg.Connection, worker: Worker, claims: list[Claim], dice: random.Random, storm: Storm) -> Worker:
    """The worker that goes on: the same, one that forgot half of what it holds, or a new life of it."""
    throw = dice.random()
    if throw < 0.2:
        worker.beat(*claims[::2])
    elif throw < 0.4:
        worker = a_worker(db, worker.name)
        call(db, "expire_attempts")
    elif throw < 0.5 and storm.victims:
        with suppress(TenutoError, IndexError):  # it is final already, or another thread took the last one
            call(db, "cancel_task", org_id=DEFAULT_ORG, task_id=storm.victims.pop())
    return worker


def test_a_storm_leaves_every_task_ended_once_and_every_count_right(database: str, db: psycopg.Connection) -> None:
    edges = [(0, i) for i in range(1, WIDTH + 1)] + [(i, WIDTH + 1) for i in range(1, WIDTH + 1)]
    kinds = [{"type": "app.work", "backoff_seconds": 0, "max_attempts": 100}]
    graphs = [start_graph(db, WIDTH + 2, edges, kinds=kinds) for _ in range(3)]
    runs = [run_id for run_id, _ in graphs]
    victims = graphs[2][1][-20:-1]
    storm = Storm(runs, list(victims))

    with ThreadPoolExecutor(THREADS) as threads:
        for life in [threads.submit(live, database, no, storm) for no in range(THREADS)]:
            life.result()

    assert_invariants(db)
    assert [run_status(db, run_id) for run_id in runs[:2]] == ["completed", "completed"]
    assert run_status(db, runs[2]) in ("completed", "cancelled")
    assert set(storm.accepted.values()) == {1}
    assert storm.answers["already_accepted"] > 0
    assert storm.answers["stale_lease"] > 0
    assert "cancelled" in statuses(db, victims)
    recount = "select count(*) from tenuto.task_attempts where end_no = 0 and outcome = 'completed'"
    assert db.execute(recount).fetchone() == (len(storm.accepted),)
