"""list_unserved, list_steps, list_signals, get_dedupe_key, find_ids: what commands show beside runs and tasks."""

import pytest

from tenuto.model.errors import InvalidInput
from tests.support.database.loops import an_org, fenced
from tests.support.database.tasks import DEFAULT_ORG, Db, a_worker, call, start, start_one

ORG = {"org_id": DEFAULT_ORG}


def test_queued_tasks_that_no_worker_alive_can_take_are_counted_with_the_reason(db: Db) -> None:
    a_worker(db, metadata={"types": ["app.work"]})
    start(db, 1, 2)
    start(db, *range(3), kind={"type": "app.other"})
    start(db, 1, kind={"labels": ["gpu=1"]})
    start(db, 1, kind={"type": "app.paused", "queue": "paused"})
    call(db, "pause_queue", **ORG, queue="paused")

    rows = call(db, "list_unserved", **ORG)

    assert [(row["type"], row["tasks"], row["reason"]) for row in rows] == [
        ("app.other", 3, "no worker alive has task type app.other"),
        ("app.work", 1, "no worker alive has label gpu=1"),
    ]
    assert len(call(db, "list_unserved", **ORG, limit=1)) == 1
    assert call(db, "list_unserved", org_id=an_org(db, "theirs")) == []


def test_steps_and_signals_are_shown_in_order_without_large_values(db: Db) -> None:
    run_id = start_one(db, dedupe_keys=["order-1"])
    worker = a_worker(db)
    held = worker.claim_one()
    call(db, "record_step", **fenced(worker, held, step_no=1, name="charge", kind="step", value={"id": 7}))
    call(db, "record_step", **fenced(worker, held, step_no=2, name="render", kind="step", value={"page": "x" * 2000}))
    call(db, "fail_step", **fenced(worker, held, step_no=3, name="mail", error={"message": "no"}, tries=2))
    call(db, "send_signal", **ORG, run_id=run_id, name="go", value={"by": "eve"})

    steps = call(db, "list_steps", **ORG, task_id=run_id)
    (signal,) = call(db, "list_signals", **ORG, run_id=run_id)

    assert [(step["step_no"], step["name"], step["value"]) for step in steps] == [
        (1, "charge", {"id": 7}), (2, "render", None), (3, "mail", None),
    ]  # fmt: skip
    assert (steps[1]["value_bytes"] > 2000, steps[2]["error"]["message"], steps[2]["tries"]) == (True, "no", 2)
    assert (signal["name"], signal["value"], signal["taken_by"]) == ("go", {"by": "eve"}, None)
    assert call(db, "get_dedupe_key", **ORG, run_id=run_id) == "order-1"
    assert call(db, "get_dedupe_key", **ORG, run_id=start_one(db)) is None
    theirs = an_org(db, "theirs")
    assert call(db, "list_steps", org_id=theirs, task_id=run_id) == []
    assert call(db, "list_signals", org_id=theirs, run_id=run_id) == []


@pytest.mark.parametrize("kind", ["run", "task"])
def test_ids_are_found_by_their_beginning(db: Db, kind: str) -> None:
    ids = start(db, *range(3))
    digits = ids[0].hex

    def found(digits: str, **more: object) -> list[object]:
        return [row["find_ids"] for row in call(db, "find_ids", **{**ORG, **more}, kind=kind, digits=digits)]

    assert call(db, "find_ids", **ORG, kind=kind, digits=digits) == ids[0]
    assert found(digits[:6]) == sorted(ids)
    assert found(digits[:6], limit=2) == sorted(ids)[:2]
    assert found("ffff") == found(digits, org_id=an_org(db, "theirs")) == []
    with pytest.raises(InvalidInput, match="is not the beginning of an id"):
        found("xyz")
