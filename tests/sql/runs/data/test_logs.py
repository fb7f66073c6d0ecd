"""What attempts wrote to their log."""

from typing import Any
from uuid import UUID, uuid4

import psycopg
import pytest
from psycopg.types.json import Jsonb

from tenuto.model.errors import InvalidInput, SessionEnded, TooLarge
from tests.support.clock import Clock
from tests.support.database.loops import an_org, count, lose_workers
from tests.support.database.tasks import DEFAULT_ORG, Worker, a_worker, call, start_graph, start_one
from tests.support.database.value_bounds import json_of


def write(worker: Worker, *lines: dict[str, Any]) -> int:
    return call(worker.db, "write_logs", **worker.fence, lines=Jsonb(list(lines)))


def line(task_id: UUID, number: int, message: str = "hello", **more: Any) -> dict[str, Any]:
    return {"task_id": str(task_id), "attempt": 1, "line_no": number, "message": message, **more}


def read(db: psycopg.Connection, task_id: UUID, **place: Any) -> list[tuple[int, int, str]]:
    rows = call(db, "read_logs", org_id=DEFAULT_ORG, task_id=task_id, **place)
    return [(row["attempt"], row["line_no"], row["message"]) for row in rows]


def test_lines_come_back_in_order_with_what_they_say(db: psycopg.Connection, clock: Clock) -> None:
    task_id = start_one(db)
    worker = a_worker(db)
    worker.claim_one()
    at = "2026-01-02T03:04:05+00:00"

    assert (
        write(worker, line(task_id, 2, "b"), line(task_id, 1, "a", level="error", fields={"n": 1}, logged_at=at)) == 2
    )

    assert read(db, task_id) == [(1, 1, "a"), (1, 2, "b")]
    first, second = call(db, "read_logs", org_id=DEFAULT_ORG, task_id=task_id)
    assert (first["level"], first["fields"], first["logged_at"].isoformat()) == ("error", {"n": 1}, at)
    assert (second["level"], second["fields"], second["logged_at"]) == ("info", None, clock.now)


def test_a_line_sent_twice_is_kept_once(db: psycopg.Connection) -> None:
    task_id = start_one(db)
    worker = a_worker(db)
    worker.claim_one()
    write(worker, line(task_id, 1, "first"))

    assert write(worker, line(task_id, 1, "again"), line(task_id, 2, "next")) == 1

    assert read(db, task_id) == [(1, 1, "first"), (1, 2, "next")]


def test_an_attempt_writes_at_most_10_000_lines_of_8_kb(db: psycopg.Connection) -> None:
    task_id = start_one(db)
    worker = a_worker(db)
    worker.claim_one()

    written = write(
        worker, line(task_id, 0), line(task_id, 10_000, "x" * 9000), line(task_id, 10_001), line(task_id, -1)
    )

    assert written == 1
    assert [(number, len(message)) for _, number, message in read(db, task_id)] == [(10_000, 8192)]


def test_a_reader_goes_on_after_the_last_line_it_saw(db: psycopg.Connection) -> None:
    task_id = start_one(db)
    worker = a_worker(db)
    worker.claim_one()
    write(worker, *[line(task_id, n, attempt=a) for a in (1, 2) for n in (1, 2)])

    assert [row[:2] for row in read(db, task_id, limit=3)] == [(1, 1), (1, 2), (2, 1)]
    assert [row[:2] for row in read(db, task_id, after_attempt=2, after_line=1)] == [(2, 2)]
    assert read(db, task_id, after_attempt=2, after_line=2) == []


def test_no_page_is_longer_than_a_thousand_lines(db: psycopg.Connection) -> None:
    task_id = start_one(db)
    worker = a_worker(db)
    worker.claim_one()
    write(worker, *[line(task_id, n) for n in range(1, 1102)])

    assert len(read(db, task_id, limit=5000)) == 1000
    assert len(read(db, task_id, after_attempt=1, after_line=1000)) == 101


def test_a_lost_attempt_may_still_say_what_happened(db: psycopg.Connection, clock: Clock) -> None:
    task_id = start_one(db)
    worker = a_worker(db)
    worker.claim_one()
    lose_workers(db, clock)

    assert write(worker, line(task_id, 1, "last words")) == 1


def test_another_orgs_task_gets_no_lines_and_shows_none(db: psycopg.Connection) -> None:
    task_id = start_one(db)
    theirs = an_org(db, "other")
    stranger = a_worker(db, org_id=theirs)

    assert write(stranger, line(task_id, 1, "forged"), line(uuid4(), 1, "nobody's")) == 0

    assert count(db, "task_logs") == 0
    write(a_worker(db), line(task_id, 1, "mine"))
    assert call(db, "read_logs", org_id=theirs, task_id=task_id) == []


def test_only_a_session_writes_logs(db: psycopg.Connection) -> None:
    task_id = start_one(db)
    worker = a_worker(db)

    with pytest.raises(SessionEnded):
        call(db, "write_logs", session_id=worker.session_id, token=uuid4(), lines=Jsonb([line(task_id, 1)]))


@pytest.mark.parametrize(
    "lines",
    [{"a": 1}, "text", [5], [{"task_id": "no id"}], [{"line_no": "one"}]],
    ids=["an object", "a text", "numbers", "a bad id", "a bad number"],
)
def test_lines_that_are_no_lines_are_refused(db: psycopg.Connection, lines: object) -> None:
    worker = a_worker(db)

    with pytest.raises(InvalidInput):
        call(db, "write_logs", **worker.fence, lines=Jsonb(lines))


@pytest.mark.parametrize("missing", ["attempt", "message", "line_no"])
def test_a_line_without_a_place_or_a_text_does_not_lose_its_neighbours(db: psycopg.Connection, missing: str) -> None:
    task_id = start_one(db)
    worker = a_worker(db)
    broken = {name: value for name, value in line(task_id, 1).items() if name != missing}

    write(worker, broken, line(task_id, 2))

    assert (1, 2, "hello") in read(db, task_id)


def test_fields_beyond_eight_kilobytes_say_how_many_they_were(db: psycopg.Connection) -> None:
    task_id = start_one(db)
    worker = a_worker(db)
    kept, cut = (json_of(db, size, lambda text: {"row": text}) for size in (8192, 8193))

    write(worker, {**line(task_id, 1), "fields": kept}, {**line(task_id, 2), "fields": cut, "level": "l" * 100})

    rows = db.execute("select fields, level from tenuto.task_logs order by line_no").fetchall()
    assert rows == [(kept, "info"), ({"cut_bytes": 8193}, "l" * 32)]


def test_a_call_takes_at_most_ten_thousand_lines(db: psycopg.Connection) -> None:
    task_id = start_one(db)
    worker = a_worker(db)
    lines = [line(task_id, number) for number in range(1, 10_002)]

    with pytest.raises(TooLarge, match="10001 log lines"):
        write(worker, *lines)
    assert count(db, "task_logs") == 0

    assert write(worker, *lines[:-1]) == 10_000


def test_the_lines_of_a_run_come_by_time_with_their_tasks_and_page_by_page(db: psycopg.Connection) -> None:
    details = [{"task": 0, "name": "first"}]
    run_id, (one, two) = start_graph(db, 2, details=details)
    other = start_one(db)
    worker = a_worker(db)
    worker.claim(3)
    at = [f"2026-01-02T03:04:0{second}+00:00" for second in range(4)]
    write(worker, line(one, 1, "a", logged_at=at[0]), line(one, 2, "c", logged_at=at[2]), line(other, 1, "not mine"))
    write(
        worker,
        line(two, 1, "b", logged_at=at[1]),
        line(two, 2, "d", logged_at=at[2]),
        line(two, 3, "e", logged_at=at[3]),
    )

    def page(**place: Any) -> list[dict[str, Any]]:
        return call(db, "read_run_logs", org_id=DEFAULT_ORG, run_id=run_id, **place)

    assert [(row["task"], row["message"]) for row in page()] == [
        ("first", "a"), ("app.work", "b"), ("first", "c"), ("app.work", "d"), ("app.work", "e"),
    ]  # fmt: skip
    last = page(limit=3)[-1]
    keys = {"task_id": "after_task", "attempt": "after_attempt", "line_no": "after_line", "logged_at": "after"}
    assert [row["message"] for row in page(**{keys[name]: last[name] for name in keys})] == ["d", "e"]
    assert [row["message"] for row in page(after=at[2])] == ["c", "d", "e"]
    assert call(db, "read_run_logs", org_id=an_org(db, "other"), run_id=run_id) == []
