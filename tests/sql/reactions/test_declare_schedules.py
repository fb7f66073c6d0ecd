"""An app declares its schedules: those listed are put, those of its other types deleted, and changes returned."""

from datetime import timedelta
from typing import Any

import pytest
from psycopg.types.json import Jsonb

from tenuto.model.errors import Forbidden, InvalidInput
from tests.support.clock import Clock
from tests.support.database.limits import a_key, a_queue
from tests.support.database.loops import an_org
from tests.support.database.tasks import DEFAULT_ORG, Db, a_worker, call

DAY = timedelta(days=1)


def declared(clock: Clock, name: str = "a.report", *, queue: str | None = "mail", **more: Any) -> dict[str, Any]:
    kind = {"type": name} if queue is None else {"type": name, "queue": queue}
    return {"name": name, "kind": kind, "cron": "0 9 * * *", "next_at": clock.now.isoformat(), **more}


def declare(db: Db, types: list[str], *schedules: dict[str, Any], **more: Any) -> list[tuple[str, str]]:
    """The names and actions of what changed."""
    rows = call(
        db, "declare_schedules", **{"org_id": DEFAULT_ORG, "types": types, "schedules": Jsonb(list(schedules)), **more}
    )
    return [(row["name"], row["action"]) for row in rows]


def names(db: Db) -> list[str]:
    return [row["name"] for row in call(db, "list_schedules", org_id=DEFAULT_ORG)]


def test_schedules_are_put_and_those_of_types_without_one_deleted(db: Db, clock: Clock) -> None:
    declare(db, ["b.other"], declared(clock, "b.other"))
    types = ["a.report", "a.tidy"]

    assert declare(db, types, declared(clock), declared(clock, "a.tidy")) == [("a.report", "put"), ("a.tidy", "put")]
    assert declare(db, types, declared(clock)) == [("a.tidy", "delete")]
    assert names(db) == ["a.report", "b.other"]


def test_the_same_declaration_again_changes_nothing(db: Db, clock: Clock) -> None:
    for changes in ([("a.report", "put")], [], []):
        assert (
            declare(db, ["a.report"], declared(clock, input=[1], details={"priority": 1}, jitter_seconds=5)) == changes
        )


def test_the_changes_are_the_fields_that_differ(db: Db, clock: Clock) -> None:
    first = {"org_id": DEFAULT_ORG, "types": ["a.report"], "schedules": Jsonb([declared(clock, input=[1])])}
    (new,) = call(db, "declare_schedules", **first)
    second = {**first, "schedules": Jsonb([declared(clock, cron="0 10 * * *", input=[1])])}
    (changed,) = call(db, "declare_schedules", **second)
    (deleted,) = call(db, "declare_schedules", **{**first, "schedules": Jsonb([])})

    assert new["changes"]["cron"] == {"old": None, "new": "0 9 * * *"}
    assert set(new["changes"]) == {"kind", "input", "cron", "timezone", "catch_up", "jitter_seconds"}
    assert changed["changes"] == {"cron": {"old": "0 9 * * *", "new": "0 10 * * *"}}
    assert deleted["changes"] == {"cron": {"old": "0 10 * * *"}}


def test_defaults_are_those_of_put_schedule_also_for_null(db: Db, clock: Clock) -> None:
    declare(db, [], declared(clock), declared(clock, "b", input=None, details=None, timezone=None, catch_up=None))

    for row in call(db, "list_schedules", org_id=DEFAULT_ORG):
        assert (row["input"], row["details"], row["timezone"], row["catch_up"], row["jitter_seconds"]) == (
            None, None, "UTC", "one", 0,
        )  # fmt: skip


def test_the_next_time_stays_unless_the_cron_changes(db: Db, clock: Clock) -> None:
    declare(db, [], declared(clock))
    later = (clock.now + DAY).isoformat()
    declare(db, [], declared(clock, next_at=later, jitter_seconds=1))
    assert call(db, "get_schedule", org_id=DEFAULT_ORG, name="a.report")[0]["next_at"] == clock.now

    declare(db, [], declared(clock, next_at=later, cron="0 10 * * *"))
    assert call(db, "get_schedule", org_id=DEFAULT_ORG, name="a.report")[0]["next_at"] == clock.now + DAY


def test_a_key_for_other_queues_neither_puts_nor_deletes(db: Db, clock: Clock) -> None:
    declare(db, [], declared(clock))

    for types, schedules in (
        ([], [declared(clock, "a.new")]),
        (["a.report"], []),
        ([], [declared(clock, queue="gpu")]),
        ([], [declared(clock, "a.new", queue=None)]),
    ):
        with pytest.raises(Forbidden, match="which the worker key does not allow"):
            declare(db, types, *schedules, queues=["gpu"])

    assert names(db) == ["a.report"]
    assert declare(db, ["a.report"], queues=["mail", "gpu"]) == [("a.report", "delete")]


def test_an_inherited_queue_is_pinned_for_a_key_of_some_queues_only(db: Db, clock: Clock) -> None:
    worker = a_worker(db)
    types = Jsonb({"a.report": {"kind": {"queue": "mail"}}})
    call(db, "declare_types", session_id=worker.session_id, token=worker.token, types=types)
    inherits = declared(clock) | {"kind": {"type": "a.report", "inherit": True}}

    declare(db, [], inherits, queues=["*"])
    (free,) = call(db, "get_schedule", org_id=DEFAULT_ORG, name="a.report")
    with pytest.raises(Forbidden):
        declare(db, [], inherits, queues=["mail"])  # the one that is there is for the queue default
    declare(db, ["a.report"])
    declare(db, [], inherits, queues=["mail"])
    (pinned,) = call(db, "get_schedule", org_id=DEFAULT_ORG, name="a.report")

    assert (free["kind"].get("queue"), pinned["kind"]["queue"]) == (None, "mail")


def test_one_that_is_wrong_leaves_everything_as_it_was(db: Db, clock: Clock) -> None:
    declare(db, [], declared(clock))

    with pytest.raises(InvalidInput, match="catch_up"):
        declare(db, ["a.report"], declared(clock, "a.b"), declared(clock, "a.c", catch_up="never"))

    assert names(db) == ["a.report"]


def test_schedules_of_other_orgs_are_not_touched(db: Db, clock: Clock) -> None:
    declare(db, [], declared(clock))

    assert declare(db, ["a.report"], org_id=an_org(db, "acme")) == []
    assert names(db) == ["a.report"]


def test_a_worker_key_of_some_queues_declares_no_schedule_under_limits_of_others(db: Db, clock: Clock) -> None:
    pay = {"kind": {"queue": "vault"}, "limits": [a_key("bank.pay", 1)]}
    call(db, "declare_types", **a_worker(db).fence, types={"bank.pay": pay})
    inheriting = declared(clock, kind={"type": "bank.pay", "queue": "mail", "inherit": True})

    for wrong in (
        declared(clock, details={"limits": [a_queue("vault", 1)]}),
        declared(clock, details={"limits": [a_key("bank.pay", 1)]}),
        inheriting,
    ):
        with pytest.raises(Forbidden, match=r"schedule a\.report has limit .* which belongs to another queue"):
            declare(db, [], wrong, queues=["mail"])
    assert declare(db, [], inheriting, queues=["*"]) == [("a.report", "put")]
    own = declared(clock, details={"limits": [a_queue("mail", 1), a_key("a.report", 1)]})
    assert declare(db, [], own, queues=["mail"]) == [("a.report", "put")]
