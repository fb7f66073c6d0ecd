"""The committed partitions of a dataset, page by page, of the current version or of another one."""

from uuid import uuid4

import pytest

from tenuto.model.errors import NotFound
from tests.support.database.dags import deploy
from tests.support.database.jobs import SALES, deployed, partitions, publish, sales, trigger
from tests.support.database.tasks import Db, a_worker


def test_partitions_are_listed_page_by_page(db: Db):
    deployed(db)
    worker = a_worker(db)
    trigger(db)
    publish(worker, worker.claim_one(), None, "a", "b", "c")

    assert list(partitions(db, limit=3)) == [None, "a", "b"]
    assert list(partitions(db, after="b", limit=3)) == ["c"]
    assert list(partitions(db, after="", limit=1)) == ["a"]


def test_versions_have_their_own_partitions(db: Db):
    deployed(db)
    worker = a_worker(db)
    trigger(db, "daily", "mon")
    old = worker.claim_one()
    publish(worker, old, "mon")
    deployed(db, sales("select 2"), expected=1)
    version = old.input["job"]["outputs"][0]["version_id"]

    assert partitions(db, "per_day") == {}
    assert partitions(db, "per_day", version_id=version) == {"mon": old.task_id}


def test_a_dataset_or_version_that_does_not_exist_is_not_found(db: Db):
    deploy(db, SALES)

    assert partitions(db) == {}  # nothing is current yet
    with pytest.raises(NotFound, match="no dataset nope"):
        partitions(db, "nope")
    with pytest.raises(NotFound, match="dataset raw has no version"):
        partitions(db, version_id=uuid4())
