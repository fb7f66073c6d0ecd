"""Queue and labels of jobs: tasks wait where the document says, whatever starts them."""

import pytest

from tenuto.model.errors import InvalidInput
from tests.support.database.builds import advance
from tests.support.database.dags import deploy
from tests.support.database.events import RAW, a_reader, claim_like, publication, readers, route
from tests.support.database.jobs import deployed, publish, trigger
from tests.support.database.tasks import DEFAULT_ORG, Db, a_worker, call


def places(db: Db) -> list[tuple[str, str, list[str]]]:
    """(job, queue, labels) of the tasks that wait."""
    rows = call(db, "list_tasks", org_id=DEFAULT_ORG, status="queued")
    return sorted((row["job"], row["queue"], row["labels"]) for row in rows)


def test_triggers_events_and_builds_start_tasks_in_the_queue_of_the_job(db: Db) -> None:
    document = readers(a_reader("daily", labels=["cuda"]), source={**RAW, "queue": "etl"})
    document["defaults"] = {"queue": "reports"}
    deployed(db, document)
    (started,) = trigger(db)
    assert places(db) == [("sales/extract", "etl", [])]

    worker = a_worker(db)
    publish(worker, claim_like(worker, started["task_id"]), "mon")
    route(db)
    assert places(db) == [("sales/daily", "reports", ["cuda"])]

    document["jobs"][1]["config"] = {"sql": "select 2"}
    document["defaults"] = {"queue": "later"}
    assert deploy(db, document)["status"] == "building"
    advance(db)
    assert places(db) == [("sales/daily", "later", ["cuda"]), ("sales/daily", "reports", ["cuda"])]


def test_partitions_of_ranges_are_checked_when_a_job_is_triggered_and_when_it_commits(db: Db) -> None:
    scheme = {"partition": {"kind": "range", "column": "id", "size": 100}}
    deployed(db, readers(source={**RAW, "outputs": [{"dataset": "raw", **scheme}]}))
    worker = a_worker(db)
    for wrong in ("mon", "0-99", "50-150", "100-0", "0-0100"):
        with pytest.raises(InvalidInput, match="is not a range"):
            trigger(db, "extract", wrong)

    trigger(db, "extract", "-100-0")
    claim = worker.claim_one()
    refused = worker.complete(claim, published=[[publication(claim, "mon")]])
    assert refused != ["accepted"]
