"""Prints the figures in a heartbeat of this machine, and how long measuring them takes: `python
bench/gpu_heartbeat.py`."""

import json
import statistics
import time

from tenuto.worker.supervisor.machine_figures import MachineFigures

ROUNDS = 50


def main() -> None:
    figures = MachineFigures()
    started = time.perf_counter()
    figures.measure()
    first = time.perf_counter() - started
    times: list[float] = []
    for _ in range(ROUNDS):
        started = time.perf_counter()
        measured = figures.measure()
        times.append(time.perf_counter() - started)
    started = time.perf_counter()
    for _ in range(ROUNDS):
        figures.latest()
    beside = (time.perf_counter() - started) / ROUNDS
    report = {
        "heartbeat": measured,
        "bytes": len(json.dumps(measured)),
        "first_measurement_ms": round(first * 1000, 3),
        "measurement_ms": round(statistics.median(times) * 1000, 3),
        "slowest_measurement_ms": round(max(times) * 1000, 3),
        "cost_of_a_heartbeat_ms": round(beside * 1000, 4),
    }
    print(json.dumps(report, indent=2))


if __name__ == "__main__":
    main()
