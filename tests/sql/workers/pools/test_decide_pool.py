"""A decision about a pool is written once, from facts that still hold; its machines are rows before they exist."""

from uuid import uuid4

from tenuto.dispatcher.fleet.decide import decide
from tests.support.clock import Clock
from tests.support.database.pools import (
    a_pool,
    carry_out,
    decisions,
    machines,
    pool_facts,
    registers,
    scale,
)
from tests.support.database.tasks import DEFAULT_ORG, Db, call, start


def test_a_machine_is_a_row_before_it_is_requested(db: Db) -> None:
    start(db, 1, 2)

    decision = scale(db, a_pool(db))

    assert (decision.spawn, machines(db)) == (2, {"m1": "starting", "m2": "starting"})
    (entry,) = decisions(db)
    assert (entry["workers"], entry["wanted"], entry["reason"]) == (0, 2, "2 tasks are ready and 0 run")
    assert (entry["facts"]["rule"], entry["facts"]["ready"], entry["facts"]["spawned"]) == ("work", 2, 2)


def test_a_decision_from_old_facts_changes_nothing(db: Db) -> None:
    start(db, 1, 2)
    pool_id = a_pool(db)
    facts = pool_facts(db, pool_id)

    assert carry_out(db, pool_id, facts, decide(facts))
    assert not carry_out(db, pool_id, facts, decide(facts))

    assert (len(machines(db)), len(decisions(db))) == (2, 1)


def test_a_decision_from_an_old_policy_changes_nothing(db: Db) -> None:
    start(db, 1, 2)
    pool_id = a_pool(db)
    facts = pool_facts(db, pool_id)
    a_pool(db, max_workers=1)

    assert not carry_out(db, pool_id, facts, decide(facts))
    assert scale(db, pool_id).spawn == 1


def test_a_dispatcher_that_does_not_control_the_pool_changes_nothing(db: Db) -> None:
    start(db, 1)
    pool_id = a_pool(db)
    facts = pool_facts(db, pool_id)

    assert not carry_out(db, pool_id, facts, decide(facts), dispatcher_id=uuid4())
    assert machines(db) == {}


def test_a_decision_is_stored_when_its_size_or_rule_changes(db: Db) -> None:
    pool_id = a_pool(db, min_workers=1)
    for _ in range(3):
        scale(db, pool_id)
    start(db, 1)
    scale(db, pool_id)

    assert [(entry["wanted"], entry["facts"]["rule"]) for entry in decisions(db)] == [(1, "min")]
    start(db, 2, 3)
    scale(db, pool_id)
    assert [(entry["wanted"], entry["facts"]["rule"]) for entry in decisions(db)] == [(3, "work"), (1, "min")]


def test_a_drained_machine_finishes_what_it_holds_and_every_process_of_it_drains(db: Db, clock: Clock) -> None:
    start(db, 1)
    pool_id = a_pool(db, over_capacity_timeout_seconds=0, idle_timeout_seconds=0)
    scale(db, pool_id)
    worker = registers(db, "m1")
    registers(db, "m1", 2)
    held = worker.claim_one()
    assert scale(db, pool_id).drain == []

    call(db, "set_pool", org_id=DEFAULT_ORG, name="gpu", policy={"max_workers": 0})
    assert scale(db, pool_id).drain == ["m1"]

    assert machines(db) == {"m1": "draining", "m1:2": "draining"}
    assert worker.complete(held) == ["accepted"]


def test_a_machine_that_registers_before_it_is_given_up_is_left_alone(db: Db, clock: Clock) -> None:
    start(db, 1)
    pool_id = a_pool(db, starting_grace_seconds=0)
    scale(db, pool_id)
    call(db, "purge_queue", org_id=DEFAULT_ORG, queue="default")
    facts = pool_facts(db, pool_id)
    decision = decide(facts)
    assert decision.cancel == ["m1"]

    registers(db, "m1")

    assert carry_out(db, pool_id, facts, decision)
    assert machines(db) == {"m1": "active"}


def test_a_machine_is_idle_since_its_last_completion(db: Db, clock: Clock) -> None:
    start(db, 1)
    pool_id = a_pool(db)
    scale(db, pool_id)
    worker = registers(db, "m1")
    clock.advance(seconds=100)
    held = worker.claim_one()
    clock.advance(seconds=400)
    assert pool_facts(db, pool_id).machines[0].idle_seconds is None
    worker.complete(held)
    clock.advance(seconds=1)
    call(db, "roll_up_activity")
    clock.advance(seconds=20)

    assert round(pool_facts(db, pool_id).machines[0].idle_seconds or 0) == 21


def test_a_machine_that_a_decision_saw_busy_is_not_idle_while_rollups_are_late(db: Db, clock: Clock) -> None:
    start(db, 1)
    pool_id = a_pool(db)
    scale(db, pool_id)
    worker = registers(db, "m1")
    held = worker.claim_one()
    clock.advance(seconds=600)
    scale(db, pool_id)
    clock.advance(seconds=3)
    worker.complete(held)

    assert round(pool_facts(db, pool_id).machines[0].idle_seconds or 0) == 3


def test_a_worker_that_names_the_pool_counts_and_is_never_drained(db: Db, clock: Clock) -> None:
    pool_id = a_pool(db, idle_timeout_seconds=0, over_capacity_timeout_seconds=0)
    call(db, "register_worker", org_id=DEFAULT_ORG, worker_id="mine", metadata={"pool": "gpu"})
    clock.advance(hours=1)

    facts = pool_facts(db, pool_id)

    assert [(machine.id, machine.external) for machine in facts.machines] == [("mine", True)]
    assert decide(facts).drain == []


def test_a_sudden_rise_of_the_queue_is_an_event_even_if_the_pool_cannot_grow(db: Db, clock: Clock) -> None:
    pool_id = a_pool(db, max_workers=1)
    start(db, 1)
    scale(db, pool_id)
    start(db, *range(30))

    scale(db, pool_id)
    scale(db, pool_id)

    anomalies = [entry["facts"]["anomalies"] for entry in decisions(db)]
    assert anomalies == [["ready tasks rose from 1 to 31"], []]
