"""Memo: what was computed from the same inputs before is used again, without a run of the code."""

from typing import Any

from tests.support.database.dags import cutover, deploy
from tests.support.database.jobs import KEY, SALES, deployed, partitions, publication, publish, sales, trigger
from tests.support.database.tasks import DEFAULT_ORG, Db, Worker, a_worker, call

PRINT = "0" * 64  # the fingerprint of data that stays the same


def extract(db: Db, worker: Worker, fingerprint: str, *keys: str) -> None:
    """Publishes partitions of `raw` with this content."""
    trigger(db)
    claim = worker.claim_one()
    worker.complete(claim, published=[[publication(claim, key, fingerprint=fingerprint) for key in keys]])


def compute(db: Db, worker: Worker, *keys: str) -> None:
    """Runs `daily` for these partitions."""
    trigger(db, "daily", *keys)
    for claim in worker.claim(len(keys)):
        publish(worker, claim, claim.input["job"]["partition"])


def shown(db: Db, task: dict[str, Any]) -> Any:
    (row,) = call(db, "get_task", org_id=DEFAULT_ORG, task_id=task["task_id"])
    return row


def commits(db: Db) -> list[Any]:
    return db.execute(
        "select partition_key, location, fingerprint, task_id, attempt from tenuto.partition_versions v "
        "join tenuto.datasets d on d.name = 'per_day' "
        "where dataset_version_id = d.current_version_id order by v.id"
    ).fetchall()


def test_a_partition_with_the_same_inputs_is_not_computed_again(db: Db):
    deployed(db)
    worker = a_worker(db)
    extract(db, worker, PRINT, "mon", "tue")
    compute(db, worker, "mon", "tue")
    before = partitions(db, "per_day")
    (hit,) = trigger(db, "daily", "mon")

    assert (hit["created"], hit["reused"], worker.claim(1)) == (True, True, [])
    task = shown(db, hit)
    assert (task["status"], task["attempt"], task["output"]) == ("completed", 0, {"reused": str(before["mon"])})
    assert (task["partitions"], task["type"]) == (["mon"], "tenuto.sql")
    (run,) = call(db, "get_run", org_id=DEFAULT_ORG, run_id=hit["task_id"])
    assert run["status"] == "completed"
    first, second, again = commits(db)
    assert again[:3] == first[:3]  # the same files
    assert again[3:] == (hit["task_id"], 0)
    assert partitions(db, "per_day") == {"mon": hit["task_id"], "tue": second[3]}


def test_of_several_partitions_only_those_with_other_inputs_are_computed(db: Db):
    deployed(db)
    worker = a_worker(db)
    extract(db, worker, PRINT, "mon", "tue")
    compute(db, worker, "mon", "tue")
    extract(db, worker, "1" * 64, "tue")
    extract(db, worker, PRINT, "mon")  # published again, and the same as before
    mon, tue, wed = trigger(db, "daily", "mon", "tue", "wed")

    assert [row["reused"] for row in (mon, tue, wed)] == [True, False, False]
    assert {claim.task_id for claim in worker.claim(9)} == {tue["task_id"], wed["task_id"]}


def test_inputs_that_return_to_what_they_were_bring_the_old_output_back(db: Db):
    deployed(db)
    worker = a_worker(db)
    for fingerprint in (PRINT, "1" * 64):
        extract(db, worker, fingerprint, "mon")
        compute(db, worker, "mon")
    extract(db, worker, PRINT, "mon")
    (hit,) = trigger(db, "daily", "mon")

    first, _, again = commits(db)
    assert (hit["reused"], again[:3]) == (True, first[:3])
    assert partitions(db, "per_day") == {"mon": hit["task_id"]}


def test_an_older_task_that_completes_later_does_not_replace_a_reused_output(db: Db):
    deployed(db)
    worker = a_worker(db)
    extract(db, worker, PRINT, "mon")
    compute(db, worker, "mon")
    extract(db, worker, "1" * 64, "mon")
    trigger(db, "daily", "mon")
    slow = worker.claim_one()
    extract(db, worker, PRINT, "mon")
    (hit,) = trigger(db, "daily", "mon")
    publish(worker, slow, "mon")

    assert hit["reused"]
    assert partitions(db, "per_day") == {"mon": hit["task_id"]}


def test_force_computes_again(db: Db):
    deployed(db)
    worker = a_worker(db)
    extract(db, worker, PRINT, "mon")
    compute(db, worker, "mon")
    (forced,) = trigger(db, "daily", "mon", force=True)

    assert not forced["reused"]
    assert worker.claim_one().task_id == forced["task_id"]


def test_sources_and_inputs_without_data_are_always_computed(db: Db):
    deployed(db)
    worker = a_worker(db)
    compute(db, worker, "mon")  # nothing is committed in `raw`
    (empty,) = trigger(db, "daily", "mon")
    (source,) = trigger(db)

    assert (empty["reused"], source["reused"]) == (False, False)


def test_another_definition_or_partition_is_other_data(db: Db):
    deployed(db)
    worker = a_worker(db)
    extract(db, worker, PRINT, "mon", "tue")
    compute(db, worker, "mon")
    (other,) = trigger(db, "daily", "tue")  # the same content in another partition
    assert not other["reused"]
    publish(worker, worker.claim_one(), "tue")

    deploy(db, sales("select 2"))
    cutover(db, 1, 2, name="sales", force=True)
    (edited,) = trigger(db, "daily", "mon")
    assert not edited["reused"]


def test_a_purged_or_other_version_is_never_reused(db: Db):
    deployed(db)
    worker = a_worker(db)
    extract(db, worker, PRINT, "mon")
    compute(db, worker, "mon")
    deploy(db, sales("select 2"))
    cutover(db, 1, 2, name="sales", force=True)
    call(db, "purge_dataset", org_id=DEFAULT_ORG, name="per_day", keep=0)
    deploy(db, {**SALES, "description": "again"})  # the same definition gets a new version of the dataset
    cutover(db, 2, 3, name="sales", force=True)

    (task,) = trigger(db, "daily", "mon")
    assert not task["reused"]


def test_a_job_that_appends_is_always_computed(db: Db):
    source, daily = SALES["jobs"]
    output = {"dataset": "per_day", "columns": [{"name": "id", "type": "BIGINT"}]}
    appending = {**daily, "update_strategy": "append", "unique_key": ["id"], "outputs": [output]}
    deployed(db, {**SALES, "jobs": [source, appending]})
    worker = a_worker(db)
    extract(db, worker, PRINT, "mon")
    compute(db, worker, "mon")

    (again,) = trigger(db, "daily", "mon")
    assert not again["reused"]


def test_a_task_of_several_outputs_is_reused_as_a_whole(db: Db):
    source, daily = SALES["jobs"]
    outputs = [{"dataset": "per_day", **KEY}, {"dataset": "errors", **KEY}]
    code = {"operator": "python", "config": {"task": "shop.daily"}}
    deployed(db, {**SALES, "jobs": [source, {**daily, **code, "outputs": outputs}]})
    worker = a_worker(db)
    extract(db, worker, PRINT, "mon")
    trigger(db, "daily", "mon")
    claim = worker.claim_one()
    published = [publication(claim, "mon"), publication(claim, "mon", output=1), publication(claim, "more", output=1)]
    worker.complete(claim, published=[published])
    (hit,) = trigger(db, "daily", "mon")

    assert hit["reused"]
    assert partitions(db, "per_day") == {"mon": hit["task_id"]}
    assert partitions(db, "errors") == {"mon": hit["task_id"], "more": hit["task_id"]}


def test_the_memo_outlives_the_task(db: Db):
    deployed(db)
    worker = a_worker(db)
    extract(db, worker, PRINT, "mon")
    compute(db, worker, "mon")
    old = partitions(db, "per_day")["mon"]
    call(db, "delete_run", org_id=DEFAULT_ORG, run_id=old)

    (hit,) = trigger(db, "daily", "mon")
    assert (hit["reused"], shown(db, hit)["output"]) == (True, {"reused": str(old)})


def test_a_client_that_can_only_start_tasks_computes_again(db: Db):
    deployed(db)
    worker = a_worker(db)
    extract(db, worker, PRINT, "mon")
    compute(db, worker, "mon")
    with db.transaction():
        db.execute("set local role tenuto_client")
        (task,) = trigger(db, "daily", "mon")

    assert not task["reused"]
    assert worker.claim_one().task_id == task["task_id"]
