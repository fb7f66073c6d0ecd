"""Deploying DAGs: a version is stored once, with jobs whose keys stay and datasets that have one producer."""

from typing import Any

import pytest

from tenuto.model.errors import Conflict, InvalidInput
from tests.dag.documents import a_document, with_job
from tests.support.database.dags import cutover, datasets, deploy, job_keys, pointers
from tests.support.database.tasks import DEFAULT_ORG, Db, call


def version_rows(db: Db) -> list[tuple[str, str]]:
    """Each dataset version: the dataset and the DAG versions that have it."""
    names = [row["name"] for row in call(db, "list_datasets", org_id=DEFAULT_ORG)]
    rows = [row for name in names for row in call(db, "list_dataset_versions", org_id=DEFAULT_ORG, name=name)]
    return sorted((row["dataset"], str(row["dag_versions"])) for row in rows)


def test_a_deploy_is_ready_and_changes_nothing_that_is_current(db: Db):
    deployed = deploy(db)

    assert (deployed["dag"], deployed["version"], deployed["status"], deployed["created"]) == (
        "orders",
        1,
        "ready",
        True,
    )
    assert {name: row["version_id"] for name, row in datasets(db).items()} == {"orders_raw": None, "orders_daily": None}
    assert call(db, "list_jobs", org_id=DEFAULT_ORG) == []


def test_the_same_document_is_deployed_once(db: Db):
    first = deploy(db)
    again = deploy(db, a_document(jobs=a_document()["jobs"][::-1]))
    cutover(db)
    later = deploy(db)

    assert (again["version"], again["created"]) == (first["version"], False)
    assert (later["version"], later["status"], later["created"]) == (1, "current", False)
    assert len(call(db, "list_deploys", org_id=DEFAULT_ORG, name="orders")) == 2


def test_only_changed_definitions_get_new_dataset_versions(db: Db):
    deploy(db)
    cutover(db)
    deploy(db, with_job("daily", config={"sql": "select 2"}))
    deploy(db, with_job("daily", config={"sql": "select 2"}, timeout_seconds=60))

    assert version_rows(db) == [("orders_daily", "[1]"), ("orders_daily", "[2, 3]"), ("orders_raw", "[1, 2, 3]")]


def test_jobs_keep_their_keys_across_versions_and_renames(db: Db):
    deploy(db)
    cutover(db)
    first = job_keys(db)
    renamed = with_job("extract", name="fetch", renamed_from="extract")
    deploy(db, renamed)
    cutover(db, expected=1)
    second = job_keys(db)
    del renamed["jobs"][0]["renamed_from"]
    renamed["jobs"].append({**with_job("extract")["jobs"][0], "outputs": 1, "name": "extract"})
    deploy(db, renamed)
    cutover(db, expected=2)
    third = job_keys(db)

    assert second == {"fetch": first["extract"], "daily": first["daily"], "report": first["report"]}
    assert {**third, "extract": None} == {**second, "extract": None}
    assert third["extract"] not in second.values()


def test_a_job_that_comes_back_gets_its_key_back(db: Db):
    deploy(db)
    cutover(db)
    before = job_keys(db)
    deploy(db, a_document(jobs=a_document()["jobs"][:2]))
    cutover(db, expected=1)
    deploy(db, with_job("report", timeout_seconds=5))
    cutover(db, expected=2)

    assert job_keys(db) == before


def test_a_renamed_dataset_keeps_its_identity_and_its_version(db: Db):
    deploy(db)
    cutover(db)
    before = pointers(db)
    document = with_job("daily", outputs=[{"dataset": "by_day", "renamed_from": "orders_daily"}])
    deploy(db, document)
    staged = pointers(db)
    cutover(db, expected=1)

    assert staged == before
    assert pointers(db) == {"orders_raw": before["orders_raw"], "by_day": before["orders_daily"]}


def test_a_dataset_has_one_producer(db: Db):
    deploy(db)
    other = a_document(name="other")

    with pytest.raises(Conflict, match=r"dataset orders_.* belongs to the DAG orders"):
        deploy(db, other)

    assert call(db, "list_dags", org_id=DEFAULT_ORG)[0]["name"] == "orders"
    assert len(call(db, "list_dags", org_id=DEFAULT_ORG)) == 1


def test_a_dag_reads_datasets_that_other_dags_publish(db: Db):
    reader = {
        "name": "reader",
        "jobs": [{**a_document()["jobs"][2], "inputs": [{"from": {"dataset": "orders_daily"}}]}],
    }

    with pytest.raises(InvalidInput, match="no other DAG publishes orders_daily"):
        deploy(db, reader)
    deploy(db)
    deploy(db, reader)
    (linked,) = db.execute(
        "select d.name from tenuto.job_inputs i join tenuto.datasets d on d.id = i.dataset_id"
        " join tenuto.jobs j on j.id = i.job_id where j.name = 'report' and i.parent_key is null"
    ).fetchall()

    assert linked == ("orders_daily",)


def test_a_dag_cannot_read_a_dataset_that_only_its_old_version_publishes(db: Db):
    deploy(db)
    cutover(db)
    document = with_job("daily", operator="python", config={"task": "shop.daily"}, outputs=1)
    document["jobs"][2]["inputs"] = [{"from": {"dataset": "orders_daily"}}]

    with pytest.raises(InvalidInput, match="no other DAG publishes orders_daily"):
        deploy(db, document)


def test_a_bundle_must_exist_and_is_kept_while_a_version_names_it(db: Db):
    bundle = {"operator": "bundle", "config": None, "outputs": [{"dataset": "images"}]}
    document = with_job("report", **bundle, udf={"bundle": "a" * 64, "task": "resize"})
    manifest: dict[str, Any] = {"name": "images", "tasks": {"resize": "code:resize"}}

    with pytest.raises(InvalidInput, match=r"job report runs task resize of bundle a+, which does not exist"):
        deploy(db, document)
    call(db, "put_bundle", org_id=DEFAULT_ORG, sha256="a" * 64, manifest=manifest, size=3, created_by="ann")
    deploy(db, document)

    with pytest.raises(Conflict, match="job report in version 1 of the DAG orders runs this bundle"):
        call(db, "delete_bundle", org_id=DEFAULT_ORG, sha256="a" * 64)
    with pytest.raises(InvalidInput, match="task crop of bundle"):
        deploy(db, with_job("report", **bundle, udf={"bundle": "a" * 64, "task": "crop"}))


def test_orgs_have_their_own_dags_and_datasets(db: Db):
    other = call(db, "create_org", slug="other", name="Other")
    deploy(db)
    deploy(db, org_id=other)

    assert len(call(db, "list_datasets", org_id=other)) == 2
    assert {row["id"] for row in call(db, "list_datasets", org_id=other)}.isdisjoint(
        {row["id"] for row in call(db, "list_datasets", org_id=DEFAULT_ORG)}
    )


def test_the_history_keeps_every_plan(db: Db):
    deploy(db, jobs=3)
    cutover(db)
    deploy(db, with_job("report", timeout_seconds=5), jobs=1)
    history = call(db, "list_deploys", org_id=DEFAULT_ORG, name="orders")

    assert [(row["action"], row["from_version"], row["to_version"], row["plan"]) for row in history] == [
        ("deploy", 1, 2, {"jobs": 1}),
        ("cutover", None, 1, None),
        ("deploy", None, 1, {"jobs": 3}),
    ]


def test_two_versions_of_a_dataset_with_one_definition_are_refused_by_the_table(db: Db):
    deploy(db)

    with pytest.raises(Exception, match="dataset_versions_definition_idx"):
        db.execute(
            "insert into tenuto.dataset_versions select tenuto._uuid7(), org_id, dataset_id, config_hash, schema_hash,"
            " range_start, range_end, storage, 'x/', created_at from tenuto.dataset_versions"
        )
