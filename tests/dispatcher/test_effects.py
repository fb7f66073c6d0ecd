"""Side effects: done once, tried again when they fail, left to others when nobody here knows them."""

import asyncio
from collections.abc import Mapping

import pytest

from tenuto.db.connection.pool import ConnectionPool, open_pool
from tenuto.dispatcher.effects import EffectRunner, Handler
from tenuto.model.outbox import Effect
from tests.support.database.loops import value
from tests.support.database.outbox import effect, publish
from tests.support.database.tasks import Db
from tests.support.faults.failing_rows import cure, poison, turn


def drain(url: str, handlers: Mapping[str, Handler]) -> int:
    async def story() -> int:
        async with open_pool(url, role="tenuto_dispatcher") as pool:
            runner = EffectRunner(pool, handlers, owner="me")
            taken = await runner.take(10)
            await runner.finish()
            return taken

    return asyncio.run(story())


def test_an_effect_is_done_once_and_one_that_fails_does_not_hold_up_its_neighbours(db: Db, database: str):
    first, bad, last = publish(db, {"n": 1}, {"n": 2}, {"n": 3})
    delivered: list[int] = []

    async def deliver(_: ConnectionPool, effect: Effect) -> None:
        if effect.payload["n"] == 2:
            raise ConnectionError("502")
        delivered.append(effect.payload["n"])

    assert drain(database, {"deliver": deliver}) == 3
    assert drain(database, {"deliver": deliver}) == 0  # the bad one waits for its next time
    assert delivered == [1, 3]
    assert [effect(db, one)["status"] for one in (first, bad, last)] == ["done", "pending", "done"]
    assert effect(db, bad)["last_error"] == "ConnectionError: 502"


def test_kinds_that_nobody_here_handles_are_left_to_others(db: Db, database: str):
    (theirs,) = publish(db, {"n": 1}, kind="emit_lineage")

    async def deliver(_: ConnectionPool, effect: Effect) -> None:
        raise AssertionError(effect)

    assert drain(database, {"deliver": deliver}) == 0
    assert effect(db, theirs)["status"] == "pending"


@pytest.mark.parametrize("end", ["done", "pending"], ids=["finished", "failed"])
def test_an_effect_whose_end_cannot_be_written_is_parked_and_its_neighbours_end(db: Db, database: str, end: str):
    first, bad, last = publish(db, {"n": 1}, {"n": 2}, {"n": 3})
    refuse = f"if new.status = '{end}' then raise exception 'poisoned row' using errcode = 'XX001'; end if"
    poison(db, "outbox", bad, on="update", column="id", does=refuse)

    async def deliver(_: ConnectionPool, __: Effect) -> None:
        if end == "pending":
            raise ConnectionError("502")

    assert drain(database, {"deliver": deliver}) == 3

    assert [effect(db, one)["status"] for one in (first, bad, last)] == [end, "processing", end]
    assert value(db, "select array_agg(key) from tenuto.parked_rows where loop = 'drain_outbox'") == [str(bad)]
    cure(db, "outbox")
    db.execute("update tenuto.outbox set available_at = now(), locked_until = now() - interval '1 second'")
    db.execute("update tenuto.parked_rows set retry_at = now()")
    turn(database, "retry_parked", "drain_outbox")
    assert [effect(db, one)["status"] for one in (first, bad, last)] == ["done"] * 3


def test_a_turn_does_not_wait_for_the_effects_of_another(db: Db, database: str):
    (slow,) = publish(db, {"destination": "slow"})
    delivered: list[str] = []

    async def story() -> None:
        released = asyncio.Event()

        async def deliver(_: ConnectionPool, effect: Effect) -> None:
            if effect.destination == "slow":
                await released.wait()
            delivered.append(effect.destination)

        async with open_pool(database, role="tenuto_dispatcher") as pool:
            runner = EffectRunner(pool, {"deliver": deliver}, owner="me")
            assert await runner.take(10) == 1
            publish(db, {"destination": "quick"})
            assert await runner.take(10) == 1
            while delivered != ["quick"]:
                await asyncio.sleep(0.01)
            released.set()
            await runner.finish()

    asyncio.run(story())

    assert (delivered, effect(db, slow)["status"]) == (["quick", "slow"], "done")


def test_a_dead_effect_is_logged(db: Db, database: str, caplog: pytest.LogCaptureFixture):
    (bad,) = publish(db, {"destination": "crm"})
    db.execute("update tenuto.outbox set attempts = 19")

    async def deliver(_: ConnectionPool, __: Effect) -> None:
        raise ConnectionError("502")

    assert drain(database, {"deliver": deliver}) == 1

    assert effect(db, bad)["status"] == "dead"
    assert f"effect {bad} of kind deliver is dead after 20 attempts: ConnectionError: 502" in caplog.text
