"""Simulates days of a pool with Tenuto's decision function and, for comparison, with the rules of KEDA, Ray and the
Headless-WGP orchestrator. `python bench/fleet_sim.py` writes results/fleet_sim.json and results/fleet_sim.svg."""

import argparse
import json
import random
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from bench.fleet_chart import draw
from bench.record import save
from tenuto.dispatcher.fleet.decide import decide
from tenuto.model.pools import MachineFacts, PoolFacts, PoolPolicy

RESULTS = Path(__file__).parent / "results"
STEP = 5  # seconds per step
HOUR = 3600


@dataclass(frozen=True)
class Day:
    """Arrivals per step, how long tasks and machine starts take, and when the provider fails."""

    name: str
    arrivals: list[int]
    task_seconds: float
    start_seconds: float
    max_workers: int
    fails: Callable[[float], bool] = lambda _: False


@dataclass
class Box:
    """A simulated machine: starting until `ready_at`, busy until `busy_until`."""

    no: int
    made_at: float
    ready_at: float
    fails: bool = False
    busy_until: float = 0.0
    idle_since: float = 0.0
    draining: bool = False
    task: float | None = None  # when its task arrived


@dataclass
class World:
    """The state of a simulation, as rules see it."""

    day: Day
    now: float = 0.0
    queue: deque[float] = field(default_factory=deque[float])
    boxes: list[Box] = field(default_factory=list[Box])
    registered: deque[float] = field(default_factory=deque[float])
    failed: deque[float] = field(default_factory=deque[float])
    scaled_down_at: float | None = None
    memory: deque[tuple[float, int]] = field(default_factory=deque[tuple[float, int]])  # for the rule to use

    def starting(self) -> list[Box]:
        return [box for box in self.boxes if box.ready_at > self.now]

    def active(self) -> list[Box]:
        return [box for box in self.boxes if box.ready_at <= self.now and not box.draining]


@dataclass(frozen=True)
class Move:
    """What a rule does: request machines, drain some machines, kill some at once."""

    spawn: int = 0
    drain: tuple[int, ...] = ()
    kill: tuple[int, ...] = ()


Rule = Callable[[World], Move]


def tenuto(world: World) -> Move:
    policy = PoolPolicy("sim", "sim", max_workers=world.day.max_workers)
    window = world.now - 300
    facts = PoolFacts(
        policy,
        [_facts_of(world, box) for box in sorted(world.boxes, key=lambda box: -box.made_at)],
        len(world.queue),
        registered=sum(at > window for at in world.registered),
        failed=sum(at > window for at in world.failed),
        last_failed=max(world.failed, default=-1.0) > max(world.registered, default=-1.0),
        scaled_down_seconds=None if world.scaled_down_at is None else world.now - world.scaled_down_at,
    )
    decision = decide(facts)
    return Move(decision.spawn, tuple(map(int, decision.drain)), tuple(map(int, decision.cancel)))


def _facts_of(world: World, box: Box) -> MachineFacts:
    starts = box.ready_at > world.now
    status = "starting" if starts else "draining" if box.draining else "active"
    idle = None if starts or box.task is not None else world.now - max(box.idle_since, box.ready_at)
    running = 0 if box.task is None else 1
    return MachineFacts(str(box.no), status, "x", running, idle, world.now - box.made_at, not starts, external=False)


def wgp(world: World) -> Move:
    """The rule of the Headless-WGP orchestrator: every 30 s, request machines for all tasks. Surplus machines end when
    they have been idle for 30 s. Failed starts do not slow the requests down."""
    if world.now % 30:
        return Move()
    active, starting = world.active(), world.starting()
    wanted = min(world.day.max_workers, len(world.queue) + sum(box.task is not None for box in active))
    over = len(active) + len(starting) - wanted
    idle = sorted((box for box in active if box.task is None), key=lambda box: -box.made_at)
    late = [box.no for box in idle if world.now - max(box.idle_since, box.ready_at) >= 30]
    return Move(spawn=max(0, -over), kill=tuple(late[: max(0, over)]))


def keda(world: World) -> Move:
    """KEDA's queue scaler: one replica per ready or running task, polled every 30 s. The horizontal autoscaler at most
    doubles the size at a time, or adds 4. It shrinks only to the largest size of the last 300 s, and ends the newest
    machines, even busy ones."""
    if world.now % 30:
        return Move()
    active, starting = world.active(), world.starting()
    size = len(active) + len(starting)
    need = len(world.queue) + sum(box.task is not None for box in active)
    world.memory.append((world.now, min(need, world.day.max_workers)))
    while world.memory[0][0] < world.now - 300:
        world.memory.popleft()
    steady = max(count for _, count in world.memory)
    if need > size:
        return Move(spawn=min(min(need, world.day.max_workers) - size, max(4, size)))
    surplus = sorted(active + starting, key=lambda box: -box.made_at)[: max(0, size - steady)]
    return Move(kill=tuple(box.no for box in surplus))


def ray(world: World) -> Move:
    """Ray's autoscaler with upscaling_speed 1: as many machines start at a time as exist, at least 5. Idle nodes end
    after 5 minutes."""
    active, starting = world.active(), world.starting()
    size = len(active) + len(starting)
    need = min(world.day.max_workers, len(world.queue) + sum(box.task is not None for box in active))
    idle = [box.no for box in active if box.task is None and world.now - max(box.idle_since, box.ready_at) >= 300]
    return Move(spawn=max(0, min(need - size, max(5, size) - len(starting))), kill=tuple(idle))


RULES: dict[str, Rule] = {"tenuto": tenuto, "wgp": wgp, "keda": keda, "ray": ray}


@dataclass
class Score:
    """The results of a rule: how long tasks waited, how long machines were paid for and busy, and how many requests for
    machines failed."""

    waits: list[float] = field(default_factory=list[float])
    paid_seconds: float = 0.0
    busy_seconds: float = 0.0
    requests: int = 0
    in_vain: int = 0
    restarted: int = 0
    demand: list[int] = field(default_factory=list[int])
    capacity: list[int] = field(default_factory=list[int])

    def summary(self) -> dict[str, float]:
        waits = sorted(self.waits) or [0.0]
        return {
            "tasks": len(self.waits),
            "mean_wait_seconds": round(sum(waits) / len(waits), 1),
            "p95_wait_seconds": round(waits[int(0.95 * (len(waits) - 1))], 1),
            "machine_hours": round(self.paid_seconds / HOUR, 2),
            "waste_percent": round(100 * (1 - self.busy_seconds / max(self.paid_seconds, 1)), 1),
            "requests": self.requests,
            "requests_in_vain": self.in_vain,
            "tasks_restarted": self.restarted,
        }


def simulate(day: Day, rule: Rule) -> Score:
    """Simulate a day and an hour more, so that machines that stay idle are paid for. If tasks still wait then,
    continue, but not longer than three times this time."""
    world, score = World(day), Score()
    steps, no = len(day.arrivals) + HOUR // STEP, 0
    step = 0
    while step < steps or (world.queue and step < 3 * steps):
        world.now = float(step * STEP)
        world.queue.extend([world.now] * (day.arrivals[step] if step < len(day.arrivals) else 0))
        _finish(world, score)
        _assign(world, score)
        move = rule(world)
        for _ in range(move.spawn):
            no += 1
            score.requests += 1
            fails = day.fails(world.now)
            box = Box(no, world.now, world.now + day.start_seconds, fails=fails)
            box.idle_since = box.ready_at
            world.boxes.append(box)
        _end(world, score, move)
        score.paid_seconds += STEP * len(world.boxes)
        score.busy_seconds += STEP * sum(box.task is not None for box in world.boxes)
        score.demand.append(len(world.queue) + sum(box.task is not None for box in world.boxes))
        score.capacity.append(len(world.boxes))
        step += 1
    return score


def _finish(world: World, score: Score) -> None:
    for box in list(world.boxes):
        if box.ready_at <= world.now < box.ready_at + STEP:
            (world.failed if box.fails else world.registered).append(world.now)
            if box.fails:
                score.in_vain += 1
                world.boxes.remove(box)
                continue
        if box.task is not None and box.busy_until <= world.now:
            box.task, box.idle_since = None, world.now
        if box.draining and box.task is None:
            world.boxes.remove(box)


def _assign(world: World, score: Score) -> None:
    for box in world.active():
        if box.task is None and world.queue:
            box.task = world.queue.popleft()
            box.busy_until = world.now + world.day.task_seconds
            score.waits.append(world.now - box.task)


def _end(world: World, score: Score, move: Move) -> None:
    ended = {*move.drain, *move.kill}
    if ended:
        world.scaled_down_at = world.now
    for box in [box for box in world.boxes if box.no in ended]:
        if box.no in move.drain:
            box.draining = True
            continue
        if box.task is not None:
            world.queue.appendleft(box.task)
            score.restarted += 1
        world.boxes.remove(box)


def days(quick: bool) -> list[Day]:
    """Return the days: bursts, a trickle, a provider that fails for an hour, a working day, and a thousand workers."""
    chance = random.Random(16)  # the same days every time
    hours = 2 if quick else 8
    steps = hours * HOUR // STEP
    bursts = [300 if step % (2 * HOUR // STEP) == 60 else 0 for step in range(steps)]
    trickle = [1 if chance.random() < STEP / 90 else 0 for _ in range(steps)]
    shape = [max(0.0, 1 - abs(2 * step / steps - 1)) for step in range(steps)]
    working = [int(chance.random() < 0.3 * part) + int(chance.random() < 0.2 * part) for part in shape]
    large = [200 if 60 <= step < 160 else 0 for step in range(steps // 2)]
    return [
        Day("bursts", bursts, 30, 60, 40),
        Day("trickle", trickle, 60, 90, 10),
        Day("failing provider", bursts, 30, 60, 40, fails=lambda now: now < HOUR),
        Day("working day", working, 120, 90, 60),
        Day("1,000 workers", large, 60, 60, 1000),
    ]


def recorded(file: Path) -> Day:
    """Return a day from a file, which holds counts of started tasks and the seconds between two counts."""
    saved = json.loads(file.read_text())
    arrivals: list[int] = []
    for count in saved["started"]:
        arrivals += [count, *([0] * (saved["every_seconds"] // STEP - 1))]
    return Day(saved["name"], arrivals, saved["task_seconds"], saved["start_seconds"], saved["max_workers"])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="two hours instead of eight, and nothing is written")
    parser.add_argument("--recorded", type=Path, nargs="+", default=[], help="also recorded days, from files")
    options = parser.parse_args()
    played = days(options.quick) + [recorded(file) for file in options.recorded]
    scores = {day.name: {name: simulate(day, rule) for name, rule in RULES.items()} for day in played}
    table = {day: {name: score.summary() for name, score in rules.items()} for day, rules in scores.items()}
    for day, rules in table.items():
        for name, summary in rules.items():
            print(f"{day:18} {name:8}", *(f"{key}={value}" for key, value in summary.items()))
    if not options.quick:
        save("fleet_sim", {"step_seconds": STEP, "days": table})
        lines = {
            day: {name: (score.demand, score.capacity) for name, score in rules.items()}
            for day, rules in scores.items()
        }
        (RESULTS / "fleet_sim.svg").write_text(draw(lines))


if __name__ == "__main__":
    main()
