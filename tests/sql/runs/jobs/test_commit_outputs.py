"""The commit inside a completion: what a job's task published becomes visible with its end, or the task fails alone."""

from dataclasses import replace
from typing import Any

import pytest

from tenuto.db.connection.call import json_array
from tenuto.model.errors import InvalidInput
from tests.support.clock import Clock
from tests.support.database.attempts import error_of
from tests.support.database.invariants import assert_invariants
from tests.support.database.jobs import SALES, by_day, deployed, partitions, publication, publish, sales, trigger
from tests.support.database.tasks import DEFAULT_ORG, Claim, Db, Worker, a_worker, call, start_one, status, statuses

FOREIGN = "00000000-0000-7000-8000-0000000000aa/00000000-0000-7000-8000-0000000000bb/_all/"


def a_claim(db: Db, worker: Worker, job: str = "extract", *keys: str) -> Claim:
    trigger(db, job, *keys)
    return worker.claim_one()


def refused(db: Db, worker: Worker, published: Any) -> str:
    """The error of a task whose publication is refused; it has failed without a retry."""
    claim = a_claim(db, worker)
    wrong = published(claim) if callable(published) else published
    assert worker.complete(claim, published=[wrong]) == ["refused"]
    assert status(db, claim.task_id) == "failed"
    error = error_of(db, claim.task_id)
    assert error["type"] == "PublicationRefused"
    return error["message"]


def elsewhere(claim: Claim, folder: str) -> dict[str, Any]:
    """A publication with another folder for its partition."""
    entry = publication(claim)
    return {**entry, "location": entry["location"].replace("_all", folder)}


def test_what_a_task_published_is_visible_with_its_end(db: Db):
    deployed(db)
    worker = a_worker(db)
    claim = a_claim(db, worker)
    checks = [{"name": "rows", "severity": "warn", "passed": False, "message": "few"}]
    published = [publication(claim, "mon", checks=checks), publication(claim, "tue")]

    assert worker.complete(claim, outputs=["done"], published=[published]) == ["accepted"]

    mon, tue = call(db, "list_partitions", org_id=DEFAULT_ORG, name="raw")
    assert (mon["partition"], mon["rows"], mon["bytes"], mon["attempt"]) == ("mon", 3, 100, 1)
    assert (mon["location"], mon["fingerprint"]) == (published[0]["location"], published[0]["fingerprint"])
    assert (mon["checks"], tue["checks"], mon["input_versions"]) == (checks, [], [])
    assert (status(db, claim.task_id), mon["task_id"]) == ("completed", claim.task_id)


def test_a_repeated_report_publishes_once(db: Db):
    deployed(db)
    worker = a_worker(db)
    claim = a_claim(db, worker)
    both = [[publication(claim, "mon")]] * 2

    assert worker.complete(claim, claim, published=both) == ["accepted", "accepted"]
    assert publish(worker, claim, "mon") == "already_accepted"
    assert db.execute("select count(*) from tenuto.partition_versions").fetchone() == (1,)


def test_a_worker_that_lost_the_task_publishes_nothing(db: Db, clock: Clock):
    deployed(db)
    first = a_worker(db, "first")
    lost = a_claim(db, first)
    clock.advance(minutes=5)
    for loop in ("expire_sessions", "expire_attempts", "promote_due"):
        call(db, loop)
    second = a_worker(db, "second")
    held = second.claim_one()

    assert publish(first, lost, "mon") == "stale_lease"
    assert partitions(db) == {}
    assert publish(second, held, "mon") == "accepted"
    assert publish(first, lost, "tue") == "stale_lease"
    assert partitions(db) == {"mon": held.task_id}


def test_an_earlier_attempt_cannot_lend_its_folder(db: Db, clock: Clock):
    deployed(db)
    worker = a_worker(db)
    lost = a_claim(db, worker)
    worker.fail(lost)
    clock.advance(minutes=5)
    call(db, "promote_due")
    worker = a_worker(db, "again")
    held = worker.claim_one()

    assert worker.complete(held, published=[[publication(lost, "mon")]]) == ["refused"]
    assert partitions(db) == {}


WRONG: dict[str, tuple[dict[str, Any], str]] = {
    "unknown output": ({"output": 1}, "publication 0: the job publishes no output 1"),
    "no output": ({"output": None}, "the job publishes no output null"),
    "output as a fraction": ({"output": 0.0}, "published is not valid"),
    "output as text": ({"output": "0"}, "the job publishes no output 0"),
    "foreign folder": ({"location": FOREIGN}, "is not below"),
    "no folder": ({"location": None}, "is not below"),
    "bad fingerprint": ({"fingerprint": "abc"}, "fingerprint or schema_hash is not a SHA-256 hash"),
    "bad schema_hash": ({"schema_hash": "abc"}, "fingerprint or schema_hash is not a SHA-256 hash"),
    "negative rows": ({"rows": -1}, "rows or bytes are negative"),
    "rows as text": ({"rows": "many"}, "published is not valid: invalid input syntax"),
    "too many bytes": ({"bytes": 10**30}, "published is not valid"),
    "empty partition": ({"partition": ""}, "is not a text of 1 to 255 bytes"),
    "long partition": ({"partition": "x" * 256}, "is not a text of 1 to 255 bytes"),
    "failed check": (
        {"checks": [{"name": "ids", "severity": "error", "passed": False, "message": "3 nulls"}]},
        "output 0: check ids failed: 3 nulls",
    ),
    "check without a result": ({"checks": [{"name": "ids"}]}, "check ids failed: no message"),
    "checks of another form": ({"checks": ["ids"]}, "checks are not objects"),
    "no list of checks": ({"checks": {"a": 1}}, "checks are not a list"),
}


def test_a_wrong_publication_fails_its_task_for_good(db: Db):
    deployed(db)
    worker = a_worker(db)

    for changes, message in WRONG.values():
        assert message in refused(db, worker, lambda claim, changes=changes: [{**publication(claim), **changes}])
    for folder in ("..", ".", "a/b", "a b"):
        assert "is not below" in refused(db, worker, lambda claim, folder=folder: [elsewhere(claim, folder)])
    assert "publishes partition null twice" in refused(db, worker, lambda claim: [publication(claim)] * 2)
    assert "published is not a list" in refused(db, worker, {"output": 0})
    assert "the job publishes no output null" in refused(db, worker, [17])
    assert "published is not a list" in refused(db, worker, lambda claim: [publication(claim)] * 1001)
    assert partitions(db) == {}


def test_partitions_by_time_are_published_under_keys_of_their_period(db: Db):
    deployed(db, by_day(SALES))
    worker = a_worker(db)

    for key, shown in ((None, "null"), ("banana", "'banana'"), ("2026-11-17T05", "'2026-11-17T05'")):
        message = refused(db, worker, lambda claim, key=key: [publication(claim, key)])
        assert f"partition {shown} is not a day; publish keys such as 2026-11-17" in message
    assert publish(worker, a_claim(db, worker), "2026-11-17") == "accepted"
    assert partitions(db).keys() == {"2026-11-17"}


def test_a_wrong_publication_harms_no_neighbour(db: Db):
    deployed(db)
    worker = a_worker(db)
    trigger(db)
    trigger(db)
    start_one(db)
    bad, good, plain = sorted(worker.claim(3), key=lambda claim: claim.input is None or "job" not in claim.input)
    lists = [[publication(bad, "mon", output=0, rows=-1)], [publication(good, "mon")], None]

    assert worker.complete(bad, good, plain, published=lists) == ["refused", "accepted", "accepted"]
    assert statuses(db, [bad.task_id, good.task_id, plain.task_id]) == ["failed", "completed", "completed"]
    assert partitions(db) == {"mon": good.task_id}
    assert worker.complete(bad, good, plain, published=lists) == ["refused", "already_accepted", "already_accepted"]
    assert_invariants(db)


def test_a_plain_task_cannot_publish(db: Db):
    deployed(db)
    worker = a_worker(db)
    job = a_claim(db, worker)
    start_one(db)
    plain = worker.claim_one()

    assert worker.complete(plain, published=[[publication(replace(job, task_id=plain.task_id))]]) == ["refused"]
    assert error_of(db, plain.task_id)["message"] == "the task does not belong to a job"


def test_a_task_can_complete_without_publishing(db: Db):
    deployed(db)
    worker = a_worker(db)
    first, second, third = (a_claim(db, worker) for _ in range(3))

    assert worker.complete(first) == ["accepted"]
    assert worker.complete(second, third, published=[[], None]) == ["accepted", "accepted"]
    assert partitions(db) == {}


def test_the_newest_task_keeps_a_partition(db: Db):
    deployed(db)
    worker = a_worker(db)
    older, newer, newest = (a_claim(db, worker) for _ in range(3))

    publish(worker, newer, "mon")
    publish(worker, older, "mon")
    assert partitions(db) == {"mon": newer.task_id}
    publish(worker, newest, "mon")
    assert partitions(db) == {"mon": newest.task_id}
    assert db.execute("select count(*) from tenuto.partition_versions").fetchone() == (3,)


def test_two_tasks_of_a_batch_can_publish_the_same_partition(db: Db):
    deployed(db)
    worker = a_worker(db)
    older, newer = a_claim(db, worker), a_claim(db, worker)
    lists = [[publication(newer, "mon")], [publication(older, "mon")]]

    assert worker.complete(newer, older, published=lists) == ["accepted", "accepted"]
    assert partitions(db) == {"mon": newer.task_id}


def test_a_task_that_completes_after_a_rollback_lands_in_its_own_version(db: Db):
    deployed(db)
    worker = a_worker(db)
    current = a_claim(db, worker, "daily", "mon")
    publish(worker, current, "mon")
    deployed(db, sales("select 2"), expected=1)
    late = a_claim(db, worker, "daily", "mon")
    version = late.input["job"]["outputs"][0]["version_id"]
    call(db, "rollback_dag", org_id=DEFAULT_ORG, name="sales", expected=2, actor="ann")

    assert publish(worker, late, "mon", "tue") == "accepted"

    assert partitions(db, "per_day") == {"mon": current.task_id}
    assert partitions(db, "per_day", version_id=version) == {"mon": late.task_id, "tue": late.task_id}


def test_the_limit_of_a_job_is_free_again_after_a_refusal(db: Db):
    deployed(db)
    worker = a_worker(db)
    trigger(db, "daily", "a", "b", "c", "d")
    claims = worker.claim(10)
    assert len(claims) == 3

    assert worker.complete(claims[0], published=[[publication(claims[0], rows=-1)]]) == ["refused"]
    assert len(worker.claim(10)) == 1


def test_a_cancelled_task_whose_publication_is_refused_is_cancelled(db: Db):
    deployed(db)
    worker = a_worker(db)
    claim = a_claim(db, worker)
    call(db, "cancel_task", org_id=DEFAULT_ORG, task_id=claim.task_id)

    assert worker.complete(claim, published=[[publication(claim, rows=-1)]]) == ["refused"]
    assert status(db, claim.task_id) == "cancelled"


def test_the_function_that_completes_and_claims_publishes_too(db: Db):
    deployed(db)
    worker = a_worker(db)
    good, bad = a_claim(db, worker), a_claim(db, worker)
    report = {"task_ids": [good.task_id, bad.task_id], "attempts": [1, 1], "outputs": json_array([None, None])}
    lists = json_array([[publication(good, "mon")], [publication(bad, rows=-1)]])
    claim = {"claim_no": 9, "routes": [], "limit": 0}
    rows = call(db, "complete_and_claim", **worker.fence, **report, **claim, published=lists)

    assert [(row["task_id"], row["result"]) for row in rows] == [(bad.task_id, "refused")]
    assert partitions(db) == {"mon": good.task_id}
    with pytest.raises(InvalidInput, match="a batch of 2 task ids has 2 attempts and 1 values"):
        call(db, "complete_and_claim", **worker.fence, **report, **claim, published=json_array([None]))
    with pytest.raises(InvalidInput, match="a batch of 1 task ids has 1 attempts and 2 values"):
        worker.complete(good, published=[None, None])
