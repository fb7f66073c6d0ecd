"""What workers log arrives with their heartbeats, and is bounded."""

from typing import Any

import pytest
from psycopg.types.json import Jsonb

from tenuto.model.errors import InvalidInput, NotFound
from tests.support.clock import Clock
from tests.support.database.loops import an_org
from tests.support.database.tasks import DEFAULT_ORG, Db, a_worker, call


def line(text: object, **more: object) -> dict[str, Any]:
    return {"age_seconds": 0, "level": "info", "message": text, **more}


def beat(db: Db, *lines: object, worker: str = "w") -> str:
    return call(db, "beat_worker", org_id=DEFAULT_ORG, worker_id=worker, logs=Jsonb(list(lines)))


def read(db: Db, **more: object) -> list[tuple[int, str]]:
    values = {"org_id": DEFAULT_ORG, "worker_id": "w", **more}
    return [(row["line_no"], row["message"]) for row in call(db, "read_worker_logs", **values)]


def test_lines_come_with_heartbeats_of_both_kinds_of_workers(db: Db, clock: Clock) -> None:
    worker = a_worker(db)
    lines = Jsonb([line("one", age_seconds=2.5, level="error"), line("two")])
    call(db, "heartbeat", **worker.fence, task_ids=[], attempts=[], logs=lines)
    worker.beat()
    beat(db, line("three"))

    rows = call(db, "read_worker_logs", org_id=DEFAULT_ORG, worker_id="w")

    assert [row["message"] for row in rows] == ["one", "two", "three"]
    assert (rows[0]["level"], (clock.now - rows[0]["logged_at"]).total_seconds()) == ("error", 2.5)
    assert rows[2]["logged_at"] == clock.now


def test_a_reader_gets_the_newest_lines_and_goes_on_after_them(db: Db) -> None:
    beat(db, *map(line, "abcde"))

    assert read(db, limit=2) == [(4, "d"), (5, "e")]
    assert read(db, after=5) == []
    beat(db, line("f"))
    assert read(db, after=5) == [(6, "f")]
    assert read(db, after=0, limit=1) == [(1, "a")]


def test_a_worker_keeps_its_newest_2000_lines_of_4000_characters(db: Db) -> None:
    for batch in range(5):
        beat(db, *(line(str(batch * 500 + number)) for number in range(500)))

    rows = read(db, limit=1000, after=0)
    assert (rows[0], len(rows)) == ((501, "500"), 1000)
    beat(db, *(line("x" * 5000) for _ in range(600)))
    assert db.execute("select count(*), max(length(message)) from tenuto.worker_logs").fetchone() == (2000, 4000)
    assert worker_lines(db) == 3000  # of one heartbeat, the first 500


def worker_lines(db: Db) -> int:
    row = db.execute("select log_lines from tenuto.workers where id = 'w'").fetchone()
    return row[0] if row else 0


@pytest.mark.parametrize(
    ("given", "kept"),
    [
        ("text", ("info", "text")),
        ({"message": 5, "level": ""}, ("info", "5")),
        ({"level": "w" * 100}, ("w" * 32, '{"level": "' + "w" * 100 + '"}')),
        ({"message": "late", "age_seconds": 1e300}, ("info", "late")),
        ({"message": "soon", "age_seconds": -5}, ("info", "soon")),
        ({"message": "odd", "age_seconds": "x"}, ("info", "odd")),
        (None, ("info", "")),
    ],
)
def test_lines_of_any_shape_are_kept(db: Db, given: object, kept: tuple[str, str]) -> None:
    beat(db, given)

    assert db.execute("select level, message from tenuto.worker_logs").fetchone() == kept


def test_logs_that_are_no_array_are_refused(db: Db) -> None:
    with pytest.raises(InvalidInput, match="not an array"):
        call(db, "beat_worker", org_id=DEFAULT_ORG, worker_id="w", logs=Jsonb({"message": "x"}))


def test_a_terminated_worker_writes_no_lines(db: Db) -> None:
    beat(db, line("one"))
    call(db, "terminate_worker", org_id=DEFAULT_ORG, worker_id="w")

    assert beat(db, line("two")) == "terminated"

    assert read(db) == [(1, "one")]


def test_lines_go_after_48_hours_and_with_their_worker(db: Db, clock: Clock) -> None:
    beat(db, line("old"))
    clock.advance(hours=47)
    beat(db, line("new"))
    clock.advance(hours=2)

    (pruned,) = call(db, "prune_workers")

    assert (pruned["log_lines"], read(db)) == (1, [(2, "new")])
    call(db, "terminate_worker", org_id=DEFAULT_ORG, worker_id="w")
    clock.advance(days=15)
    assert call(db, "prune_workers", limit=0)[0]["workers"] == 0
    assert call(db, "prune_workers")[0]["workers"] == 1
    assert db.execute("select count(*) from tenuto.worker_logs").fetchone() == (0,)


def test_the_log_of_a_worker_of_another_org_is_not_found(db: Db) -> None:
    beat(db, line("mine"))
    other = an_org(db, "other")

    with pytest.raises(NotFound, match="no worker w"):
        read(db, org_id=other)
    with pytest.raises(NotFound, match="no worker w"):
        call(db, "list_worker_history", org_id=other, worker_id="w")


@pytest.mark.parametrize("limit", [0, 1001])
def test_a_page_of_lines_is_bounded(db: Db, limit: int) -> None:
    beat(db, line("x"))

    with pytest.raises(InvalidInput, match="between 1 and 1000"):
        read(db, limit=limit)


def test_the_history_of_a_worker_is_its_lives(db: Db, clock: Clock) -> None:
    first = a_worker(db)
    clock.advance(seconds=10)
    second = a_worker(db)
    call(db, "close_session", **second.fence)
    clock.advance(seconds=10)
    third = a_worker(db)

    lives = call(db, "list_worker_history", org_id=DEFAULT_ORG, worker_id="w")

    assert [(life["session_id"], life["end_reason"]) for life in lives] == [
        (third.session_id, None),
        (second.session_id, "closed"),
        (first.session_id, "replaced"),
    ]
    assert lives[0]["lease_expires_at"] is not None
    assert lives[1]["lease_expires_at"] is None
    page = call(db, "list_worker_history", org_id=DEFAULT_ORG, worker_id="w", before=second.session_id, limit=1)
    assert [life["session_id"] for life in page] == [first.session_id]
