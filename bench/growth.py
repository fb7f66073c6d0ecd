"""Measures how the cost of each verb grows with the size of its input: `python bench/growth.py [--quick] [--check]`.

Every scenario is measured at n, 4n and 16n. The exponent is the slope of the three points on logarithmic axes: 0 is a
constant cost, 1 is linear, 2 is quadratic. The scenarios of `growth_states.py` count buffers instead of seconds.
"""

import sys
from pathlib import Path

if __name__ == "__main__":  # import from the repository root: bench/http.py would hide the standard library's http
    sys.path[0] = str(Path(__file__).parents[1])

import argparse
import math
import statistics
from collections.abc import Callable
from dataclasses import dataclass

import psycopg

from bench import growth_claims, growth_deploys, growth_retention, growth_runs, growth_states, growth_waiting
from bench.program import own_server, report
from bench.record import facts

STEPS = (1, 4, 16)
STORED, QUICK_STORED = 6250, 250  # tasks, at the smallest size of the states
STORED_EXPONENT = 0.2  # what a call may grow with the number of stored tasks: indexes have more levels
TRIES = 3  # for --check: other load on the machine can spoil one measurement, hardly three


@dataclass(frozen=True)
class Scenario:
    """A measurement. `measure` returns the server seconds of one call at size n. The smallest n is `size` or
    `quick_size`."""

    name: str
    measure: Callable[[psycopg.Connection, int], float]
    size: int
    quick_size: int
    max_exponent: float


SCENARIOS = [
    Scenario("claim beside n resource groups", growth_claims.groups, 625, 60, 0.5),
    Scenario("claim beside n priorities", growth_claims.priorities, 625, 60, 0.5),
    Scenario("claim beside n empty lanes", growth_claims.lanes, 625, 60, 0.5),
    Scenario("claim under quotas beside n running tasks", growth_claims.quotas, 250, 60, 0.7),
    Scenario("follow arrivals of n new lanes", growth_claims.arrivals, 625, 60, 1.3),
    Scenario("claim before n arrivals of other lanes", growth_claims.claim_before_arrivals, 625, 60, 0.4),
    Scenario("move the floors of n lanes", growth_claims.floors, 625, 60, 1.3),
    Scenario("complete under a full limit of n slots", growth_waiting.complete_under_full_limit, 2000, 1100, 0.5),
    Scenario("ask what is due behind n dead rows", growth_waiting.due_behind_snapshot, 10_000, 1000, 0.5),
    Scenario("start n tasks of n types", growth_runs.start_kinds, 500, 100, 1.3),
    Scenario("cancel a run of n tasks", growth_runs.cancel_run, 6250, 250, 1.3),
    Scenario("retry a run of n failed tasks", growth_runs.retry_run, 6250, 250, 1.3),
    Scenario("retry a run of n failed tasks, analyzed", growth_runs.retry_analyzed_run, 6250, 250, 1.3),
    Scenario("delete a run of n tasks", growth_runs.delete_run, 6250, 250, 1.3),
    Scenario("fail a task with n dependents", growth_runs.doom, 3125, 250, 1.3),
    Scenario("cancel one task beside n pending ones", growth_runs.cancel_task, 62_500, 2000, 0.5),
    Scenario("prune beside n kept runs with random ids", growth_retention.prune_beside_random_ids, 10_000, 1000, 0.7),
    Scenario("drop a week beside n open tasks", growth_retention.drop_beside_open_tasks, 6250, 250, 1.3),
    Scenario("deploy n jobs with n datasets", growth_deploys.deploy, 63, 16, 1.3),
    Scenario("cut over n datasets", growth_deploys.cutover, 63, 16, 1.3),
]


def main() -> None:
    options = read_options()
    chosen = [scenario for scenario in SCENARIOS if options.only in scenario.name]
    states = [state for state in growth_states.STATES if options.only in f"with {state}"]
    with own_server() as (url, _):
        if options.check:
            sys.exit(check(url, chosen) or check_states(url, states))
        result: dict[str, object] = {**facts(url), "quick": options.quick}
        with psycopg.connect(url, autocommit=True) as conn:
            for scenario in chosen:
                result[scenario.name] = measured = grow(conn, scenario, quick=options.quick)
                print(describe(scenario, measured), file=sys.stderr)
            for state in states:
                result |= (grown := grow_with_stored_tasks(conn, state, quick=options.quick))
                print(*(f"{name}: {measured}" for name, measured in grown.items()), sep="\n", file=sys.stderr)
    report("growth-quick" if options.quick else "growth", result, options)


def read_options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="smaller sizes, about three minutes")
    parser.add_argument("--check", action="store_true", help="smaller sizes; exit code 1 if an exponent is too large")
    parser.add_argument("--only", default="", metavar="TEXT", help="only scenarios whose name contains TEXT")
    parser.add_argument("--json", action="store_true", help="print one JSON object and nothing else")
    parser.add_argument("--save", action="store_true", help="keep the result in bench/results/")
    return parser.parse_args()


def grow(conn: psycopg.Connection, scenario: Scenario, *, quick: bool) -> dict[str, object]:
    """Return the seconds at each size, and the exponent."""
    smallest = scenario.quick_size if quick else scenario.size
    seconds = {smallest * step: scenario.measure(conn, smallest * step) for step in STEPS}
    return {
        "seconds": {str(n): round(taken, 4) for n, taken in seconds.items()},
        "exponent": round(exponent(seconds), 2),
        "max_exponent": scenario.max_exponent,
    }


def grow_with_stored_tasks(conn: psycopg.Connection, state: str, *, quick: bool) -> dict[str, dict[str, object]]:
    """Return the buffers of each verb beside each number of stored tasks in this state, and the exponents."""
    sizes = [(QUICK_STORED if quick else STORED) * step for step in STEPS]
    measured = growth_states.measure(conn, state, sizes)
    return {
        name: {"buffers": {str(n): read for n, read in buffers.items()}, "exponent": round(exponent(buffers), 2)}
        for name, buffers in measured.items()
    }


def check_states(url: str, states: list[str]) -> int:
    """Measure the states at small sizes; return 1 if a verb always grows with the stored tasks in a held state."""
    failed = False
    with psycopg.connect(url, autocommit=True) as conn:
        for state in states:
            growing = growing_verbs(conn, state)
            for _ in range(TRIES - 1 if state in growth_states.HELD_STATES else 0):
                again = growing_verbs(conn, state) if growing else {}
                growing = {name: measured for name, measured in again.items() if name in growing}
            for name, measured in growing.items():
                print(f"{name} grows as n^{measured['exponent']} of the stored tasks: {measured['buffers']} buffers")
            failed |= bool(growing) and state in growth_states.HELD_STATES
    return int(failed)


def growing_verbs(conn: psycopg.Connection, state: str) -> dict[str, dict[str, object]]:
    measured = grow_with_stored_tasks(conn, state, quick=True)
    return {name: grown for name, grown in measured.items() if float(str(grown["exponent"])) > STORED_EXPONENT}


def exponent(seconds: dict[int, float]) -> float:
    """Return the slope of log(seconds) over log(n) by least squares."""
    sizes = [math.log(n) for n in seconds]
    times = [math.log(max(taken, 1e-6)) for taken in seconds.values()]
    return statistics.linear_regression(sizes, times).slope


def check(url: str, chosen: list[Scenario]) -> int:
    """Measure each scenario at small sizes until its exponent is within its bound; return 1 if one never was."""
    failed = 0
    with psycopg.connect(url, autocommit=True) as conn:
        for scenario in chosen:
            for _ in range(TRIES):
                measured = grow(conn, scenario, quick=True)
                print(describe(scenario, measured))
                if float(str(measured["exponent"])) <= scenario.max_exponent:
                    break
            else:
                failed += 1
                print(f"{scenario.name} grows faster than n^{scenario.max_exponent}")
    return 1 if failed else 0


def describe(scenario: Scenario, measured: dict[str, object]) -> str:
    return (
        f"{scenario.name}: n^{measured['exponent']} (at most n^{scenario.max_exponent}), seconds {measured['seconds']}"
    )


if __name__ == "__main__":
    main()
