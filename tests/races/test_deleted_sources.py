"""A dataset that is deleted and published again, or whose name another one takes, beside deploys, commits and events of
its readers: what was computed from the old one is never taken for data of the new one."""

from dataclasses import replace
from typing import Any

from tenuto.model.errors import Conflict, NotFound
from tests.sql.reactions.test_delete_dag import delete
from tests.sql.reactions.test_deleted_sources import PRODUCER, REPORTS, WITHOUT, again, take_name, work
from tests.support.database.builds import advance
from tests.support.database.dags import deploy
from tests.support.database.events import commit, route
from tests.support.database.interleave import Play, Race
from tests.support.database.jobs import deployed, partitions, publish
from tests.support.database.tasks import Db, Worker, a_worker

# Versions of datasets that were computed from more than one dataset for the same input.
MIXED = """
select s.dataset_version_id
from tenuto.dag_version_datasets s
join tenuto.jobs j on j.dag_version_id = s.dag_version_id and j.job_key = s.job_key
join tenuto.job_inputs i on i.job_id = j.id
group by s.dataset_version_id, i.no
having count(distinct i.dataset_id) > 1
"""
# The DAG whose dataset a version of reports reads.
SOURCE = """
select g.name
from tenuto.dag_versions v
join tenuto.dags r on r.id = v.dag_id and r.name = 'reports'
join tenuto.job_inputs i on i.dag_version_id = v.id and i.parent_key is null
join tenuto.datasets d on d.id = i.dataset_id
join tenuto.dags g on g.id = d.dag_id
where v.version = %s
"""


def reader_left(db: Db, worker: Worker) -> None:
    """Version 1 of reports has computed a partition; version 2, which reads nothing, is current."""
    deployed(db, PRODUCER)
    deployed(db, REPORTS)
    commit(worker, "mon")
    work(db, worker)
    deployed(db, WITHOUT, expected=1)
    advance(db)


def test_a_deploy_beside_a_deletion_and_a_new_dataset_takes_one_of_both(race: Race) -> None:
    def scene(play: Play) -> bool:
        reader_left(race.db, a_worker(race.db))

        def replace_producer(db: Db) -> Any:
            delete(db)
            return deploy(db, PRODUCER)

        replaced, new = play.run(replace_producer, lambda db: deploy(db, again(REPORTS)))

        refused = isinstance(replaced, Exception)
        assert not refused or isinstance(replaced, Conflict), replaced
        assert not isinstance(new, Exception), new
        assert race.db.execute(MIXED).fetchall() == []
        return refused

    assert set(race.every_order(scene)) == {True, False}


def test_a_deploy_beside_a_dataset_that_takes_the_name_of_a_renamed_one_takes_one_of_both(race: Race) -> None:
    def scene(play: Play) -> str | None:
        reader_left(race.db, a_worker(race.db))

        taken, new = play.run(take_name, lambda db: deploy(db, again(REPORTS)))

        assert not isinstance(taken, Exception), taken
        assert race.db.execute(MIXED).fetchall() == []
        if isinstance(new, Exception):  # neither has the name
            assert isinstance(new, NotFound), new
            return None
        row = race.db.execute(SOURCE, [new["version"]]).fetchone()
        assert row is not None
        return row[0]

    assert {"sales", "newcomer"} <= set(race.every_order(scene))


def test_a_commit_of_a_reader_beside_the_deletion_of_what_it_read_is_not_seen_later(race: Race) -> None:
    def scene(play: Play) -> bool:
        worker = a_worker(race.db)
        deployed(race.db, PRODUCER)
        deployed(race.db, REPORTS)
        commit(worker, "mon")
        advance(race.db)
        (late,) = worker.claim(10)
        deployed(race.db, WITHOUT, expected=1)

        def finish(db: Db) -> Any:
            return publish(replace(worker, db=db), late, "mon")

        deleted, done = play.run(lambda db: delete(db, force=True), finish)
        assert (isinstance(deleted, Exception), done) == (False, "accepted")
        deployed(race.db, PRODUCER)
        deployed(race.db, again(REPORTS), expected=2)
        work(race.db, worker)
        assert partitions(race.db, "out_weekly") == {}
        return True

    assert all(race.every_order(scene))


def test_events_of_the_new_dataset_beside_the_deploy_of_its_reader_are_not_lost(race: Race) -> None:
    def scene(play: Play) -> bool:
        worker = a_worker(race.db)
        reader_left(race.db, worker)
        delete(race.db)
        deployed(race.db, PRODUCER)
        commit(worker, "tue")

        for answer in play.run(route, lambda db: deploy(db, again(REPORTS), auto=True)):
            assert not isinstance(answer, Exception), answer
        work(race.db, worker)
        assert set(partitions(race.db, "out_monthly")) == {"tue"}
        return True

    assert all(race.every_order(scene))
