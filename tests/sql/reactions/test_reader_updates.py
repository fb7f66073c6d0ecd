"""Readers in other DAGs: a cutover or rollback that changes a dataset's version is an update for them, exactly for the
partitions that differ."""

from typing import Any

from tests.support.database.builds import advance
from tests.support.database.dags import cutover, deploy, rollback
from tests.support.database.events import RAW, a_reader, commit, queued, reactions, readers, route
from tests.support.database.jobs import deployed
from tests.support.database.tasks import DEFAULT_ORG, Db, a_worker, call

REPORTS = {"name": "reports", "jobs": [a_reader("weekly"), a_reader("mail", execution_strategy="PerUpdate")]}


def newer(task: str = "shop.extract_2") -> dict[str, Any]:
    """The DAG of the source with another definition: another version of `raw`."""
    return readers(a_reader("daily"), source={**RAW, "config": {"task": task}})


def clear(db: Db) -> None:
    """Ends all tasks that wait, and forgets the reactions."""
    worker = a_worker(db)
    while claims := worker.claim(100):
        worker.complete(*claims)
    db.execute("delete from tenuto.event_reactions")
    db.execute("delete from tenuto.events where data ? 'cutover'")


def two_versions(db: Db) -> None:
    """Version 1 with mon (a) and tue (b) is current; version 2 has mon (a), tue (c) and wed (d), and is not current."""
    deployed(db, readers(a_reader("daily")))
    deployed(db, REPORTS)
    worker = a_worker(db)
    commit(worker, "mon", fingerprint="a")
    commit(worker, "tue", fingerprint="b")
    deployed(db, newer(), expected=1)  # to publish into it
    for key, fingerprint in (("mon", "a"), ("tue", "c"), ("wed", "d")):
        commit(worker, key, fingerprint=fingerprint)
    rollback(db, 2, name="sales")
    advance(db)
    route(db)
    clear(db)


def add_partitions(db: Db, number: int) -> None:
    """Gives version 2 more partitions."""
    db.execute(
        """with version as (
             select v.id, v.org_id from tenuto.dataset_versions v join tenuto.datasets d on d.id = v.dataset_id
             where d.name = 'raw' order by v.id desc limit 1
           ), commits as (
             insert into tenuto.partition_versions (id, org_id, dataset_version_id, partition_key, task_id, attempt,
               location, fingerprint, checks, inputs, committed_at)
             select tenuto._uuid7(), v.org_id, v.id, 'p' || lpad(n::text, 5, '0'), tenuto._uuid7(), 1, 'x/',
                    repeat('e', 64), '[]', '[]', now()
             from version v, generate_series(1, %s) n
             returning *
           )
           insert into tenuto.current_partitions
             (org_id, dataset_version_id, partition_key, partition_version_id, task_id)
           select org_id, dataset_version_id, partition_key, id, task_id from commits""",
        [number],
    )


def test_partitions_that_differ_are_updates_for_jobs_of_other_dags_only(db: Db) -> None:
    two_versions(db)

    cutover(db, 1, 2, name="sales")
    advance(db)
    route(db)

    assert [row for row in reactions(db) if row[0] != "daily"] == [
        ("mail", "tue", "triggered"), ("weekly", "tue", "triggered"),
        ("mail", "wed", "triggered"), ("weekly", "wed", "triggered"),
    ]  # fmt: skip
    events = db.execute("select data, task_id from tenuto.events where data ? 'cutover'").fetchall()
    assert events == [({"cutover": 2}, None)] * 2
    own = """select j.name from tenuto.event_reactions r join tenuto.events e on e.id = r.event_id
             join tenuto.jobs j on j.id = r.job_id where e.data ? 'cutover' and j.name = 'daily'"""
    assert db.execute(own).fetchall() == []
    assert db.execute("select * from tenuto.reader_updates").fetchall() == []
    starts = [row for row in queued(db) if row[0] != "daily"]
    assert sorted(starts) == [("mail", "tue", False), ("mail", "wed", False), ("weekly", "tue", False),
                              ("weekly", "wed", False)]  # fmt: skip
    claims = [claim.input["job"] for claim in a_worker(db).claim(100)]
    read = {job["inputs"][0]["version_id"] for job in claims if job["job"] == "weekly"}
    ((current,),) = db.execute("select current_version_id from tenuto.datasets where name = 'raw'").fetchall()
    assert read == {str(current)}


def test_a_rollback_is_an_update_too(db: Db) -> None:
    two_versions(db)
    cutover(db, 1, 2, name="sales")
    advance(db)
    route(db)
    clear(db)

    rollback(db, 2, name="sales")
    advance(db)
    route(db)

    assert [row for row in reactions(db) if row[0] != "daily"] == [
        ("mail", "tue", "triggered"), ("weekly", "tue", "triggered"),
    ]  # fmt: skip


def test_a_rollback_before_the_update_was_passed_on_replaces_it(db: Db) -> None:
    two_versions(db)
    cutover(db, 1, 2, name="sales")
    rollback(db, 2, name="sales")

    advance(db)
    route(db)

    assert {row[1] for row in reactions(db) if row[0] != "daily"} == {"tue"}
    assert db.execute("select * from tenuto.reader_updates").fetchall() == []


def test_a_cutover_that_keeps_the_data_does_not_drop_an_update_that_waits(db: Db) -> None:
    two_versions(db)
    cutover(db, 1, 2, name="sales")
    deployed(db, {**newer(), "description": "other words"}, expected=2)

    advance(db)
    route(db)

    assert {row[1] for row in reactions(db) if row[0] != "daily"} == {"tue", "wed"}
    assert db.execute("select * from tenuto.reader_updates").fetchall() == []


def test_a_third_version_is_compared_with_every_version_that_was_not_passed_on(db: Db) -> None:
    two_versions(db)
    deployed(db, newer("shop.extract_3"), expected=1)
    worker = a_worker(db)
    for key, fingerprint in (("mon", "a"), ("tue", "c"), ("wed", "e")):
        commit(worker, key, fingerprint=fingerprint)
    rollback(db, 3, name="sales")
    advance(db)
    route(db)
    clear(db)

    cutover(db, 1, 2, name="sales")
    cutover(db, 2, 3, name="sales")
    advance(db)
    route(db)

    assert {row[1] for row in reactions(db) if row[0] != "daily"} == {"tue", "wed"}  # tue is as in version 2, not in 1


def test_a_cutover_that_nobody_else_reads_or_that_changes_no_version_updates_nothing(db: Db) -> None:
    deployed(db, readers(a_reader("daily")))
    deployed(db, newer(), expected=1)
    assert db.execute("select * from tenuto.reader_updates").fetchall() == []
    deployed(db, REPORTS)
    deployed(db, {**newer(), "description": "other words"}, expected=2)
    assert db.execute("select * from tenuto.reader_updates").fetchall() == []


def test_many_partitions_are_passed_on_in_pieces(db: Db) -> None:
    two_versions(db)
    add_partitions(db, 1500)
    cutover(db, 1, 2, name="sales")
    while call(db, "advance_builds"):
        pass

    sizes = db.execute(
        "select jsonb_array_length(payload -> 'emitted') from tenuto.outbox"
        " where status = 'pending' and payload ? 'emitted' order by id"
    ).fetchall()
    assert sizes == [(999,), (503,)]  # of 1,503 partitions only mon is as before


def test_what_the_dag_itself_has_to_compute_does_not_wait_for_its_readers(db: Db) -> None:
    two_versions(db)
    add_partitions(db, 2500)
    cutover(db, 1, 2, name="sales")
    steps: list[tuple[str, int]] = []
    while call(db, "advance_builds"):
        ((phase, left),) = db.execute(
            """select b.phase, (select count(*) from tenuto.reader_updates) from tenuto.builds b
               join tenuto.dag_versions v on v.id = b.dag_version_id and v.status = 'current' and v.version = 2
               join tenuto.dags d on d.id = v.dag_id and d.name = 'sales'"""
        ).fetchall()
        steps.append((phase, left))

    assert steps[:2] == [("retry", 1), ("start", 1)]
    assert db.execute("select count(*) from tenuto.events where data ? 'cutover'").fetchall() == [(2502,)]
    assert "daily" in {row[0] for row in queued(db)}


def test_readers_do_not_wait_for_a_paused_job_of_the_dag(db: Db) -> None:
    two_versions(db)
    call(db, "pause_job", org_id=DEFAULT_ORG, dag="sales", name="daily")

    cutover(db, 1, 2, name="sales")
    while call(db, "advance_builds"):
        pass
    route(db)

    assert {row[1] for row in reactions(db) if row[0] == "weekly"} == {"tue", "wed"}


def test_a_plan_deploys_nothing_and_names_no_readers_of_datasets_that_stay(db: Db) -> None:
    deployed(db, readers(a_reader("daily")))
    deployed(db, REPORTS)
    found = db.execute(
        "select readers from tenuto.get_deploy_facts(%s, 'sales', '', '{}')",
        [db.execute("select org_id from tenuto.dags limit 1").fetchall()[0][0]],
    ).fetchall()
    assert found == [([
        {"dag": "reports", "job": "mail", "dataset": "raw"}, {"dag": "reports", "job": "weekly", "dataset": "raw"},
    ],)]  # fmt: skip
    assert deploy(db, newer())["version"] == 2
