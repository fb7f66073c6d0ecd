"""Random walks between two versions of a DAG: no event is lost, whatever happens between its commit and its task."""

import random
from typing import Any

import pytest

from tests.support.database.builds import advance, compute, status
from tests.support.database.dags import cutover, deploy, rollback
from tests.support.database.events import a_reader, commit, readers, route
from tests.support.database.jobs import deployed, partitions
from tests.support.database.tasks import Claim, Db, Worker, a_worker, call

ACTIONS = ("commit", "commit", "route", "move", "build", "compute", "hold", "stop")


def a_dag(sql: str, strategy: str) -> dict[str, Any]:
    return readers(a_reader("log", execution_strategy=strategy, config={"sql": sql}))


def move(db: Db, current: int) -> int:
    """Makes the other version current, as a person would: back by a rollback, forward by a cutover."""
    other = 3 - current
    if other < current and status(db, other) == "superseded":
        rollback(db, current, other, name="sales")
    else:
        cutover(db, current, other, name="sales")
    return other


def stop(worker: Worker, held: list[Claim]) -> None:
    if held:
        worker.fail(*held, retry=0)
        held.clear()
    call(worker.db, "promote_due")


@pytest.mark.parametrize("strategy", ["PerUpdate", "PerPartition"])
@pytest.mark.parametrize("seed", [0, 1, 6, 14, 19, 22])
def test_the_version_that_is_current_has_every_partition_in_the_end(db: Db, seed: int, strategy: str) -> None:
    chance = random.Random(seed)  # noqa: S311 (chance, not a secret)
    worker, current = a_worker(db), 1
    deployed(db, a_dag("select 1", strategy))
    deploy(db, a_dag("select 2", strategy))
    committed: set[str] = set()
    held: list[Claim] = []
    walk = [chance.choice(ACTIONS) for _ in range(25)]

    for action in walk:
        if action == "commit":
            committed.add(f"d{len(committed)}")
            commit(worker, f"d{len(committed) - 1}")
        elif action == "route":
            route(db)
        elif action == "build":
            call(db, "advance_builds")
        elif action == "compute":
            compute(worker, 2)
        elif action == "hold":
            held += worker.claim(1)
        elif action == "stop":  # those that a rollback has cancelled end as cancelled, the others are retried
            stop(worker, held)
        else:
            current = move(db, current)
    for _ in range(6):
        advance(db)
        stop(worker, held)
        compute(worker)

    assert set(partitions(db, "out_log")) == committed, walk
