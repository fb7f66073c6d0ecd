"""Deletions of DAGs and datasets against deploys, triggers and commits: nothing reads or is what was deleted."""

from dataclasses import replace
from typing import Any

from tenuto.model.errors import Conflict, InvalidInput, NotFound
from tests.races.test_deploys import TORN
from tests.sql.reactions.test_delete_dag import READER, delete, delete_dataset
from tests.support.database.dags import datasets, deploy, rollback
from tests.support.database.interleave import Play, Race
from tests.support.database.jobs import deployed, publish, sales, trigger
from tests.support.database.tasks import DEFAULT_ORG, Db, a_worker, call, statuses

# Inputs of versions that are or can become current, and whose dataset is deleted.
LOST = """
select j.name
from tenuto.job_inputs i
join tenuto.jobs j on j.id = i.job_id
join tenuto.dag_versions v on v.id = i.dag_version_id and v.status in ('building', 'ready', 'current')
join tenuto.datasets d on d.id = i.dataset_id and d.deleted_at is not null
"""


def of(answers: list[Any], *errors: type[Exception]) -> list[bool]:
    """Which of the calls were refused, with one of these errors."""
    assert all(not isinstance(answer, Exception) or isinstance(answer, errors) for answer in answers), answers
    return [isinstance(answer, Exception) for answer in answers]


def test_a_deploy_beside_a_deletion_adds_a_version_to_the_old_dag_or_is_a_new_one(race: Race) -> None:
    def scene(play: Play) -> int:
        deployed(race.db)
        deleted, new = play.run(delete, lambda db: deploy(db, sales("select 2")))
        assert of([deleted, new]) == [False, False]
        alive = call(race.db, "list_dags", org_id=DEFAULT_ORG)
        assert len(alive) == (new["version"] == 1)
        assert race.db.execute(TORN).fetchall() == []
        return new["version"]

    assert set(race.every_order(scene)) == {1, 2}


def test_a_deploy_of_a_reader_and_a_deletion_of_what_it_reads_never_both_win(race: Race) -> None:
    def scene(play: Play) -> int:
        deployed(race.db)
        refused = of(play.run(delete, lambda db: deploy(db, READER)), Conflict, InvalidInput)
        assert refused.count(True) == 1
        assert race.db.execute(LOST).fetchall() == []
        return refused.index(True)

    assert set(race.every_order(scene)) == {0, 1}


def test_a_rollback_of_a_reader_and_a_deletion_of_what_it_reads_never_both_win(race: Race) -> None:
    def scene(play: Play) -> int:
        deployed(race.db)
        deployed(race.db, READER)
        source = {**sales()["jobs"][0], "outputs": [{"dataset": "per_week"}]}
        deployed(race.db, {**READER, "jobs": [source]}, expected=1)
        refused = of(play.run(delete, lambda db: rollback(db, 2, name="reports")), Conflict)
        assert refused.count(True) == 1
        assert race.db.execute(LOST).fetchall() == []
        return refused.index(True)

    assert set(race.every_order(scene)) == {0, 1}


def test_a_dataset_is_not_deleted_under_a_deploy_that_reads_it(race: Race) -> None:
    def scene(play: Play) -> int:
        deployed(race.db)
        deployed(race.db, {**sales(), "jobs": sales()["jobs"][:1]}, expected=1)
        refused = of(
            play.run(lambda db: delete_dataset(db, "per_day"), lambda db: deploy(db, READER)), Conflict, InvalidInput
        )
        assert refused.count(True) == 1
        assert race.db.execute(LOST).fetchall() == []
        return refused.index(True)

    assert set(race.every_order(scene)) == {0, 1}


def test_a_trigger_beside_a_deletion_is_refused_or_its_task_forbids_it_or_is_cancelled(race: Race) -> None:
    def scene(play: Play) -> str:
        deployed(race.db)
        deleted, started = play.run(delete, lambda db: trigger(db, "extract", "mon"))
        if isinstance(deleted, Exception):
            assert of([deleted, started], Conflict) == [True, False]
            return "forbidden"
        if isinstance(started, Exception):
            assert of([deleted, started], NotFound) == [False, True]
            return "refused"
        call(race.db, "advance_builds", limit=10)
        assert statuses(race.db, [started[0]["task_id"]]) == ["cancelled"]
        return "cancelled"

    assert set(race.every_order(scene)) == {"forbidden", "refused", "cancelled"}


def test_a_commit_beside_a_forced_deletion_lands_in_a_purged_version(race: Race) -> None:
    def scene(play: Play) -> bool:
        deployed(race.db)
        trigger(race.db, "extract", "mon")
        worker = a_worker(race.db)
        claim = worker.claim_one()

        def commit(db: Db) -> Any:
            return publish(replace(worker, db=db), claim, "mon")

        deleted, done = play.run(lambda db: delete(db, force=True), commit)
        assert (of([deleted]), done) == ([False], "accepted")
        assert datasets(race.db) == {}
        unpurged = "select from tenuto.dataset_versions where purged_at is null"
        assert race.db.execute(unpurged).fetchall() == []
        return True

    assert all(race.every_order(scene))
