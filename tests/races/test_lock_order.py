"""Calls stopped half-way by a stranger's lock while another call passes: nobody waits in a circle."""

from uuid import uuid4

import pytest

from tests.support.database.interleave import Call, Play, Race, hold, on
from tests.support.database.tasks import DEFAULT_ORG, Claim, Worker, a_worker, call, start, start_graph, statuses


def cancel(run_id: object) -> Call:
    return lambda db: call(db, "cancel_run", org_id=DEFAULT_ORG, run_id=run_id)


def by_id(claims: list[Claim]) -> list[Claim]:
    return sorted(claims, key=lambda claim: claim.task_id)


@pytest.mark.parametrize("end", ["complete", "fail", "snooze", "interrupt"])
def test_batches_that_list_the_same_tasks_in_another_order_do_not_deadlock(race: Race, end: str) -> None:
    def report(worker: Worker, *claims: Claim) -> list[str]:
        return getattr(worker, end)(*claims)

    def scene(play: Play) -> None:
        start(race.db, 1, 2, 3)
        worker = a_worker(race.db)
        a, b, c = by_id(worker.claim(3))
        _, first, second = play.run(
            hold("running_tasks", "id = %s", c.task_id),
            lambda db: report(on(worker, db), a, c, b),
            lambda db: report(on(worker, db), b, a),
        )
        assert sorted((first[0], second[1])) == ["accepted", "already_accepted"]

    race.every_order(scene, 1, 1, 1, gate=True)


def test_progress_and_completions_in_another_order_do_not_deadlock(race: Race) -> None:
    def scene(play: Play) -> None:
        start(race.db, 1, 2, 3)
        worker = a_worker(race.db)
        a, b, c = by_id(worker.claim(3))
        report = {"task_ids": [x.task_id for x in (b, a)], "attempts": [1, 1], "progress": [0.1, 0.2]}
        _, answers, _ = play.run(
            hold("running_tasks", "id = %s", c.task_id),
            lambda db: on(worker, db).complete(a, c, b),
            lambda db: call(db, "report_progress", **worker.fence, **report),
        )
        assert answers == ["accepted"] * 3

    race.every_order(scene, 1, 1, 1, gate=True)


def test_a_cancel_stopped_at_a_running_task_lets_another_task_complete(race: Race) -> None:
    def scene(play: Play) -> None:
        run_id, tasks = start_graph(race.db, 3, [(0, 2), (1, 2)])
        worker = a_worker(race.db)
        first, second = by_id(worker.claim(2))
        _, _, answer = play.run(
            hold("running_tasks", "id = %s", first.task_id), cancel(run_id), lambda db: on(worker, db).complete(second)
        )
        assert answer == ["accepted"]
        assert statuses(race.db, tasks) == ["running", "completed", "cancelled"]

    race.every_order(scene, 1, 1, 1, gate=True)


def test_parents_that_end_while_a_dependent_is_held_tell_all_of_them(race: Race) -> None:
    def scene(play: Play) -> None:
        _, tasks = start_graph(race.db, 5, [(0, 2), (0, 3), (0, 4), (1, 2), (1, 3), (1, 4)])
        worker = a_worker(race.db)
        one, two = by_id(worker.claim(2))
        play.run(
            hold("pending_tasks", "id = %s", tasks[3]),
            lambda db: on(worker, db).complete(one),
            lambda db: on(worker, db).complete(two),
        )
        assert sorted(claim.task_id for claim in worker.claim(9)) == tasks[2:]

    race.every_order(scene, 1, 1, 1, gate=True)


def test_a_failure_and_a_cancel_that_meet_at_the_dependents_do_not_deadlock(race: Race) -> None:
    def scene(play: Play) -> None:
        run_id, tasks = start_graph(race.db, 6, [(0, 2), (1, 3), (2, 4), (3, 5), (2, 5), (3, 4)])
        worker = a_worker(race.db)
        one, two = by_id(worker.claim(2))
        play.run(
            hold("pending_tasks", "id = %s", tasks[3]),
            lambda db: on(worker, db).fail(one, final=True),
            cancel(run_id),
        )
        assert worker.complete(two) == ["accepted"]
        assert statuses(race.db, tasks)[1:] == ["completed"] + ["cancelled"] * 4

    race.every_order(scene, 1, 1, 1, gate=True)


def test_a_batch_of_failed_and_cancelled_tasks_takes_their_dependents_in_one_order(race: Race) -> None:
    def scene(play: Play) -> None:
        _, tasks = start_graph(race.db, 5, [(0, 4), (1, 3), (2, 3), (2, 4)])
        worker = a_worker(race.db)
        failed, cancelled, other = by_id(worker.claim(3))
        race.db.execute("update tenuto.running_tasks set cancel = true where id = %s", [cancelled.task_id])
        _, answers, _ = play.run(
            hold("pending_tasks", "id = %s", tasks[3]),
            lambda db: on(worker, db).fail(failed, cancelled, final=True),
            lambda db: on(worker, db).complete(other),
        )
        assert answers == ["accepted", "accepted"]
        assert statuses(race.db, tasks) == ["failed", "cancelled", "completed", "cancelled", "cancelled"]

    race.every_order(scene, 1, 1, 1, gate=True)


def test_children_that_end_and_their_parent_that_is_cancelled_do_not_deadlock(race: Race) -> None:
    def scene(play: Play) -> None:
        start(race.db, 1)
        worker = a_worker(race.db)
        parent = worker.claim_one()
        worker.start_children(parent, 1, 2)
        one, two = by_id(worker.claim(2))
        worker.wait(parent, **{"for": "children", "tasks": [str(one.task_id), str(two.task_id)]})
        _, _, answer = play.run(
            hold("task_parents", "id = %s", parent.task_id),
            cancel(parent.run_id),
            lambda db: on(worker, db).fail(two, one, final=True),
        )
        assert answer == ["accepted", "accepted"]
        call(race.db, "sweep_cancelled")
        assert statuses(race.db, [parent.task_id]) == ["cancelled"]

    race.every_order(scene, 1, 1, 1, gate=True)


def test_a_sweep_of_several_cancelled_runs_takes_their_tasks_in_one_order(race: Race) -> None:
    def scene(play: Play) -> None:
        low, high = sorted([uuid4(), uuid4()])
        runs = sorted([uuid4(), uuid4()])
        for run_id, task_id in zip(runs, (high, low), strict=True):
            start_graph(race.db, 1, ids=[task_id], run={"name": "crossed", "id": str(run_id)})
        worker = a_worker(race.db)
        first, second = by_id(worker.claim(2))
        for run_id in runs:
            cancel(run_id)(race.db)
        _, answers, swept = play.run(
            hold("running_tasks", "id = %s", low),
            lambda db: on(worker, db).complete(first, second),
            lambda db: call(db, "sweep_cancelled"),
        )
        assert answers == ["accepted", "accepted"]
        assert swept in (0, 2)  # both, or neither had ended yet

    race.every_order(scene, 1, 1, 1, gate=True)


def test_runs_that_settle_together_take_their_limits_once_and_in_order(race: Race) -> None:
    def limited(key: str) -> list[dict[str, object]]:
        return [{"task": 0, "limits": [{"scope": "key", "key": key, "size": 5}]}]

    def scene(play: Play) -> None:
        for key in ("a", "b"):
            start_graph(race.db, 1, run={"name": key}, details=limited(key))
        worker = a_worker(race.db)
        held = by_id(worker.claim(2))
        for key in ("b", "a"):  # settled in the order of their runs, against the order of their limits
            handler = [{"type": "app.work"}, {"type": "app.after", "handler": "completed"}]
            details = [{"task": 1, "limits": limited(key)[0]["limits"]}]
            start_graph(race.db, 2, kinds=handler, task_kinds=[0, 1], details=details)
        worker.complete(*worker.claim(2))
        call(race.db, "fold_runs")
        _, settled, answers = play.run(
            hold("limits", "key = 'a'"),
            lambda db: call(db, "settle_runs"),
            lambda db: on(worker, db).complete(*held),
        )
        assert settled == 2
        assert answers == ["accepted", "accepted"]

    race.every_order(scene, 1, 1, 1, gate=True)
