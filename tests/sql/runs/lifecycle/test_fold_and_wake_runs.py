"""After completions: the workers of queues with something ready are woken, and no others."""

from uuid import uuid4

from tests.support.database.tasks import Db, a_worker, call, start_graph, start_one


def woken(db: Db, *nudges: list[object]) -> list[str]:
    db.execute("listen tenuto_ready")
    db.execute("notify tenuto_ready, 'begin'")  # whatever came before is not the nudges'
    for run_ids in nudges:
        call(db, "fold_and_wake_runs", run_ids=run_ids)
    db.execute("notify tenuto_ready, 'end'")
    found: list[str] = []
    for note in db.notifies(timeout=20):
        if note.payload == "end":
            return found[found.index("begin") + 1 :]
        found.append(note.payload)
    raise TimeoutError


def test_a_nudge_without_runs_or_of_runs_that_are_not_there_wakes_nobody(db: Db) -> None:
    start_one(db, kind={"queue": "mail"})

    assert woken(db, [], [uuid4()]) == []


def test_a_nudge_wakes_the_queues_in_which_something_became_ready(db: Db) -> None:
    kinds = [{"type": "app.a", "queue": "mail"}, {"type": "app.b", "queue": "video"}]
    run_id, _ = start_graph(db, 2, edges=[(0, 1)], kinds=kinds, task_kinds=[0, 1])
    worker = a_worker(db)
    worker.complete(worker.claim_one())

    assert woken(db, [run_id]) == ["video"]
    worker.claim_one()
    assert woken(db, [run_id]) == []
