"""Workers that come back while they are given up, and rollups beside each other."""

from contextlib import suppress

from tenuto.dispatcher.fleet.decide import decide
from tenuto.model.errors import Conflict
from tests.support.database.interleave import Play, Race
from tests.support.database.pools import a_pool, carry_out, machines, pool_facts, registers, scale
from tests.support.database.tasks import DEFAULT_ORG, Db, a_worker, call, start_one


def a_silent_worker(race: Race, **columns: str) -> None:
    call(race.db, "beat_worker", org_id=DEFAULT_ORG, worker_id="w")
    changes = {"last_heartbeat": "now() - interval '1 hour'", **columns}
    race.db.execute(
        f"update tenuto.workers set {', '.join(f'{name} = {value}' for name, value in changes.items())}".encode()
    )


def status(race: Race) -> str:
    row = race.db.execute("select status from tenuto.workers").fetchone()
    return row[0] if row else ""


def roll_up(db: Db) -> int:
    db.execute("set local role tenuto_dispatcher")
    return call(db, "roll_up_activity")


def test_a_worker_beats_before_it_is_given_up_or_learns_of_it(race: Race) -> None:
    def scene(play: Play) -> str:
        a_silent_worker(race)
        told, expired = play.run(
            lambda db: call(db, "beat_worker", org_id=DEFAULT_ORG, worker_id="w"),
            lambda db: call(db, "expire_workers"),
        )
        assert (told, expired, status(race)) in (("active", 0, "active"), ("error", 1, "error"))
        return told

    assert set(race.every_order(scene)) == {"active", "error"}


def test_a_failed_worker_registers_again_or_is_terminated_first(race: Race) -> None:
    def scene(play: Play) -> int:
        a_silent_worker(race, status="'error'", error="'boom'", error_at="now() - interval '1 hour'")
        _, expired = play.run(lambda db: a_worker(db), lambda db: call(db, "expire_workers"))
        assert status(race) == "active"  # it is alive, whatever came first
        return expired

    assert set(race.every_order(scene)) == {0, 1}


def test_two_dispatchers_move_a_worker_once(race: Race) -> None:
    def scene(play: Play) -> None:
        a_silent_worker(race)
        moved = play.run(lambda db: call(db, "expire_workers"), lambda db: call(db, "expire_workers"))
        assert (sorted(moved), status(race)) == ([0, 1], "error")

    race.every_order(scene)


def test_two_rollups_count_an_attempt_once(race: Race) -> None:
    def scene(play: Play) -> None:
        start_one(race.db)
        worker = a_worker(race.db)
        worker.complete(worker.claim_one())
        race.db.execute("update tenuto.task_attempts set ended_at = now() - interval '1 minute'")
        race.db.execute("update tenuto.rollup_position set rolled_up = now() - interval '2 minutes'")
        play.run(roll_up, roll_up)
        call(race.db, "roll_up_activity")
        counted = race.db.execute(
            "select sum(completed) from tenuto.rollups where period = 'total' and dimension = 'type'"
        ).fetchone()
        assert counted == (1,)

    race.every_order(scene)


def test_two_dispatchers_request_a_machine_once(race: Race) -> None:
    def scene(play: Play) -> None:
        start_one(race.db)
        pool_id = a_pool(race.db)
        facts = pool_facts(race.db, pool_id)
        decision = decide(facts)
        done = play.run(
            lambda db: carry_out(db, pool_id, facts, decision, spawn=["a"]),
            lambda db: carry_out(db, pool_id, facts, decision, spawn=["b"]),
        )
        assert sorted(done) == [False, True]
        assert len(machines(race.db)) == 1

    race.every_order(scene)


def test_a_machine_registers_before_it_is_given_up_or_after(race: Race) -> None:
    def scene(play: Play) -> str:
        start_one(race.db)
        scale(race.db, a_pool(race.db))
        play.run(
            lambda db: registers(db, "m1"),
            lambda db: call(db, "fail_spawn", org_id=DEFAULT_ORG, worker_id="m1", error="timeout"),
        )
        assert machines(race.db) == {"m1": "active"}  # it is alive, whatever came first
        ended = race.db.execute("select machine_ended_at from tenuto.workers").fetchone()
        assert ended == (None,)
        return ""

    race.every_order(scene)


def test_a_machine_registers_before_it_is_ended_or_not_at_all(race: Race) -> None:
    def scene(play: Play) -> bool:
        start_one(race.db)
        scale(race.db, a_pool(race.db))
        registers(race.db, "m1")
        call(race.db, "fail_worker", org_id=DEFAULT_ORG, worker_id="m1", error="its lease expired")
        given_up, _ = play.run(
            lambda db: call(db, "give_up_machine", org_id=DEFAULT_ORG, worker_id="m1"),
            lambda db: _tries_to_register(db),
        )
        assert machines(race.db) == {"m1": "error" if given_up else "active"}
        return given_up

    assert set(race.every_order(scene)) == {True, False}


def _tries_to_register(db: Db) -> None:
    with suppress(Conflict), db.transaction():
        registers(db, "m1")


def test_two_pools_share_the_machines_of_their_provider(race: Race) -> None:
    def scene(play: Play) -> None:
        start_one(race.db)
        pools = [a_pool(race.db, name) for name in ("a", "b")]
        facts = [pool_facts(race.db, pool) for pool in pools]
        done = play.run(
            lambda db: carry_out(db, pools[0], facts[0], decide(facts[0]), spawn=["a1"], max_machines=1),
            lambda db: carry_out(db, pools[1], facts[1], decide(facts[1]), spawn=["b1"], max_machines=1),
        )
        assert sorted(done) == [False, True]
        assert len(machines(race.db)) == 1

    race.every_order(scene)
