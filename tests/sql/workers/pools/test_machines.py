"""Machines: requested, recorded, failed, and ended; nothing of theirs is lost."""

import pytest

from tenuto.model.errors import Conflict, InvalidInput
from tests.support.clock import Clock
from tests.support.database.pools import a_pool, machines, pool_facts, registers, scale
from tests.support.database.tasks import DEFAULT_ORG, Db, call, start, status
from tests.support.database.workers import session_ends, worker_row


def of(machine: str, **values: object) -> dict[str, object]:
    return {"org_id": DEFAULT_ORG, "worker_id": machine, **values}


@pytest.fixture
def pool(db: Db, clock: Clock) -> object:
    """A pool that has just requested one machine, m1."""
    start(db, 1)
    pool_id = a_pool(db)
    scale(db, pool_id)
    return pool_id


@pytest.mark.usefixtures("pool")
def test_the_id_of_a_machine_is_recorded_once(db: Db) -> None:
    assert call(db, "record_machine", **of("m1", provider_id="i-1", metadata={"tier": 0})) is True
    assert call(db, "record_machine", **of("m1", provider_id="i-1")) is True
    assert call(db, "record_machine", **of("m1", provider_id="i-2")) is False

    row = worker_row(db, "m1")
    assert (row["provider_id"], row["metadata"]) == ("i-1", {"pool": "gpu", "tier": 0})
    with pytest.raises(InvalidInput):
        call(db, "record_machine", **of("m1", provider_id=""))


@pytest.mark.usefixtures("pool")
def test_nobody_waits_for_a_machine_that_was_given_up_meanwhile(db: Db) -> None:
    call(db, "fail_spawn", **of("m1", error="timeout"))

    assert call(db, "record_machine", **of("m1", provider_id="i-1")) is False
    assert call(db, "record_machine", **of("unknown", provider_id="i-1")) is False


@pytest.mark.usefixtures("pool")
def test_a_request_that_failed_ends_the_row_and_keeps_its_error(db: Db, clock: Clock) -> None:
    assert call(db, "fail_spawn", **of("m1", error="429")) is True
    assert call(db, "fail_spawn", **of("m1", error="again")) is False

    row = worker_row(db, "m1")
    assert (row["status"], row["error"], row["machine_ended_at"]) == ("terminated", "429", clock.now)


@pytest.mark.usefixtures("pool")
def test_a_worker_that_registered_after_a_failed_request_lives(db: Db) -> None:
    registers(db, "m1")

    assert call(db, "fail_spawn", **of("m1", error="timeout, but the machine was made")) is False
    assert machines(db) == {"m1": "active"}


def test_a_machine_that_comes_after_it_was_given_up_is_controlled_again(db: Db, pool: object) -> None:
    call(db, "fail_spawn", **of("m1", error="timeout"))

    registers(db, "m1")

    assert [machine.status for machine in pool_facts(db, pool).machines] == ["active"]  # type: ignore[arg-type]


def test_a_machine_that_does_not_register_in_time_fails(db: Db, clock: Clock, pool: object) -> None:
    call(db, "set_pool", org_id=DEFAULT_ORG, name="gpu", policy={"spawn_timeout_seconds": 30})
    clock.advance(seconds=29)
    assert call(db, "expire_workers") == 0
    clock.advance(seconds=2)

    assert call(db, "expire_workers") == 1

    facts = pool_facts(db, pool)  # type: ignore[arg-type]
    assert [(machine.status, machine.error) for machine in facts.machines] == [
        ("error", "it did not register within 30 s")
    ]
    assert (facts.registered, facts.failed, facts.last_failed) == (0, 1, True)
    clock.advance(hours=1)
    facts = pool_facts(db, pool)  # type: ignore[arg-type]
    assert (facts.failed, facts.last_failed) == (0, True)
    registers(db, "m1")
    facts = pool_facts(db, pool)  # type: ignore[arg-type]
    assert (facts.registered, facts.last_failed) == (1, False)


@pytest.mark.usefixtures("pool")
def test_a_machine_that_is_gone_ends_its_workers_and_their_tasks_run_elsewhere(db: Db, clock: Clock) -> None:
    worker = registers(db, "m1")
    registers(db, "m1", 2)
    held = worker.claim_one()
    clock.advance(seconds=1)

    assert call(db, "give_up_machine", **of("m1", seen_at=clock.now, error="externally terminated")) is True
    assert call(db, "give_up_machine", **of("m1")) is True
    assert call(db, "end_machine", **of("m1")) is True
    assert call(db, "end_machine", **of("m1")) is True

    assert machines(db) == {"m1": "error", "m1:2": "error"}
    assert (worker_row(db, "m1")["error"], worker_row(db, "m1:2")["machine_ended_at"]) == (
        "externally terminated",
        clock.now,
    )
    assert set(session_ends(db)) == {"failed"}
    call(db, "expire_attempts")
    assert status(db, held.task_id) in ("queued", "retrying")


@pytest.mark.usefixtures("pool")
def test_a_worker_that_is_open_is_not_given_up_without_evidence(db: Db, clock: Clock) -> None:
    assert call(db, "give_up_machine", **of("m1", diagnostics={"exit": 1})) is False  # starting
    registers(db, "m1")
    assert call(db, "give_up_machine", **of("m1", diagnostics={"exit": 1})) is False
    assert call(db, "give_up_machine", **of("m1", seen_at=clock.now)) is False  # heard of since
    assert call(db, "end_machine", **of("m1")) is False

    row = worker_row(db, "m1")
    names = ("status", "given_up_at", "machine_ended_at", "diagnostics")
    assert [row[name] for name in names] == ["active", None, None, None]


@pytest.mark.usefixtures("pool")
def test_one_process_that_is_heard_of_keeps_the_machine(db: Db, clock: Clock) -> None:
    registers(db, "m1")
    asked_at = clock.now
    clock.advance(seconds=1)
    registers(db, "m1", 2)

    assert call(db, "give_up_machine", **of("m1", seen_at=asked_at)) is False
    assert machines(db) == {"m1": "active", "m1:2": "active"}


@pytest.mark.usefixtures("pool")
def test_a_machine_that_was_given_up_cannot_register(db: Db) -> None:
    call(db, "fail_worker", **of("m1", error="CUDA"))
    assert call(db, "give_up_machine", **of("m1")) is True

    with pytest.raises(Conflict, match="machine m1 was given up"):
        registers(db, "m1")
    with pytest.raises(Conflict, match="machine m1 was given up"):
        registers(db, "m1", 2)

    assert machines(db) == {"m1": "error"}
    assert call(db, "give_up_machine", **of("unknown")) is True


@pytest.mark.usefixtures("pool")
def test_the_first_diagnostics_are_kept(db: Db) -> None:
    call(db, "fail_worker", **of("m1", error="CUDA"))
    call(db, "give_up_machine", **of("m1", diagnostics={"exit": 137}))
    call(db, "give_up_machine", **of("m1", diagnostics={"gone": True}))

    assert worker_row(db, "m1")["diagnostics"] == {"exit": 137}


@pytest.mark.usefixtures("pool")
def test_diagnostics_that_are_too_large_leave_a_note(db: Db) -> None:
    call(db, "fail_worker", **of("m1", error="CUDA"))
    noise = [f"{number:x}" for number in range(40_000)]
    call(db, "give_up_machine", **of("m1", diagnostics={"log": noise}))

    assert list(worker_row(db, "m1")["diagnostics"]) == ["cut_bytes"]


@pytest.mark.usefixtures("pool")
def test_a_terminated_worker_is_pruned_only_when_its_machine_has_ended(db: Db, clock: Clock) -> None:
    call(db, "terminate_worker", **of("m1"))
    clock.advance(days=30)
    call(db, "prune_workers")
    assert machines(db) == {"m1": "terminated"}

    call(db, "end_machine", **of("m1"))
    call(db, "prune_workers")

    assert machines(db) == {}


@pytest.mark.usefixtures("pool")
def test_machines_are_listed_with_what_they_do(db: Db, clock: Clock) -> None:
    registers(db, "m1").claim_one()

    (row,) = call(db, "list_pool_machines", org_id=DEFAULT_ORG, name="gpu")
    (listed,) = call(db, "list_pools", org_id=DEFAULT_ORG)

    assert (row["id"], row["status"], row["running"], row["idle_seconds"]) == ("m1", "active", 1, None)
    names = ("starting", "active", "busy", "draining", "error", "running", "ready", "wanted", "controlled")
    assert [listed[name] for name in names] == [0, 1, 1, 0, 0, 1, 0, 1, True]
