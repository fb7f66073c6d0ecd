"""The rules of scaling, one at a time: facts in, decision out."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tenuto.dispatcher.fleet.decide import decide
from tenuto.model.pools import MachineFacts, PoolFacts, PoolPolicy
from tenuto.model.statuses import WorkerStatusName

POLICY = PoolPolicy("gpu", "local", max_workers=10)


def machine(
    no: int, status: WorkerStatusName = "active", *, running: int = 0, idle: float = 0, age: float = 0
) -> MachineFacts:
    """Newest first is by the order in the list."""
    resting = idle if status == "active" and not running else None
    return MachineFacts(f"m{no}", status, f"i-{no}", running, resting, age, status != "starting", external=False)


def facts(*machines: MachineFacts, ready: int = 0, policy: PoolPolicy = POLICY, **more: object) -> PoolFacts:
    return replace(PoolFacts(policy, list(machines), ready), **more)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("policy", "ready", "running", "wanted", "rule"),
    [
        ({}, 0, 0, 0, "none"),
        ({"min_workers": 2}, 0, 0, 2, "min"),
        ({"min_workers": 2}, 1, 0, 2, "min"),
        ({}, 3, 2, 4, "work"),  # 2 tasks run on one worker
        ({}, 500, 0, 10, "max"),
        ({"tasks_per_worker": 4}, 9, 0, 3, "work"),
        ({"scale_up_multiplier": 0.5}, 5, 0, 3, "work"),
        ({"scale_up_multiplier": 0.1}, 30, 0, 3, "work"),
        ({"spare_workers": 2}, 0, 1, 3, "spare"),
        ({"spare_workers": 2}, 0, 0, 2, "spare"),
        ({"max_workers": 0}, 5, 0, 0, "max"),
    ],
)
def test_the_size_is_the_largest_of_min_work_and_spare_up_to_max(
    policy: dict[str, int], ready: int, running: int, wanted: int, rule: str
) -> None:
    busy = [machine(1, running=running)] if running else []
    if running == 2:
        ready, busy = 2, [machine(1, running=2)]

    decision = decide(facts(*busy, ready=ready, policy=replace(POLICY, **policy)))

    assert (decision.wanted, decision.rule) == (wanted, rule)


def test_it_requests_what_is_missing_beside_what_starts_and_works() -> None:
    decision = decide(facts(machine(3, "starting"), machine(2), machine(1, running=1), ready=4))

    assert (decision.workers, decision.wanted, decision.spawn) == (3, 5, 2)


def test_machines_that_end_count_to_the_maximum() -> None:
    ending = [machine(no, "draining", running=1) for no in range(9)]

    assert decide(facts(*ending, ready=5)).spawn == 1
    assert decide(facts(*ending, machine(10, "error"), ready=5)).spawn == 0


def test_idle_workers_go_newest_first_after_the_over_capacity_timeout() -> None:
    pool = [machine(4, idle=31), machine(3, idle=29), machine(2, idle=400), machine(1, running=1)]

    assert decide(facts(*pool)).drain == ["m4", "m2"]


def test_the_last_worker_stays_for_the_idle_timeout() -> None:
    assert decide(facts(machine(2, idle=299), machine(1, idle=299))).drain == ["m2"]
    assert decide(facts(machine(1, idle=299))).drain == []
    assert decide(facts(machine(1, idle=300))).drain == ["m1"]


def test_never_below_min_and_starting_workers_do_not_count_to_it() -> None:
    policy = replace(POLICY, min_workers=1)

    assert decide(facts(machine(2, "starting"), machine(1, idle=1000), policy=policy)).drain == []
    assert decide(facts(machine(2, idle=1000), machine(1, idle=1000), policy=policy)).drain == ["m2"]


def test_busy_workers_and_spare_ones_stay() -> None:
    policy = replace(POLICY, spare_workers=1)
    pool = [machine(3, idle=1000), machine(2, idle=1000), machine(1, running=1)]

    assert decide(facts(*pool, policy=policy)).drain == ["m3"]


def test_a_larger_scale_down_multiplier_keeps_more() -> None:
    policy = replace(POLICY, scale_down_multiplier=2.0)
    pool = [machine(no, idle=1000) for no in (4, 3, 2)] + [machine(1, running=1)]

    decision = decide(facts(*pool, policy=policy))

    assert (decision.wanted, decision.drain) == (1, ["m4", "m3"])


def test_between_two_scale_downs_there_is_a_grace() -> None:
    idle = machine(1, idle=1000)

    assert decide(facts(idle, scaled_down_seconds=59.0)).drain == []
    assert decide(facts(idle, scaled_down_seconds=60.0)).drain == ["m1"]


def test_surplus_machines_that_start_go_after_a_grace_and_only_without_work() -> None:
    old, new = machine(1, "starting", age=180), machine(2, "starting", age=179)

    assert decide(facts(new, old)).cancel == ["m1"]
    assert decide(facts(new, old, ready=1)).cancel == []
    assert decide(facts(new, old, ready=2)).cancel == []


def test_more_than_the_maximum_drain_at_once_even_busy_ones_newest_last() -> None:
    policy = replace(POLICY, max_workers=1)
    pool = [machine(4, "starting"), machine(3, running=1), machine(2), machine(1, running=1)]

    decision = decide(facts(*pool, ready=9, policy=policy))

    assert (decision.rule, decision.cancel, decision.drain) == ("over_max", ["m4"], ["m2", "m3"])


def test_the_brake_stops_requests_when_most_machines_failed() -> None:
    assert decide(facts(ready=5, registered=1, failed=4)).rule == "work"  # 80 %: not more than the rate
    braked = decide(facts(ready=5, registered=1, failed=5))

    assert (braked.rule, braked.spawn, braked.wanted) == ("brake", 0, 5)


def test_after_a_failure_one_machine_at_a_time_is_tried() -> None:
    assert decide(facts(ready=5, failed=2, last_failed=True)).spawn == 1
    assert decide(facts(ready=5, last_failed=True)).spawn == 1  # the window has passed
    assert decide(facts(machine(1, "starting"), ready=5, failed=2, last_failed=True)).spawn == 0
    assert decide(facts(ready=5, failed=2, registered=1)).spawn == 5


def test_a_paused_pool_does_nothing() -> None:
    decision = decide(facts(machine(1, idle=1000), ready=9, paused=True))

    assert (decision.rule, decision.spawn, decision.drain, decision.wanted) == ("paused", 0, [], 1)


def test_sudden_work_is_an_anomaly() -> None:
    assert decide(facts(ready=20, last_ready=2)).anomalies == [
        "ready tasks rose from 2 to 20",
        "10 machines are requested at once",
    ]
    assert decide(facts(ready=2, last_ready=1)).anomalies == []


FLEETS = st.builds(
    lambda statuses, running: [
        machine(no, state, running=count if state == "active" else 0, idle=1000, age=1000)
        for no, (state, count) in enumerate(zip(statuses, running, strict=False))
    ],
    st.lists(st.sampled_from(["starting", "active", "draining", "error"]), max_size=15),
    st.lists(st.integers(0, 3), min_size=15, max_size=15),
)


@given(FLEETS, st.integers(0, 50), st.integers(0, 4), st.integers(0, 10), st.integers(0, 4))
def test_no_decision_exceeds_max_or_ends_what_min_needs(
    fleet: list[MachineFacts], ready: int, low: int, high: int, spare: int
) -> None:
    policy = PoolPolicy("p", "local", min(low, high), high, min(spare, high))
    given_facts = facts(*fleet, ready=ready, policy=policy)

    decision = decide(given_facts)

    active = [entry.id for entry in fleet if entry.status == "active"]
    idle = {entry.id for entry in fleet if entry.status == "active" and not entry.running}
    assert decision.wanted <= high
    assert decision.spawn == 0 or len(fleet) + decision.spawn <= high
    assert set(decision.drain) <= set(active)
    assert set(decision.cancel) <= {entry.id for entry in fleet if entry.status == "starting"}
    assert not (decision.spawn and (decision.drain or decision.cancel))
    if decision.rule != "over_max":
        assert set(decision.drain) <= idle
        assert len(active) - len(decision.drain) >= min(policy.min_workers, len(active))
