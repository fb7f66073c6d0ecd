"""Commits of jobs' tasks against each other, rollbacks and the loss of a lease."""

from tests.support.database.attempts import end_lease
from tests.support.database.dags import deploy
from tests.support.database.interleave import Play, Race, on
from tests.support.database.invariants import assert_invariants
from tests.support.database.jobs import deployed, partitions, publication, publish, sales, trigger
from tests.support.database.tasks import DEFAULT_ORG, Claim, Db, Worker, a_worker, call, status


def running(race: Race, job: str = "extract", *keys: str) -> tuple[Worker, Claim]:
    trigger(race.db, job, *keys)
    worker = a_worker(race.db, "first")
    return worker, worker.claim_one()


def test_of_two_tasks_that_publish_a_partition_the_newer_keeps_it(race: Race) -> None:
    def scene(play: Play) -> None:
        deployed(race.db)
        worker, older = running(race)
        trigger(race.db)
        newer = worker.claim_one()
        answers = play.run(
            lambda db: publish(on(worker, db), older, "mon", "tue"),
            lambda db: publish(on(worker, db), newer, "tue", "mon"),
        )
        assert answers == ["accepted", "accepted"]
        assert partitions(race.db) == {"mon": newer.task_id, "tue": newer.task_id}
        assert_invariants(race.db)

    race.every_order(scene)


def test_a_commit_and_a_rollback_leave_each_version_its_own(race: Race) -> None:
    def scene(play: Play) -> None:
        deployed(race.db)
        deployed(race.db, sales("select 2"), expected=1)
        worker, claim = running(race, "daily", "mon")
        back = {"org_id": DEFAULT_ORG, "name": "sales", "expected": 2, "actor": "ann"}
        answer, _ = play.run(
            lambda db: publish(on(worker, db), claim, "mon"), lambda db: call(db, "rollback_dag", **back)
        )
        version = claim.input["job"]["outputs"][0]["version_id"]
        assert answer == "accepted"
        assert partitions(race.db, "per_day") == {}
        assert partitions(race.db, "per_day", version_id=version) == {"mon": claim.task_id}

    race.every_order(scene)


def test_a_commit_and_the_loss_of_its_lease_exclude_each_other(race: Race) -> None:
    def expire(db: Db) -> None:
        call(db, "expire_sessions")
        call(db, "expire_attempts")

    def scene(play: Play) -> bool:
        deployed(race.db)
        worker, claim = running(race)
        end_lease(race.db, "first")
        answer, _ = play.run(lambda db: publish(on(worker, db), claim, "mon"), expire)
        committed = answer == "accepted"
        assert answer in ("accepted", "stale_lease")
        assert (partitions(race.db) == {"mon": claim.task_id}) == committed
        assert (status(race.db, claim.task_id) == "completed") == committed
        assert_invariants(race.db)
        return committed

    assert set(race.every_order(scene)) == {True, False}


def test_a_report_sent_twice_is_committed_once(race: Race) -> None:
    def scene(play: Play) -> None:
        deployed(race.db)
        worker, claim = running(race)
        answers = play.run(
            lambda db: publish(on(worker, db), claim, "mon"), lambda db: publish(on(worker, db), claim, "mon")
        )
        assert sorted(answers) == ["accepted", "already_accepted"]
        assert race.db.execute("select count(*) from tenuto.partition_versions").fetchone() == (1,)

    race.every_order(scene)


def test_a_refused_report_sent_twice_fails_the_task_once(race: Race) -> None:
    def scene(play: Play) -> None:
        deployed(race.db)
        worker, claim = running(race)
        wrong = [[publication(claim, rows=-1)]]
        answers = play.run(
            lambda db: on(worker, db).complete(claim, published=wrong),
            lambda db: on(worker, db).complete(claim, published=wrong),
        )
        assert answers == [["refused"], ["refused"]]
        assert status(race.db, claim.task_id) == "failed"

    race.every_order(scene)


def test_a_trigger_and_a_cutover_give_a_task_of_one_version(race: Race) -> None:
    def scene(play: Play) -> int:
        deployed(race.db)
        deploy(race.db, sales("select 2"))
        move = {"org_id": DEFAULT_ORG, "name": "sales", "expected": 1, "actor": "ann", "version": 2}
        tasks, moved = play.run(lambda db: trigger(db, "daily"), lambda db: call(db, "cutover_dag", **move))
        assert (len(tasks), moved[0]["version"]) == (1, 2)
        claim = a_worker(race.db).claim_one()
        job = claim.input["job"]
        versions = call(race.db, "list_dataset_versions", org_id=DEFAULT_ORG, name="per_day")
        (published,) = [row for row in versions if str(row["id"]) == job["outputs"][0]["version_id"]]
        assert published["dag_versions"] == [job["version"]]
        return job["version"]

    assert set(race.every_order(scene)) == {1, 2}


def test_two_triggers_with_one_dedupe_key_start_one_task(race: Race) -> None:
    def scene(play: Play) -> None:
        deployed(race.db)
        first, second = play.run(
            lambda db: trigger(db, "daily", "mon", "tue", dedupe_key="k"),
            lambda db: trigger(db, "daily", "tue", "mon", dedupe_key="k"),
        )
        ids = [{task["partition"]: task["task_id"] for task in tasks} for tasks in (first, second)]
        assert ids[0] == ids[1]
        assert sum(task["created"] for task in (*first, *second)) == 2

    race.every_order(scene)


def test_two_commits_leave_the_lineage_of_the_newer_task(race: Race) -> None:
    def lineage(column: str) -> dict[str, object]:
        source = {"column": column, "input": 0, "field": "at"}
        return {"method": "sql", "confidence": "exact", "columns": [source]}

    def scene(play: Play) -> None:
        deployed(race.db)
        worker, older = running(race, "daily", "mon")
        trigger(race.db, "daily", "tue")
        newer = worker.claim_one()
        lists = [[publication(claim, key, lineage=lineage(key))] for claim, key in ((older, "mon"), (newer, "tue"))]
        answers = play.run(
            lambda db: on(worker, db).complete(older, published=[lists[0]]),
            lambda db: on(worker, db).complete(newer, published=[lists[1]]),
        )
        assert answers == [["accepted"], ["accepted"]]
        assert race.db.execute("select column_name from tenuto.column_lineage").fetchall() == [("tue",)]
        assert race.db.execute("select count(*) from tenuto.table_lineage").fetchone() == (1,)

    race.every_order(scene)
