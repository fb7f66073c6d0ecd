"""Search by name or id: own org only, only the kinds that were asked for, exact names first."""

from uuid import UUID

from tests.support.database.dags import deploy
from tests.support.database.tasks import DEFAULT_ORG, Db, a_worker, call, start_graph, start_one

ALL = ["run", "task", "type", "worker", "dataset", "dag", "queue", "schedule"]


def search(db: Db, text: str, kinds: list[str] = ALL, org_id: UUID = DEFAULT_ORG, **more: int) -> list[tuple[str, str]]:
    rows = call(db, "search_names", org_id=org_id, text=text, kinds=kinds, **more)
    return [(row["kind"], row["name"]) for row in rows]


def test_names_are_found_by_a_part_of_them_and_runs_by_their_beginning(db: Db) -> None:
    for name in ("nightly", "nightly report", "other"):
        start_graph(db, 1, run={"name": name})
    a_worker(db, "night-shift")
    deploy(db)

    assert search(db, "nightly") == [("run", "nightly"), ("run", "nightly report")]
    assert search(db, "SHIFT") == [("worker", "night-shift")]
    assert search(db, "nightly", limit=1) == [("run", "nightly")]
    assert ("dag", "orders") in search(db, "orders")
    assert search(db, "100%_") == []


def test_an_id_finds_its_run_and_task_from_twelve_digits_on(db: Db) -> None:
    task_id = start_one(db)

    assert search(db, str(task_id)) == [("run", str(task_id)), ("task", "app.work")]
    assert ("task", "app.work") in search(db, str(task_id)[:14])
    assert search(db, str(task_id)[:8]) == []


def test_other_orgs_and_kinds_that_were_not_asked_for_are_left_out(db: Db) -> None:
    other = call(db, "create_org", slug="other")
    task_id = start_one(db)
    a_worker(db, "here")

    assert search(db, "here", org_id=other) == []
    assert search(db, str(task_id), org_id=other) == []
    assert search(db, "here", kinds=["run"]) == []
    assert search(db, str(task_id), kinds=["task"]) == [("task", "app.work")]
