"""A deploy that begins to read a dataset beside a cutover that changes it: the new job learns of all partitions."""

from tests.sql.reactions.test_reader_updates import REPORTS, clear, newer
from tests.support.database.builds import advance, compute
from tests.support.database.dags import cutover, deploy, rollback
from tests.support.database.events import a_reader, commit, queued, readers
from tests.support.database.interleave import Play, Race
from tests.support.database.jobs import deployed
from tests.support.database.tasks import Db, a_worker


def two_versions(db: Db) -> None:
    """Version 1 with mon is current; version 2 has mon and tue, and is not current."""
    deployed(db, readers(a_reader("daily")))
    worker = a_worker(db)
    commit(worker, "mon")
    deployed(db, newer(), expected=1)
    commit(worker, "mon", "tue")
    rollback(db, 2, name="sales")
    advance(db)
    clear(db)


def test_a_deploy_beside_a_cutover_computes_the_partitions_of_the_new_version(race: Race) -> None:
    def scene(play: Play) -> bool:
        two_versions(race.db)

        for answer in play.run(lambda db: cutover(db, 1, 2, name="sales"), lambda db: deploy(db, REPORTS)):
            assert not isinstance(answer, Exception), answer
        started: set[tuple[str, str]] = set()
        for _ in range(3):
            advance(race.db)
            started |= {(job, key) for job, key, _rebuild in queued(race.db) if job != "daily"}
            compute(a_worker(race.db))
        cutover(race.db, name="reports")
        advance(race.db)
        started |= {(job, key) for job, key, _rebuild in queued(race.db) if job != "daily"}
        assert started == {("mail", "mon"), ("mail", "tue"), ("weekly", "mon"), ("weekly", "tue")}
        return True

    assert all(race.every_order(scene))
