"""Cutover and rollback: the DAG and all of its datasets move together, and only from the version that was seen."""

import pytest

from tenuto.model.errors import Conflict, InvalidInput, NotFound
from tests.dag.documents import a_document, with_job
from tests.support.database.dags import cutover, datasets, deploy, job_keys, pointers, rollback, set_status
from tests.support.database.tasks import DEFAULT_ORG, Db, call

EDITED = with_job("daily", config={"sql": "select 2"})


def statuses(db: Db) -> dict[int, str]:
    return {row["version"]: row["status"] for row in call(db, "list_dag_versions", org_id=DEFAULT_ORG, name="orders")}


def two_versions(db: Db) -> None:
    """Version 1 is current, version 2 is ready."""
    deploy(db)
    cutover(db)
    deploy(db, EDITED)


def test_a_cutover_moves_the_dag_and_every_dataset(db: Db):
    two_versions(db)
    before = pointers(db)
    done = cutover(db, expected=1)
    after = pointers(db)

    assert (done["version"], done["status"], done["from_version"]) == (2, "current", 1)
    assert statuses(db) == {1: "superseded", 2: "current"}
    assert after["orders_raw"] == before["orders_raw"]
    assert after["orders_daily"][:3] == before["orders_daily"][:3]
    assert after["orders_daily"][3] != before["orders_daily"][3]


def test_a_rollback_is_the_inverse_and_a_cutover_forward_again_computes_nothing(db: Db):
    two_versions(db)
    first = pointers(db)
    cutover(db, expected=1)
    second = pointers(db)
    back = rollback(db, expected=2)

    assert (back["version"], back["status"], back["from_version"]) == (1, "current", 2)
    assert (pointers(db), statuses(db)) == (first, {1: "current", 2: "superseded"})
    cutover(db, expected=1, version=2)
    assert (pointers(db), statuses(db)) == (second, {1: "superseded", 2: "current"})


def test_rollbacks_go_back_step_by_step(db: Db):
    two_versions(db)
    cutover(db, expected=1)
    deploy(db, with_job("daily", config={"sql": "select 3"}))
    cutover(db, expected=2)

    assert rollback(db, expected=3)["version"] == 2
    assert rollback(db, expected=2)["version"] == 1
    with pytest.raises(Conflict, match="orders has no version to roll back to"):
        rollback(db, expected=1)
    assert rollback(db, expected=1, version=3)["version"] == 3


def test_a_pointer_moves_only_from_the_version_that_was_seen(db: Db):
    two_versions(db)
    before = pointers(db)

    with pytest.raises(Conflict, match="version 1 is current, not 0: the DAG was changed at the same time"):
        cutover(db, expected=0)
    with pytest.raises(Conflict, match="version 1 is current, not 2"):
        cutover(db, expected=2)
    assert (pointers(db), statuses(db)) == (before, {1: "current", 2: "ready"})
    cutover(db, expected=1)
    with pytest.raises(Conflict, match="version 2 is current, not 1"):
        rollback(db, expected=1)


def test_a_repeated_cutover_changes_nothing(db: Db):
    two_versions(db)
    cutover(db, expected=1)
    again = cutover(db, expected=2, version=2)

    assert (again["version"], again["status"], again["from_version"]) == (2, "current", None)
    assert len(call(db, "list_deploys", org_id=DEFAULT_ORG, name="orders")) == 4


@pytest.mark.parametrize("status", ["staged", "building", "failed"])
def test_only_a_forced_cutover_takes_a_version_that_is_not_ready(db: Db, status: str):
    two_versions(db)
    before = pointers(db)
    set_status(db, 2, status)

    with pytest.raises(Conflict, match=f"version 2 cannot become current: it is {status}"):
        cutover(db, expected=1, version=2)
    with pytest.raises(Conflict, match="no version of orders is ready"):
        cutover(db, expected=1)
    with pytest.raises(Conflict, match="version 2 of orders is current now, or was not current before"):
        rollback(db, expected=1, version=2)
    with pytest.raises(InvalidInput, match="a forced cutover needs the version"):
        cutover(db, expected=1, force=True)
    with pytest.raises(Conflict, match="version 1 is current, not 0"):
        cutover(db, expected=0, version=2, force=True)
    assert (pointers(db), statuses(db)[1]) == (before, "current")
    forced = cutover(db, expected=1, version=2, force=True)
    assert (forced["version"], forced["from_version"], statuses(db)) == (2, 1, {1: "superseded", 2: "current"})
    assert rollback(db, expected=2)["version"] == 1


def test_what_does_not_exist_is_not_found(db: Db):
    with pytest.raises(NotFound, match="no DAG orders"):
        cutover(db)
    deploy(db)

    with pytest.raises(NotFound, match="the DAG has no version 7"):
        cutover(db, version=7)
    with pytest.raises(NotFound, match="no DAG x"):
        cutover(db, name="x")
    with pytest.raises(InvalidInput, match="the actor of a cutover is missing"):
        call(db, "cutover_dag", org_id=DEFAULT_ORG, name="orders", expected=0, actor="")


def test_names_and_producers_can_be_exchanged(db: Db):
    code = {"operator": "python", "config": {"task": "shop.daily"}}
    deploy(db, with_job("daily", **code, outputs=[{"dataset": "a"}, {"dataset": "b"}]))
    cutover(db)
    before = pointers(db)
    deploy(db, with_job("daily", **code, outputs=[{"dataset": "b"}, {"dataset": "a"}]))
    cutover(db, expected=1)
    after = pointers(db)

    assert (after["a"][0], after["a"][1:3], after["b"][1:3]) == (before["a"][0], ("daily", 1), ("daily", 0))
    assert after["a"][3] != before["a"][3]
    rollback(db, expected=2)
    assert pointers(db) == before


def test_a_dataset_that_is_no_longer_published_keeps_its_name_and_has_no_producer(db: Db):
    two_versions(db)
    before = pointers(db)
    deploy(db, with_job("daily", outputs=[{"dataset": "by_day"}]))
    cutover(db, expected=1, version=3)

    assert datasets(db)["by_day"]["job"] == "daily"
    assert pointers(db)["orders_daily"] == (before["orders_daily"][0], None, None, None)
    rollback(db, expected=3)
    assert pointers(db)["orders_daily"] == before["orders_daily"]
    assert pointers(db)["by_day"][1:] == (None, None, None)


def test_a_rollback_does_not_take_a_name_that_another_dag_has_now(db: Db):
    deploy(db)
    cutover(db)
    deploy(db, with_job("daily", outputs=[{"dataset": "by_day", "renamed_from": "orders_daily"}]))
    cutover(db, expected=1)
    other = a_document(name="other", jobs=[{**a_document()["jobs"][0], "outputs": [{"dataset": "orders_daily"}]}])
    other["jobs"][0] |= {"update_strategy": "replace"}
    del other["jobs"][0]["unique_key"]
    deploy(db, other)
    before = pointers(db)

    with pytest.raises(Conflict, match="the name orders_daily belongs to a dataset of another DAG now"):
        rollback(db, expected=2)
    assert (pointers(db), statuses(db)) == (before, {1: "superseded", 2: "current"})


def test_a_pause_survives_deploys_cutovers_and_renames(db: Db):
    two_versions(db)
    call(db, "pause_job", org_id=DEFAULT_ORG, dag="orders", name="extract", reason="the source is down")
    call(db, "pause_job", org_id=DEFAULT_ORG, dag="orders", name="extract")
    deploy(db, with_job("extract", name="fetch", renamed_from="extract"))
    cutover(db, expected=1, version=3)
    (job,) = call(db, "get_job", org_id=DEFAULT_ORG, dag="orders", name="fetch")

    assert (job["pause_reason"], job["definition"]["renamed_from"]) == ("the source is down", "extract")
    call(db, "resume_job", org_id=DEFAULT_ORG, dag="orders", name="fetch")
    call(db, "resume_job", org_id=DEFAULT_ORG, dag="orders", name="fetch")
    assert [row["paused_at"] for row in call(db, "list_jobs", org_id=DEFAULT_ORG)] == [None, None, None]
    with pytest.raises(NotFound, match="no job nope in a DAG orders"):
        call(db, "pause_job", org_id=DEFAULT_ORG, dag="orders", name="nope")


def test_lists_have_pages(db: Db):
    two_versions(db)
    first, second = (row["name"] for row in call(db, "list_datasets", org_id=DEFAULT_ORG))
    jobs = sorted(job_keys(db))

    assert [row["name"] for row in call(db, "list_datasets", org_id=DEFAULT_ORG, after=first)] == [second]
    versions = call(db, "list_dag_versions", org_id=DEFAULT_ORG, name="orders", before=2)
    assert [row["version"] for row in versions] == [1]
    after = call(db, "list_jobs", org_id=DEFAULT_ORG, after_dag="orders", after=jobs[0], limit=1)
    assert [row["name"] for row in after] == [jobs[1]]
    (shown,) = call(db, "get_dag_version", org_id=DEFAULT_ORG, name="orders", version=2)
    assert (shown["status"], "select 2" in shown["yaml"]) == ("ready", True)
