"""Decides how many workers a pool needs, and which machines to request, drain or give up. The functions only compute a
decision from facts."""

from dataclasses import dataclass, field
from math import ceil

from tenuto.model.json import JsonObject
from tenuto.model.pools import MachineFacts, PoolFacts

SPIKE = 10  # 10 times as many ready tasks as at the last decision, and at least 10, are an anomaly
MANY_SPAWNS = 3  # this many machines requested at once are an anomaly


@dataclass(frozen=True)
class Decision:
    """A decision about a pool. `rule` is a short name of the reason. `spawn`: how many machines to request. `drain` and
    `cancel`: the ids of machines to drain and to give up."""

    workers: int  # how many workers are starting or active
    wanted: int
    rule: str
    reason: str
    spawn: int = 0
    drain: list[str] = field(default_factory=list[str])
    cancel: list[str] = field(default_factory=list[str])
    busy: list[str] = field(default_factory=list[str])
    anomalies: list[str] = field(default_factory=list[str])
    requested: int = 0  # machines among `spawn` that were requested by hand

    def facts(self, facts: PoolFacts) -> JsonObject:
        """Return the facts that the table `scaling_decisions` stores with the reason."""
        return {
            "rule": self.rule,
            "ready": facts.ready,
            "running": sum(machine.running for machine in facts.machines),
            "busy": len(self.busy),
            "starting": sum(machine.status == "starting" for machine in facts.machines),
            "active": sum(machine.status == "active" for machine in facts.machines),
            "draining": sum(machine.status == "draining" for machine in facts.machines),
            "registered": facts.registered,
            "failed": facts.failed,
            "spawned": self.spawn,
            "drained": self.drain,
            "cancelled": self.cancel,
            "requested": self.requested,
            "anomalies": self.anomalies,
        }


@dataclass(frozen=True)
class Demand:
    """How many workers a pool needs, and why."""

    wanted: int
    keep: int  # how many stay when the pool shrinks; can be more than `wanted` (scale_down_multiplier)
    rule: str
    reason: str


def decide(facts: PoolFacts, max_machines: int | None = None) -> Decision:
    """Return the decision. It never requests more workers than max_workers or more machines of the provider than
    max_machines. It never reduces the active workers below min_workers."""
    starting = [machine for machine in facts.machines if machine.status == "starting"]
    active = [machine for machine in facts.machines if machine.status == "active"]
    busy = [machine.id for machine in active if machine.running]
    workers = len(starting) + len(active)
    demand = measure_demand(facts, len(busy))
    anomalies = find_anomalies(facts)
    if facts.paused:
        return Decision(workers, workers, "paused", "the pool is paused", busy=busy)
    if workers > facts.policy.max_workers:
        drain, cancel = _over_max(starting, active, workers - facts.policy.max_workers)
        text = f"more than max_workers ({facts.policy.max_workers}): starting and idle machines end first"
        return Decision(workers, demand.wanted, "over_max", text, drain=drain, cancel=cancel, busy=busy)
    if workers < demand.wanted or facts.requested:
        return _grow(facts, demand, workers, len(starting), busy, anomalies, max_machines)
    if workers > demand.keep:
        return _shrink(facts, demand, starting, active, busy)
    return Decision(workers, demand.wanted, demand.rule, demand.reason, busy=busy, anomalies=anomalies)


def measure_demand(facts: PoolFacts, busy: int) -> Demand:
    """Return how many workers are needed: max(min_workers, ceil(work × multiplier), busy + spare), but at most
    max_workers. `rule` and `reason` say which of these terms decides."""
    policy = facts.policy
    tasks = facts.ready + sum(machine.running for machine in facts.machines if machine.status == "active")
    work = tasks / policy.tasks_per_worker
    terms = [
        (policy.min_workers, "min", f"min_workers is {policy.min_workers}"),
        (_ceil(work * policy.scale_up_multiplier), "work", _work_text(facts, tasks)),
        (busy + policy.spare_workers, "spare", f"{busy} workers are busy, and spare_workers is {policy.spare_workers}"),
    ]
    size, rule, reason = max(terms, key=lambda term: term[0])
    if size == 0:
        rule, reason = "none", "there is no work"
    if size > policy.max_workers:
        rule, reason = "max", f"{reason}; max_workers is {policy.max_workers}"
    wanted = min(size, policy.max_workers)
    keep = min(max(wanted, _ceil(work * policy.scale_down_multiplier)), policy.max_workers)
    return Demand(wanted, keep, rule, reason)


def find_anomalies(facts: PoolFacts) -> list[str]:
    """Return a message if the number of ready tasks rose suddenly since the last decision. A decision with an anomaly
    is stored, so the same rise is found only once."""
    if facts.last_ready is not None and facts.ready >= max(SPIKE, SPIKE * facts.last_ready):
        return [f"ready tasks rose from {facts.last_ready} to {facts.ready}"]
    return []


def _grow(
    facts: PoolFacts,
    demand: Demand,
    workers: int,
    starting: int,
    busy: list[str],
    anomalies: list[str],
    max_machines: int | None,
) -> Decision:
    """Requests the missing machines and the machines that were requested by hand, up to the maximum. After failures it
    requests missing machines one at a time, or none."""
    policy, tried = facts.policy, facts.registered + facts.failed
    missing, rule, reason = max(0, demand.wanted - workers), demand.rule, demand.reason
    if missing and tried >= policy.min_spawns_for_rate and facts.failed > policy.max_failure_rate * tried:
        missing, rule = 0, "brake"
        reason = f"{facts.failed} of the last {tried} machines failed to start: none is requested for now"
    elif missing and facts.last_failed:
        # Requesting one machine at a time shows whether the provider works again, without another burst of failures.
        missing, rule = min(missing, 1 if starting == 0 else 0), "probe"
        reason = f"{reason}; the last machine failed to start: one is requested at a time until one registers"
    if facts.requested:
        rule = rule if missing else "requested"
        reason = f"{reason}; {facts.requested} requested by hand"
    asked = missing + facts.requested
    room = max(0, policy.max_workers - len(facts.machines))  # draining and failed machines still run
    left = room if max_machines is None else max(0, max_machines - facts.provider_machines)
    if left < min(asked, room):
        rule = "provider"
        running = f"{facts.provider_machines} of at most {max_machines} machines"
        reason = f"{reason}; provider {policy.provider} runs {running}"
    elif room < asked:
        reason = f"{reason}; machines that are ending still count towards max_workers"
    spawn = min(asked, room, left)
    if spawn >= MANY_SPAWNS:
        anomalies = [*anomalies, f"{spawn} machines are requested at once"]
    # A request by hand for which there is no room is dropped: it must not start machines at a later time.
    return Decision(
        workers, demand.wanted, rule, reason,
        spawn=spawn, busy=busy, anomalies=anomalies, requested=facts.requested,
    )  # fmt: skip


def _shrink(
    facts: PoolFacts, demand: Demand, starting: list[MachineFacts], active: list[MachineFacts], busy: list[str]
) -> Decision:
    """Gives up surplus machines that have not started within the starting grace time, unless tasks are ready. Then
    drains idle machines, newest first. An idle machine stays for the over-capacity timeout; the last worker of a pool
    stays for the idle timeout. Changes nothing within the grace time after the last scale-down."""
    policy = facts.policy
    surplus = len(starting) + len(active) - demand.keep
    waits = Decision(len(starting) + len(active), demand.wanted, demand.rule, demand.reason, busy=busy)
    if facts.scaled_down_seconds is not None and facts.scaled_down_seconds < policy.scale_down_grace_seconds:
        return waits
    late = [machine.id for machine in starting if machine.age_seconds >= policy.starting_grace_seconds]
    cancel = late[:surplus] if facts.ready == 0 else []
    drain: list[str] = []
    left = len(active)
    for machine in (machine for machine in active if machine.idle_seconds is not None and not machine.external):
        if len(drain) + len(cancel) >= surplus or left <= policy.min_workers:
            break
        is_last = left == 1
        timeout = policy.idle_timeout_seconds if is_last else policy.over_capacity_timeout_seconds
        if machine.idle_seconds is not None and machine.idle_seconds >= timeout:
            drain.append(machine.id)
            left -= 1
    if not drain and not cancel:
        return waits
    which = "idle machines end, newest first" if drain else "machines that are still starting are given up"
    text = f"{demand.reason}; {which}"
    return Decision(waits.workers, demand.wanted, "surplus", text, drain=drain, cancel=cancel, busy=busy)


def _over_max(starting: list[MachineFacts], active: list[MachineFacts], surplus: int) -> tuple[list[str], list[str]]:
    """Return which machines to drain and which to give up. Starting machines are given up first. Then idle machines are
    drained, then busy ones, which finish their tasks."""
    cancel = [machine.id for machine in starting][:surplus]
    own = [machine for machine in active if not machine.external]
    # stable sort: idle and busy machines stay newest first
    order = sorted(own, key=lambda machine: machine.running > 0)
    return [machine.id for machine in order][: surplus - len(cancel)], cancel


def _ceil(number: float) -> int:
    return ceil(round(number, 9))  # otherwise 3 * 0.1 * 10, which is a little more than 3, would become 4


def _work_text(facts: PoolFacts, tasks: int) -> str:
    policy = facts.policy
    running = tasks - facts.ready
    text = "1 task is ready" if facts.ready == 1 else f"{facts.ready} tasks are ready"
    text += " and 1 runs" if running == 1 else f" and {running} run"
    if policy.tasks_per_worker > 1:
        text += f", {policy.tasks_per_worker} per worker"
    return text if policy.scale_up_multiplier == 1 else f"{text}, times {policy.scale_up_multiplier:.15g}"
