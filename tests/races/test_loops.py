"""Versions of several DAGs that together close a loop, at the same time: never all of them become current."""

from functools import partial
from typing import Any

import pytest

from tenuto.model.errors import Conflict
from tests.sql.datasets.test_find_loop import a_dag, a_job, a_source
from tests.support.database.dags import cutover, deploy, rollback
from tests.support.database.interleave import Play, Race, Transaction, several
from tests.support.database.jobs import deployed
from tests.support.database.tasks import Db

FIRST = a_dag("first", a_job("run", "b0", "a0"))
SECOND = a_dag("second", a_job("run", "a0", "b0"))
SOURCES = (a_dag("first", a_source("a0")), a_dag("second", a_source("b0")))


def refused(answers: list[Any]) -> list[int]:
    """The numbers of the calls that were refused, as a conflict that names the loop."""
    assert all(isinstance(answer, dict | Conflict) for answer in answers), answers
    return [number for number, answer in enumerate(answers) if isinstance(answer, Conflict)]


def current(db: Db) -> set[str]:
    """The DAGs whose current version has a job that reads the other one."""
    rows = db.execute(
        "select d.name from tenuto.dags d join tenuto.dag_current_versions c on c.dag_id = d.id"
        " join tenuto.job_inputs i on i.dag_version_id = c.dag_version_id"
    ).fetchall()
    return {name for (name,) in rows}


def deploy_and_cutover(db: Db, document: dict[str, Any]) -> Any:
    """Deploys a document and makes its version current, in one transaction, as the command does."""
    deploy(db, document)
    return cutover(db, 1, 2, name=document["name"], force=True)


def deploy_then_cutover(document: dict[str, Any]) -> Transaction:
    """The same as two calls, so that the other transaction can get between them."""
    return several(
        lambda db: deploy(db, document),
        lambda db: cutover(db, 1, 2, name=document["name"], force=True),
    )


def only_reads(name: str, reads: str, publishes: str) -> dict[str, Any]:
    """A DAG whose job reads a dataset of another DAG without being triggered by it."""
    job = a_job("run", f"{name}_raw", publishes)
    job["inputs"].append({"from": {"dataset": reads}, "trigger": False})
    return a_dag(name, a_source(f"{name}_raw"), job)


def test_of_two_deploys_that_close_a_loop_together_one_wins(race: Race) -> None:
    def scene(play: Play) -> int:
        for document in SOURCES:
            deployed(race.db, document)
        answers = play.run(partial(deploy_and_cutover, document=FIRST), partial(deploy_and_cutover, document=SECOND))
        (loser,) = refused(answers)
        assert current(race.db) == {("second", "first")[loser]}
        return loser

    assert set(race.every_order(scene)) == {0, 1}


def test_of_two_cutovers_that_close_a_loop_together_one_wins(race: Race) -> None:
    def scene(play: Play) -> int:
        for document in (*SOURCES, FIRST, SECOND):
            deploy(race.db, document)
        cutover(race.db, 0, 1, name="first")
        cutover(race.db, 0, 1, name="second")
        (loser,) = refused(
            play.run(
                lambda db: cutover(db, 1, 2, name="first", force=True),
                lambda db: cutover(db, 1, 2, name="second", force=True),
            )
        )
        assert current(race.db) == {("second", "first")[loser]}
        return loser

    assert set(race.every_order(scene)) == {0, 1}


def test_a_rollback_and_a_cutover_that_close_a_loop_together_never_both_win(race: Race) -> None:
    def scene(play: Play) -> int:
        deployed(race.db, SOURCES[1])
        deployed(race.db, FIRST)
        deployed(race.db, SOURCES[0], expected=1)
        deploy(race.db, SECOND)
        (loser,) = refused(
            play.run(
                lambda db: rollback(db, 2, name="first"),
                lambda db: cutover(db, 1, 2, name="second", force=True),
            )
        )
        assert current(race.db) == {("second", "first")[loser]}
        return loser

    assert set(race.every_order(scene)) == {0, 1}


@pytest.mark.parametrize("first", [FIRST, only_reads("first", "b0", "a0")], ids=["triggered", "only read"])
def test_dags_that_read_each_other_never_wait_for_each_other(race: Race, first: dict[str, Any]) -> None:
    def scene(play: Play) -> None:
        for document in SOURCES:
            deployed(race.db, document)
        second = only_reads("second", "a0", "b0")
        answers = play.run(deploy_then_cutover(first), deploy_then_cutover(second))
        assert refused([answer for answers_of_one in answers for answer in answers_of_one]) == []
        assert current(race.db) == {"first", "second"}

    race.every_order(scene, 2, 2)
