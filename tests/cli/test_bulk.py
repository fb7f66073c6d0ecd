"""Runs selected by a filter, ids by their beginning, and what lists and details show."""

from collections.abc import Callable
from typing import Any

from tests.support.database.loops import fenced, run
from tests.support.database.tasks import DEFAULT_ORG, Db, a_worker, call, start, start_one, status, statuses
from tests.support.http.both_ways import run_here as tenuto

Asked = Callable[..., Any]
MAIL = {"type": "shop.mail", "queue": "mail", "max_attempts": 1}


def failed(db: Db, *inputs: object) -> list[Any]:
    runs = start(db, *inputs, kind=MAIL)
    worker = a_worker(db)
    worker.fail(*worker.claim(100), final=True)
    return runs


def test_failed_runs_are_retried_by_filter_with_one_audit_entry(db: Db, database: str, asked: Asked) -> None:
    runs = failed(db, 1, 2, 3)
    chosen = ("--status", "failed", "--type", "shop.mail", "--since", "1h")

    dry = tenuto("runs", "retry", *chosen, "--dry-run", TENUTO_DATABASE_URL=database)
    assert dry.stdout.splitlines() == [*map(str, runs[::-1]), "would retry 3 runs"]
    done = asked("runs", "retry", *chosen)

    assert done["runs"] == [str(id) for id in runs[::-1]]
    assert [str(run(db, id)["retried_by"]) for id in runs[::-1]] == done["new_runs"]
    (entry,) = call(db, "list_audit", org_id=DEFAULT_ORG, action="retry")
    assert entry["entity_id"] == f"{done['runs'][0]} and 2 more"
    assert entry["changes"] == {
        "runs": {"new": 3}, "first_ids": {"new": done["runs"]}, "retried_as": {"new": done["new_runs"]},
    }  # fmt: skip
    assert asked("runs", "retry", "--type", "shop.mail")["runs"] == []


def test_runs_are_cancelled_and_deleted_and_a_queue_is_purged(db: Db, database: str, asked: Asked) -> None:
    first, second = start(db, 1, 2, kind=MAIL)
    kept = start_one(db)

    assert asked("queues", "purge", "mail", "--dry-run")["tasks"] == [str(second), str(first)]
    said = tenuto("queues", "purge", "mail", "--reason", "twice", TENUTO_DATABASE_URL=database).stdout
    assert (said, statuses(db, [first, second])) == ("cancelled 2 tasks\n", ["cancelled", "cancelled"])
    third = start_one(db, kind=MAIL)
    assert asked("runs", "cancel", "--type", "shop.mail", "--reason", "no")["runs"] == [str(third)]
    listed = tenuto("runs", "list", "--status", "cancelled", TENUTO_DATABASE_URL=database).stdout.splitlines()
    assert [line.split()[-1] for line in listed] == ["ERROR", "no", "twice", "twice"]
    assert len(asked("runs", "delete", "--status", "cancelled")["runs"]) == 3
    assert status(db, kept) == "queued"


def test_a_run_and_a_filter_are_not_mixed_and_one_of_them_is_needed(database: str) -> None:
    both = tenuto("runs", "retry", "0191", "--status", "failed", TENUTO_DATABASE_URL=database)
    neither = tenuto("runs", "delete", TENUTO_DATABASE_URL=database)

    assert (both.returncode, neither.returncode) == (2, 2)
    assert "not both" in both.stderr
    assert "write the id of a RUN, or select runs with --status, --type, --name or --since" in neither.stderr


def test_the_beginning_of_an_id_is_enough_if_only_one_begins_so(db: Db, database: str, asked: Asked) -> None:
    one, other = start(db, 1, 2)

    assert asked("runs", "show", str(one)[:35])["id"] == str(one)
    assert asked("tasks", "show", str(other)[:35])["task"]["id"] == str(other)
    several = tenuto("runs", "show", str(one)[:4], TENUTO_DATABASE_URL=database)
    assert several.returncode == 2
    assert f"is the beginning of several ids: {other}, {one}; write more of it" in several.stderr


def test_a_task_shows_attempts_steps_signals_and_its_key_and_nothing_internal(db: Db, database: str) -> None:
    (task,) = start(db, 1, kind={"type": "shop.mail", "max_attempts": 3, "backoff_seconds": 0}, dedupe_keys=["order-7"])
    worker = a_worker(db)
    worker.fail(worker.claim_one())
    call(db, "promote_due")
    held = worker.claim_one()
    call(db, "record_step", **fenced(worker, held, step_no=1, name="charge", kind="step", value={"id": 7}))
    call(db, "send_signal", org_id=DEFAULT_ORG, run_id=task, name="go", value={"by": "eve"})
    call(db, "cancel_run", org_id=DEFAULT_ORG, run_id=task, reason="customer left")
    worker.fail(held)

    shown = tenuto("tasks", "show", str(task), TENUTO_DATABASE_URL=database).stdout
    lines = [" ".join(line.split()) for line in shown.splitlines()]

    assert {"attempt 2 of 3", "dedupe_key order-7", "error boom (customer left)"} <= set(lines)
    assert any(line.startswith("1 of 3 retrying") for line in lines)
    assert any(line.startswith("1 charge step") and line.endswith('{"id": 7}') for line in lines)
    assert any(line.startswith("go 2") and line.endswith('{"by": "eve"}') for line in lines)
    internal = ("group_no", "has_slots", "session_id", "run_attempt", "lease_token", "org_id", "position")
    assert [name for name in internal if name in shown] == []
    assert tenuto("runs", "list", TENUTO_DATABASE_URL=database).stdout.splitlines()[1].endswith("customer left")
