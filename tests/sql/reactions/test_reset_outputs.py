"""A source with `reset_outputs`: each version begins without data, once, and keeps what it has."""

from copy import deepcopy

from tests.support.database.dags import cutover, deploy, rollback
from tests.support.database.jobs import partitions, publish, sales, trigger
from tests.support.database.tasks import Db, a_worker


def test_a_version_begins_without_data_and_a_rollback_has_the_old_data(db: Db):
    document = deepcopy(sales())
    document["jobs"][0]["bootstrap"] = {"reset_outputs": True}
    deploy(db, document)
    cutover(db, 0, name="sales")
    worker = a_worker(db)
    trigger(db, "extract", "mon")
    publish(worker, worker.claim_one(), "mon")

    assert deploy(db, document | {"description": "other"})["status"] == "ready"
    assert list(partitions(db)) == ["mon"]  # until the cutover
    cutover(db, 1, 2, name="sales")
    assert partitions(db) == {}

    rollback(db, 2, name="sales")
    assert list(partitions(db)) == ["mon"]
    cutover(db, 1, 2, name="sales")
    trigger(db, "extract", "tue")
    publish(worker, worker.claim_one(), "tue")
    rollback(db, 2, name="sales")
    cutover(db, 1, 2, name="sales")
    assert list(partitions(db)) == ["tue"]  # not reset again
