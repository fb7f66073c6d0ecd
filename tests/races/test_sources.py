"""Times and requests that arrive while a DAG is cut over, and twice at once."""

from datetime import timedelta
from typing import Any

from psycopg.types.json import Jsonb

from tests.sql.reactions.test_webhooks import a_dag as with_webhook
from tests.support.database.dags import cutover, deploy
from tests.support.database.interleave import Play, Race
from tests.support.database.loops import count, value
from tests.support.database.schedules import fire, schedule
from tests.support.database.tasks import DEFAULT_ORG, Db, call

NAME = "sales/extract"
VERSION = "select min((input #>> '{job,version}')::int) from tenuto.tasks"


def a_dag(task: str = "extract", **source: Any) -> dict[str, Any]:
    job = {
        "name": "extract",
        "activation": "source",
        "operator": "python",
        "config": {"task": f"shop.{task}"},
        "source": source or {"kind": "cron", "schedule": "0 3 * * *"},
        "outputs": [{"dataset": "raw"}],
    }
    return {"name": "sales", "jobs": [job]}


def a_due_source(db: Db, following: dict[str, Any]) -> Any:
    """The first version is current and its time has come; the second is ready. Returns how a dispatcher fires it."""
    for document in (a_dag(), following):
        deploy(db, document)
    cutover(db, 0, 1, name="sales")
    db.execute("update tenuto.schedules set starts_after = null")
    due = schedule(db, NAME)["next_at"]
    return lambda other: fire(other, due, due, next_at=due + timedelta(days=1), name=NAME)


def second(db: Db) -> Any:
    return cutover(db, 1, 2, name="sales")


def test_a_time_starts_one_task_of_the_version_that_is_current(race: Race) -> None:
    def scene(play: Play) -> int:
        runs, _ = play.run(a_due_source(race.db, a_dag("other")), second)
        if runs is None:  # the cutover was first and replaced the row: the next turn fires it
            assert count(race.db, "tasks") == 0
            due = schedule(race.db, NAME)["next_at"]
            assert fire(race.db, due, due, next_at=due + timedelta(days=1), name=NAME)
        assert count(race.db, "tasks") == 1
        return value(race.db, VERSION)

    assert set(race.every_order(scene)) == {1, 2}


def test_a_source_that_a_cutover_removes_fires_before_it_or_never(race: Race) -> None:
    def scene(play: Play) -> bool:
        runs, _ = play.run(a_due_source(race.db, a_dag(kind="manual")), second)
        assert count(race.db, "tasks") == (0 if runs is None else 1)
        assert schedule(race.db, NAME) == {}
        return runs is None

    assert set(race.every_order(scene)) == {True, False}


def test_a_request_that_arrives_twice_at_once_starts_one_task(race: Race) -> None:
    def receive(db: Db) -> Any:
        request = {"path": "/new", "rotation": 0, "key": "k", "body": Jsonb(1)}
        return call(db, "receive_webhook", org_id=DEFAULT_ORG, **request)

    def scene(play: Play) -> None:
        deploy(race.db, with_webhook(new="/new"))
        cutover(race.db, name="shop")
        answers = [rows[0] for rows in play.run(receive, receive)]
        assert sorted(answer["created"] for answer in answers) == [False, True]
        assert answers[0]["task_id"] == answers[1]["task_id"]
        assert count(race.db, "tasks") == 1

    race.every_order(scene)
