"""Schedules are put, paused, resumed, listed and deleted."""

from datetime import timedelta
from typing import Any

import pytest

from tenuto.db import reactions
from tenuto.model.errors import Conflict, InvalidInput, NotFound, TooLarge
from tests.support.clock import Clock
from tests.support.database.loops import an_org
from tests.support.database.schedules import CRON, put, schedule
from tests.support.database.tasks import DEFAULT_ORG, Db, call
from tests.support.database.wrappers import call_wrapper

NAMED = {"org_id": DEFAULT_ORG, "name": "nightly"}
DAY = timedelta(days=1)


def a_day_later(clock: Clock, cron: str = CRON, timezone: str = "UTC") -> dict[str, Any]:
    """A next time, and what it was computed from."""
    return {"next_at": clock.now + DAY, "cron": cron, "timezone": timezone}


def test_a_schedule_is_kept_as_it_was_put(db: Db, clock: Clock, database: str) -> None:
    kept = call_wrapper(
        database,
        reactions.put_schedule,
        **NAMED,
        kind={"type": "app.report", "queue": "slow"},
        cron=CRON,
        next_at=clock.now,
        input=[1],
        details={"limits": [{"scope": "key", "key": "k", "size": 1}], "metadata": {"a": 1}},
        timezone="Europe/Berlin",
        catch_up="all",
        jitter_seconds=30,
    )

    assert (kept.kind, kept.input, kept.cron) == ({"type": "app.report", "queue": "slow"}, [1], CRON)
    assert (kept.timezone, kept.catch_up, kept.jitter_seconds) == ("Europe/Berlin", "all", 30)
    assert (kept.next_at, kept.paused_at, kept.last_at) == (clock.now, None, None)
    assert call_wrapper(database, reactions.list_schedules, org_id=DEFAULT_ORG) == [kept]


def test_putting_again_keeps_the_next_time_and_the_pause(db: Db, clock: Clock) -> None:
    put(db, clock.now)
    call(db, "pause_schedule", **NAMED)

    after = put(db, clock.now + DAY, kind={"queue": "other"}, catch_up="skip", input=2)

    assert (after["next_at"], after["paused_at"]) == (clock.now, clock.now)
    assert (after["kind"]["queue"], after["catch_up"], after["input"]) == ("other", "skip", 2)


@pytest.mark.parametrize("change", [{"cron": "0 4 * * *"}, {"timezone": "Europe/Berlin"}])
def test_another_cron_or_timezone_brings_another_next_time(db: Db, clock: Clock, change: dict[str, Any]) -> None:
    put(db, clock.now)
    call(db, "pause_schedule", **NAMED)

    after = put(db, clock.now + DAY, **change)

    assert (after["next_at"], after["paused_at"]) == (clock.now + DAY, clock.now)


def test_a_pause_stays_until_it_is_resumed_with_a_new_time(db: Db, clock: Clock) -> None:
    put(db, clock.now)
    call(db, "pause_schedule", **NAMED)
    clock.advance(days=3)
    call(db, "pause_schedule", **NAMED)
    assert schedule(db)["paused_at"] == clock.now - 3 * DAY
    assert call(db, "list_due_schedules") == []

    call(db, "resume_schedule", **NAMED, **a_day_later(clock))

    assert (schedule(db)["paused_at"], schedule(db)["next_at"]) == (None, clock.now + DAY)


def test_resuming_one_that_is_not_paused_changes_nothing(db: Db, clock: Clock) -> None:
    put(db, clock.now)

    call(db, "resume_schedule", **NAMED, **a_day_later(clock))

    assert schedule(db)["next_at"] == clock.now


@pytest.mark.parametrize("changed", [{"cron": "0 4 * * *"}, {"timezone": "Europe/Berlin"}])
def test_a_time_computed_from_another_cron_or_timezone_does_not_resume(
    db: Db, clock: Clock, changed: dict[str, str]
) -> None:
    put(db, clock.now)
    call(db, "pause_schedule", **NAMED)

    with pytest.raises(Conflict, match="was changed at the same time"):
        call(db, "resume_schedule", **NAMED, **a_day_later(clock, **changed))

    assert (schedule(db)["paused_at"], schedule(db)["next_at"]) == (clock.now, clock.now)


def test_one_schedule_is_found_by_name(db: Db, clock: Clock) -> None:
    put(db, clock.now)
    put(db, clock.now, "weekly")

    (found,) = call(db, "get_schedule", **NAMED)

    assert found == schedule(db)


@pytest.mark.parametrize("function", ["delete_schedule", "get_schedule", "pause_schedule", "resume_schedule"])
def test_what_is_not_there_or_belongs_to_others_is_not_found(db: Db, clock: Clock, function: str) -> None:
    put(db, clock.now, org_id=an_org(db, "other"))
    more = a_day_later(clock) if function == "resume_schedule" else {}

    with pytest.raises(NotFound, match="no schedule nightly"):
        call(db, function, **NAMED, **more)


def test_a_deleted_schedule_is_gone_and_may_be_put_again(db: Db, clock: Clock) -> None:
    put(db, clock.now)
    call(db, "delete_schedule", **NAMED)
    assert schedule(db) == {}
    with pytest.raises(NotFound):
        call(db, "delete_schedule", **NAMED)

    assert put(db, clock.now + DAY)["next_at"] == clock.now + DAY


def test_schedules_are_listed_by_name_page_by_page(db: Db, clock: Clock) -> None:
    for name in ("c", "a", "b"):
        put(db, clock.now, name)
    put(db, clock.now, "theirs", org_id=an_org(db, "other"))

    first = [row["name"] for row in call(db, "list_schedules", org_id=DEFAULT_ORG, limit=2)]
    second = [row["name"] for row in call(db, "list_schedules", org_id=DEFAULT_ORG, after="b", limit=2)]

    assert (first, second) == (["a", "b"], ["c"])
    with pytest.raises(InvalidInput, match="a page size of 0"):
        call(db, "list_schedules", org_id=DEFAULT_ORG, limit=0)


WRONG: dict[str, tuple[dict[str, Any], type[Exception], str]] = {
    "an empty name": ({"name": ""}, InvalidInput, "the name of a schedule is missing or empty"),
    "a long name": ({"name": "n" * 201}, InvalidInput, "the name of a schedule has 201 bytes"),
    "no cron": ({"cron": ""}, InvalidInput, "the cron of schedule nightly is missing"),
    "another policy": ({"catch_up": "most"}, InvalidInput, "catch_up of schedule nightly is 'most'"),
    "a negative jitter": ({"jitter_seconds": -1}, InvalidInput, "jitter of schedule nightly is -1 seconds"),
    "a jitter of days": ({"jitter_seconds": 1e6}, InvalidInput, "jitter of schedule nightly is 1000000 seconds"),
    "a kind that cannot be": ({"kind": {"max_attempts": 0}}, InvalidInput, "max_attempts of app.report is 0"),
    "a handler": ({"kind": {"handler": "failed"}}, InvalidInput, "schedule nightly starts a handler"),
    "unknown details": ({"details": {"slots": []}}, InvalidInput, "details of schedule nightly has an unknown key"),
    "metadata": ({"details": {"metadata": 1}}, InvalidInput, "metadata of schedule nightly is not a JSON object"),
    "limits": ({"details": {"limits": []}}, InvalidInput, "not a list of limits"),
    "an input over 1 MB": ({"input": "x" * 5_000_000}, TooLarge, "the input of task 0 has"),
}


@pytest.mark.parametrize(("wrong", "error", "message"), WRONG.values(), ids=WRONG)
def test_a_schedule_that_could_not_start_is_refused_when_it_is_put(
    db: Db, clock: Clock, wrong: dict[str, Any], error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        put(db, clock.now, **{"name": "nightly", **wrong})

    assert call(db, "list_schedules", org_id=DEFAULT_ORG) == []


def test_a_page_of_more_than_16_mb_is_refused_and_a_smaller_one_is_not(db: Db, clock: Clock) -> None:
    for number in range(19):
        put(db, clock.now, f"s{number:02}", input=["x" * 900_000])

    with pytest.raises(TooLarge, match="more than 16 MB together; request a smaller page"):
        call(db, "list_schedules", org_id=DEFAULT_ORG)
    assert len(call(db, "list_schedules", org_id=DEFAULT_ORG, limit=18)) == 18
