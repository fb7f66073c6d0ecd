"""purge_queue: what waits to start in a queue is cancelled; what runs, waits or is in another queue continues."""

import pytest

from tenuto.model.errors import NotFound
from tests.support.database.loops import run
from tests.support.database.tasks import DEFAULT_ORG, Db, a_worker, call, start, start_one, status, statuses

MAIL = {"type": "app.mail", "queue": "mail"}


def purge(db: Db, **options: object) -> tuple[list[object], object]:
    (row,) = call(db, "purge_queue", org_id=DEFAULT_ORG, queue="mail", **options)
    return row["task_ids"], row["next_before"]


def test_queued_and_retried_tasks_end_and_running_and_waiting_ones_continue(db: Db) -> None:
    running, waiting, retrying = start(db, 1, 2, 3, kind=MAIL)
    worker = a_worker(db)
    claims = {claim.task_id: claim for claim in worker.claim(3)}
    worker.wait(claims[waiting], **{"for": "signal", "name": "go"})
    worker.fail(claims[retrying], retry=60.0)
    queued = start(db, 1, 2, kind=MAIL)
    other = start_one(db)

    dry = purge(db, dry_run=True)
    assert statuses(db, queued) == ["queued", "queued"]
    done = purge(db, reason="sent twice")

    assert dry == done == ([*queued[::-1], retrying], None)
    assert statuses(db, [*queued, retrying]) == ["cancelled"] * 3
    assert [status(db, task) for task in (running, waiting, other)] == ["running", "waiting", "queued"]
    assert run(db, queued[0])["cancel_reason"] == "sent twice"
    assert purge(db) == ([], None)


def test_a_long_queue_is_purged_in_pieces(db: Db) -> None:
    tasks = start(db, *range(5), kind=MAIL)

    first, before = purge(db, limit=3)
    second, end = purge(db, limit=3, before=before)

    assert (first + second, end) == (tasks[::-1], None)


def test_a_queue_that_does_not_exist_is_an_error(db: Db) -> None:
    with pytest.raises(NotFound, match="no queue 'mail'"):
        purge(db)
