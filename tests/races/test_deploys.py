"""Deploys, cutovers and rollbacks against each other: the DAG and its datasets always show the same version."""

from typing import Any

from tenuto.model.errors import Conflict, Forbidden
from tests.dag.documents import a_document, with_job
from tests.support.database.dags import cutover, deploy, rollback
from tests.support.database.interleave import Play, Race
from tests.support.database.tasks import DEFAULT_ORG, Db, call

EDITED = with_job("daily", config={"sql": "select 2"})
OTHER = a_document(name="other")
# Datasets whose pointers differ from those of the current version of their DAG.
TORN = """
select d.name
from tenuto.datasets d
left join tenuto.dag_current_versions c on c.dag_id = d.dag_id
left join tenuto.dag_version_datasets s on s.dag_version_id = c.dag_version_id and s.dataset_id = d.id
where (d.current_version_id, d.job_key, d.output) is distinct from (s.dataset_version_id, s.job_key, s.output)
"""
STATE = """
select array_agg(v.version order by v.version) filter (where v.status = 'current'),
       array_agg(v.version order by v.version) filter (where v.id = c.dag_version_id)
from tenuto.dag_versions v left join tenuto.dag_current_versions c on c.dag_id = v.dag_id
"""


def current(race: Race) -> int | None:
    """The version that is current by its status and by the pointer, which must agree, with all of its datasets."""
    assert race.db.execute(TORN).fetchall() == []
    ((by_status, by_pointer),) = race.db.execute(STATE).fetchall()
    assert by_status == by_pointer
    return by_status[0] if by_status else None


def won(answers: list[Any]) -> list[int]:
    """The numbers of the calls that were not refused; the others met a conflict."""
    assert all(isinstance(answer, dict | Conflict) for answer in answers), answers
    return [number for number, answer in enumerate(answers) if isinstance(answer, dict)]


def test_two_deployers_of_one_document_share_a_version(race: Race) -> None:
    def scene(play: Play) -> bool:
        first, second = play.run(deploy, deploy)
        assert first["version"] == second["version"] == 1
        return first["created"] and not second["created"]

    assert set(race.every_order(scene)) == {True, False}


def test_two_deployers_of_different_documents_get_two_versions(race: Race) -> None:
    def scene(play: Play) -> set[int]:
        deploy(race.db, with_job("daily", config={"sql": "select 0"}))
        answers = play.run(deploy, lambda db: deploy(db, EDITED))
        return {answer["version"] for answer in answers}

    assert all(versions == {2, 3} for versions in race.every_order(scene))


def test_of_two_dags_with_one_dataset_one_gets_it(race: Race) -> None:
    def scene(play: Play) -> int:
        (winner,) = won(play.run(deploy, lambda db: deploy(db, OTHER)))
        return winner

    assert set(race.every_order(scene)) == {0, 1}


def test_of_two_cutovers_from_the_same_version_one_wins(race: Race) -> None:
    def scene(play: Play) -> int:
        deploy(race.db)
        deploy(race.db, EDITED)
        (winner,) = won(play.run(lambda db: cutover(db, 0, 1), lambda db: cutover(db, 0, 2)))
        assert current(race) == winner + 1
        return winner

    assert set(race.every_order(scene)) == {0, 1}


def test_a_cutover_and_a_rollback_never_both_win(race: Race) -> None:
    def arrange(db: Db) -> None:
        deploy(db)
        cutover(db)
        deploy(db, EDITED)
        cutover(db, 1)
        deploy(db, with_job("daily", config={"sql": "select 3"}))

    def scene(play: Play) -> int:
        arrange(race.db)
        (winner,) = won(play.run(lambda db: cutover(db, 2), lambda db: rollback(db, 2)))
        assert current(race) == (3, 1)[winner]
        return winner

    assert set(race.every_order(scene)) == {0, 1}


def test_a_purge_and_a_rollback_to_what_it_purges_never_both_win(race: Race) -> None:
    def purge(db: Db) -> Any:
        return call(db, "purge_dataset", org_id=DEFAULT_ORG, name="orders_daily", keep=1)

    def scene(play: Play) -> bool:
        deploy(race.db)
        cutover(race.db)
        deploy(race.db, EDITED)
        cutover(race.db, 1)
        back, purged = play.run(lambda db: rollback(db, 2), purge)
        refused = isinstance(back, Conflict)
        assert current(race) == (2 if refused else 1)
        assert [row["dag_versions"] for row in purged] == [[1 if refused else 2]]
        return refused

    assert set(race.every_order(scene)) == {True, False}


def test_a_grant_and_a_cutover_do_not_widen_readers_together(race: Race) -> None:
    def grant(db: Db) -> None:
        call(db, "grant_dataset", org_id=DEFAULT_ORG, name="orders_daily", role="sales")

    def scene(play: Play) -> tuple[bool, ...]:
        document = with_job("daily", outputs=[{"dataset": "orders_daily"}])
        document["jobs"][1]["inputs"] = [{"from": {"dataset": "other_raw"}}]
        document["jobs"][1]["execution_strategy"] = "PerUpdate"
        source = {**OTHER["jobs"][0], "outputs": [{"dataset": "other_raw"}]}
        deploy(race.db, {**OTHER, "jobs": [source]})
        cutover(race.db, name="other")
        deploy(race.db)
        cutover(race.db)
        call(race.db, "create_role", org_id=DEFAULT_ORG, name="sales")
        call(race.db, "grant_dataset", org_id=DEFAULT_ORG, name="orders_raw", role="sales")
        deploy(race.db, document)
        call(race.db, "set_org_settings", org_id=DEFAULT_ORG, settings={"wider_readers": "deny"})
        results = play.run(grant, lambda db: cutover(db, expected=1, version=2, force=True))
        return tuple(isinstance(result, Forbidden) for result in results)

    assert set(race.every_order(scene)) == {(True, False), (False, True)}
