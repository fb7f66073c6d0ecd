"""Task types with most to do first, for the metrics."""

from tests.support.database.tasks import DEFAULT_ORG, Db, a_worker, call, start


def test_types_are_listed_by_their_open_tasks(db: Db) -> None:
    start(db, 1, kind={"type": "app.few"})
    start(db, 1, 2, 3, kind={"type": "app.many"})
    a_worker(db).claim(4)

    rows = call(db, "list_type_activity", org_id=DEFAULT_ORG)

    assert [(row["type"], row["queued"], row["running"]) for row in rows] == [("app.many", 0, 3), ("app.few", 0, 1)]
    (first,) = call(db, "list_type_activity", org_id=DEFAULT_ORG, limit=1)
    assert first["type"] == "app.many"
