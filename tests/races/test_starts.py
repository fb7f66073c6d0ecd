"""Starts against each other, and against the lanes they enter."""

from uuid import UUID

from psycopg.types.json import Jsonb

from tenuto.model.ids import uuid7
from tests.support.database.interleave import Play, Race, Transaction, rolled_back
from tests.support.database.loops import count
from tests.support.database.tasks import DEFAULT_ORG, Db, a_worker, call, start, start_one
from tests.support.database.users import an_api_key, hash_of

Answers = list[tuple[UUID, bool]]


def start_with_key(db: Db, key: str = "k") -> tuple[UUID, bool]:
    (row,) = call(
        db, "start_many", org_id=DEFAULT_ORG, kinds=Jsonb([{"type": "app.work"}]), inputs=[Jsonb(1)], dedupe_keys=[key]
    )
    return row["run_id"], row["created"]


def start_graph_with_key(db: Db) -> tuple[UUID, bool]:
    run, kinds = {"name": "g", "dedupe_key": "k"}, Jsonb([{"type": "app.work"}])
    (row,) = call(db, "start_run", org_id=DEFAULT_ORG, run=run, kinds=kinds, inputs=[Jsonb(1), Jsonb(2)])
    return row["run_id"], row["created"]


def runs(race: Race) -> list[UUID]:
    return [row[0] for row in race.db.execute("select id from tenuto.runs").fetchall()]


def test_two_starts_with_one_dedupe_key_make_one_run_and_both_name_it(race: Race) -> None:
    def scene(play: Play) -> bool:
        (one, first), (two, second) = play.run(start_with_key, start_with_key)
        assert [one] == [two] == runs(race)
        assert first != second
        return first

    assert set(race.every_order(scene)) == {True, False}


def test_two_graphs_with_one_dedupe_key_make_one_run_and_both_name_it(race: Race) -> None:
    def scene(play: Play) -> bool:
        (one, first), (two, second) = play.run(start_graph_with_key, start_graph_with_key)
        assert [one] == [two] == runs(race)
        assert first != second
        return first

    assert set(race.every_order(scene)) == {True, False}


def test_of_two_requests_with_one_dedupe_key_one_starts_and_writes_the_audit_entry(race: Race) -> None:
    credential = {"key_id": "abcdefghijkl", "hashes": [hash_of("abcdefghijkl")], "permission": "runs:write"}
    request = {"actor_kind": "api_key", "actor_id": "k", "ip": None, "user_agent": None, "request_id": "r"}

    def start(db: Db) -> tuple[UUID, bool]:
        db.execute("set local role tenuto_api")
        task = {"kinds": Jsonb([{"type": "app.work"}]), "inputs": [Jsonb(1)], "dedupe_key": "k"}
        (row,) = call(db, "start_run_for_request", changes=Jsonb({}), **task, **request, **credential)
        return row["run_id"], row["created"]

    def scene(play: Play) -> bool:
        an_api_key(race.db, "abcdefghijkl")
        (one, first), (two, second) = play.run(start, start)
        assert [one] == [two] == runs(race)
        assert first != second
        assert count(race.db, "audit_log") == 1
        return first

    assert set(race.every_order(scene)) == {True, False}


def test_a_start_whose_twin_is_rolled_back_makes_the_run(race: Race) -> None:
    def scene(play: Play) -> None:
        _, (kept, created) = play.run(rolled_back(start_with_key), start_with_key)
        assert created
        assert runs(race) == [kept]

    race.every_order(scene)


def test_a_key_freed_by_a_delete_is_taken_or_answers_the_deleted_run(race: Race) -> None:
    def scene(play: Play) -> bool:
        old, _ = start_with_key(race.db)
        worker = a_worker(race.db)
        worker.complete(worker.claim_one())
        _, (answer, created) = play.run(
            lambda db: call(db, "delete_run", org_id=DEFAULT_ORG, run_id=old), start_with_key
        )
        assert created == (answer != old)
        assert runs(race) == ([answer] if created else [])
        return created

    assert set(race.every_order(scene)) == {True, False}


def test_batches_with_the_same_keys_in_another_order_do_not_wait_for_each_other(race: Race) -> None:
    def start_batch(keys: list[str], db: Db) -> Answers:
        kinds, inputs = Jsonb([{"type": "app.work"}]), [Jsonb(1)] * len(keys)
        return call(db, "start_many", org_id=DEFAULT_ORG, kinds=kinds, inputs=inputs, dedupe_keys=keys)

    def scene(play: Play) -> None:
        gate = rolled_back(lambda db: start_with_key(db, "c"))
        play.run(gate, lambda db: start_batch(["a", "c", "b"], db), lambda db: start_batch(["b", "a"], db))
        assert len(runs(race)) == 3

    race.every_order(scene, 1, 1, 1, gate=True)


def an_old_empty_lane(race: Race) -> None:
    start_one(race.db)
    worker = a_worker(race.db, "before")
    worker.complete(worker.claim_one())
    call(race.db, "move_floors")
    race.db.execute("update tenuto.ready_lanes set empty_since = now() - interval '1 hour'")


def test_a_task_started_while_its_lane_is_removed_is_seen_by_the_next_claim(race: Race) -> None:
    def scene(play: Play) -> int:
        an_old_empty_lane(race)
        task_id, (swept,) = play.run(start_one, lambda db: call(db, "sweep_lanes"))
        assert [claim.task_id for claim in a_worker(race.db).claim(9)] == [task_id]
        return swept["removed"]

    assert set(race.every_order(scene)) == {0, 1}


def test_a_task_started_the_short_way_while_its_lane_is_removed_is_seen_by_a_claim(race: Race) -> None:
    def scene(play: Play) -> int:
        an_old_empty_lane(race)
        task_id = UUID(uuid7())
        _, (swept,) = play.run(lambda db: start(db, 1, ids=[task_id]), lambda db: call(db, "sweep_lanes"))
        assert [claim.task_id for claim in a_worker(race.db).claim(9)] == [task_id]
        return swept["removed"]

    assert set(race.every_order(scene)) == {0, 1}


def test_a_lane_whose_maker_is_rolled_back_is_seen_by_the_next_claim(race: Race) -> None:
    def scene(play: Play) -> None:
        _, task_id = play.run(rolled_back(start_one), start_one)
        assert [claim.task_id for claim in a_worker(race.db).claim(9)] == [task_id]

    race.every_order(scene)


def test_a_task_that_commits_below_the_floor_is_seen_by_the_next_claim(race: Race) -> None:
    def scene(play: Play) -> None:
        first = Transaction((start_one,))
        one, two, _ = play.run(first, start_one, lambda db: call(db, "move_floors"))
        assert {claim.task_id for claim in a_worker(race.db).claim(9)} == {one, two}

    race.every_order(scene, 1, 1, 1)
