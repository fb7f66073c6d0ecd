"""Batches in which one task was asked to stop: what ends and what goes on lock their limits together."""

import pytest

from tests.support.database.interleave import Play, Race, hold, on
from tests.support.database.tasks import DEFAULT_ORG, Claim, Worker, a_worker, call, start_graph


def limited(race: Race, worker: Worker, key: str) -> Claim:
    """A running task that holds a slot of the limit."""
    limits = [{"scope": "key", "key": key, "size": 9}]
    start_graph(race.db, 1, details=[{"task": 0, "limits": limits}], run={"name": key, "max_attempts": 2})
    return worker.claim_one()


@pytest.mark.parametrize("end", ["interrupt", "snooze"])
def test_a_batch_with_a_cancelled_task_meets_a_completion_of_the_same_limits(race: Race, end: str) -> None:
    def scene(play: Play) -> None:
        worker = a_worker(race.db)
        done_a, goes_on, stopped, done_b = (limited(race, worker, key) for key in "aabb")
        call(race.db, "cancel_task", org_id=DEFAULT_ORG, task_id=stopped.task_id)
        _, completed, put_back = play.run(
            hold("limits", "key = 'a'"),
            lambda db: on(worker, db).complete(done_a, done_b),
            lambda db: getattr(on(worker, db), end)(stopped, goes_on),
        )
        assert [*completed, *put_back] == ["accepted"] * 4

    race.every_order(scene, 1, 1, 1, gate=True)
