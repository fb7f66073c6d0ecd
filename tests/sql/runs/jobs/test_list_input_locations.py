"""The folders of a large input, page by page, as they were when the task was created."""

from dataclasses import replace
from typing import Any

import pytest

from tenuto.model.errors import InvalidInput, NotFound, StaleLease
from tests.support.database.jobs import SALES, deployed, publish, trigger
from tests.support.database.tasks import Claim, Db, Worker, a_worker, call, start_one


def locations(db: Db, worker: Worker, claim: Claim, input: int = 0, **options: Any) -> list[dict[str, Any]]:
    fence = {**worker.fence, "task_id": claim.task_id, "attempt": claim.attempt}
    return call(db, "list_input_locations", **fence, input=input, **options)


def published(db: Db, worker: Worker, *keys: str) -> Claim:
    trigger(db)
    claim = next(claim for claim in worker.claim(9) if claim.input["job"]["job"] == "extract")
    publish(worker, claim, *keys)
    return claim


def test_pages_show_the_input_as_it_was_when_the_task_was_created(db: Db):
    deployed(db)
    worker = a_worker(db)
    first = published(db, worker, "a", "b", "c")
    trigger(db, "daily")
    reader = worker.claim_one()
    later = published(db, worker, "b", "d")
    trigger(db, "daily")
    newer = worker.claim_one()

    page = locations(db, worker, reader, limit=2)
    assert [row["partition"] for row in page] == ["a", "b"]
    assert [row["partition"] for row in locations(db, worker, reader, after=page[-1]["id"])] == ["c"]
    assert {row["location"].split("/")[3] for row in page} == {f"{first.task_id}-1"}
    now = {row["partition"]: row["location"].split("/")[3] for row in locations(db, worker, newer)}
    assert now == {key: f"{(later if key in 'bd' else first).task_id}-1" for key in "abcd"}


def test_all_commits_of_a_dataset_that_grows_are_listed(db: Db):
    extract, daily = SALES["jobs"]
    deployed(db, {**SALES, "jobs": [{**extract, "update_strategy": "append", "unique_key": ["at"]}, daily]})
    worker = a_worker(db)
    published(db, worker, "a")
    published(db, worker, "a", "b")
    trigger(db, "daily", "a")
    trigger(db, "daily")
    one, whole = worker.claim(2)
    published(db, worker, "a")

    assert [row["partition"] for row in locations(db, worker, one)] == ["a", "a"]
    first, *rest = locations(db, worker, whole)
    assert locations(db, worker, whole, after=first["id"]) == rest
    assert [row["partition"] for row in rest] == ["a", "b"]


def test_only_the_holder_of_a_task_of_a_job_asks(db: Db):
    deployed(db)
    worker = a_worker(db)
    trigger(db, "daily")
    start_one(db)
    reader, plain = sorted(worker.claim(2), key=lambda claim: claim.input is None)

    with pytest.raises(NotFound, match="has no input 1"):
        locations(db, worker, reader, input=1)
    with pytest.raises(NotFound, match="has no input 0"):
        locations(db, worker, plain)
    with pytest.raises(StaleLease):
        locations(db, worker, replace(reader, attempt=2))
    with pytest.raises(InvalidInput, match="limit is 1001, not 1 to 1000"):
        locations(db, worker, reader, limit=1001)
