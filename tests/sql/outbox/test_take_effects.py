"""pending -> processing: one owner until the lease has passed."""

import pytest

from tenuto.model.errors import InvalidInput
from tests.support.clock import Clock
from tests.support.database.loops import an_org
from tests.support.database.outbox import effect, fail, finish, publish, replay, take
from tests.support.database.tasks import DEFAULT_ORG, Db, call


def test_a_taken_effect_has_an_owner_an_expiry_and_a_counted_attempt(db: Db, clock: Clock) -> None:
    (one,) = publish(db, {"url": "x"})

    (row,) = call(db, "take_effects", owner="one", kinds=["deliver"], limit=10, lease="30 seconds")

    assert (row["id"], row["payload"], row["org_id"]) == (one, {"url": "x"}, DEFAULT_ORG)
    assert (row["status"], row["locked_by"], row["attempts"]) == ("processing", "one", 1)
    assert (row["locked_until"] - clock.now).total_seconds() == 30


def test_a_taken_effect_is_nobody_elses(db: Db) -> None:
    publish(db, 1, 2, 3)

    assert len(take(db, "one", limit=2)) == 2
    assert len(take(db, "two")) == 1
    assert take(db, "three") == []


def test_only_kinds_asked_for_are_taken(db: Db) -> None:
    (delivery,) = publish(db, 1)
    (event,) = publish(db, 2, kind="route_event")

    assert take(db, kinds=("route_event", "emit_lineage")) == [event]
    assert take(db, kinds=()) == []
    assert take(db) == [delivery]


def test_the_oldest_come_first_and_no_more_than_the_limit(db: Db, clock: Clock) -> None:
    first = publish(db, 1, 2)
    clock.advance(seconds=1)
    publish(db, 3, 4)

    assert take(db, limit=2) == first
    assert take(db, limit=0) == []
    assert len(take(db, limit=1)) == 1


def test_one_whose_taker_fell_silent_is_taken_again_by_another_and_counted(db: Db, clock: Clock) -> None:
    (one,) = publish(db, 1)
    take(db, "one")
    clock.advance(seconds=29)
    assert take(db, "two") == []

    clock.advance(seconds=2)

    assert take(db, "two") == [one]
    assert (effect(db, one)["locked_by"], effect(db, one)["attempts"]) == ("two", 2)
    assert finish(db, one, owner="one") == []
    assert finish(db, one, owner="two") == [one]


def test_effects_that_kill_their_taker_end_as_dead_letters_and_say_so(db: Db, clock: Clock) -> None:
    (one,) = publish(db, 1)
    for _ in range(20):
        assert take(db) == [one]
        clock.advance(seconds=31)

    assert take(db) == []

    row = effect(db, one)
    assert (row["status"], row["attempts"], row["locked_by"]) == ("dead", 20, None)
    assert "without a result" in row["last_error"]


def test_any_number_of_worn_out_effects_blocks_none_of_their_neighbours(db: Db, clock: Clock) -> None:
    worn_out = publish(db, *range(250))
    for _ in range(20):
        assert len(take(db, limit=1000)) == 250
        clock.advance(seconds=31)
    good = publish(db, *range(3))

    assert take(db, limit=1000) == good
    for _ in range(2):
        take(db)

    assert {effect(db, each)["status"] for each in worn_out} == {"dead"}


def test_one_bad_effect_never_blocks_its_neighbours(db: Db, clock: Clock) -> None:
    bad, good = publish(db, "bad", "good")
    for _ in range(25):
        take(db, limit=2)
        fail(db, bad)
        finish(db, good)
        clock.advance(minutes=16)

    assert (effect(db, bad)["status"], effect(db, good)["status"]) == ("dead", "done")


@pytest.mark.parametrize("end", ["done", "dead"])
def test_what_is_done_or_dead_is_not_taken(db: Db, clock: Clock, end: str) -> None:
    (one,) = publish(db, 1)
    for _ in range(20):
        take(db)
        clock.advance(seconds=31)
    if end == "dead":
        take(db)
    else:
        finish(db, one)

    clock.advance(days=1)

    assert effect(db, one)["status"] == end
    assert take(db) == []
    assert replay(db) == ([one] if end == "dead" else [])


@pytest.mark.parametrize("wrong", [{"limit": -1}, {"lease": "soon"}])
def test_a_wrong_call_is_refused_and_takes_nothing(db: Db, wrong: dict[str, object]) -> None:
    (one,) = publish(db, 1)

    with pytest.raises(InvalidInput):
        call(db, "take_effects", **{"owner": "one", "kinds": ["deliver"], "limit": 1, "lease": "30 s", **wrong})

    assert effect(db, one)["status"] == "pending"


def to(name: str, count: int) -> list[dict[str, object]]:
    return [{"destination": name, "body": no} for no in range(count)]


def test_a_destination_has_eight_effects_in_progress_and_an_org_sixteen(db: Db) -> None:
    busy = publish(db, *to("slow", 30))
    assert take(db) == busy[:8]
    assert take(db) == []

    publish(db, *to("b", 30), *to("c", 30), *to("d", 30))

    assert len(take(db)) == 8
    assert take(db) == []
    finish(db, busy[0])
    assert len(take(db)) == 1


def test_a_tenant_with_many_effects_delays_no_other(db: Db) -> None:
    others = [an_org(db, f"org{no}") for no in range(3)]
    publish(db, *to("slow", 200))
    take(db)
    expected = [publish(db, *to("crm", 1), org_id=org_id)[0] for org_id in others]

    assert take(db) == expected


def test_every_org_gets_its_turn_even_if_few_fit(db: Db) -> None:
    orgs = [an_org(db, f"org{no}") for no in range(5)]
    wanted = {publish(db, *to("crm", 1), org_id=org_id)[0] for org_id in orgs}

    taken = {id for _ in orgs for id in take(db, limit=1)}

    assert taken == wanted
