"""Records when the tasks of a database were started, for the simulation of pools.

`python bench/recorded_day.py postgresql://… > day.json`, then `python -m bench.fleet_sim --recorded day.json`.
"""

import argparse
import json

import psycopg

EVERY_SECONDS = 5
# The number of tasks per EVERY_SECONDS, from the first to the last task of the last 24 hours. TASK_SECONDS and
# START_SECONDS select how long tasks and the starts of machines took.
COUNTS = """
with made as (
  select t.created_at
  from tenuto.tasks t
  where t.id >= tenuto._uuid7_floor(now() - interval '24 hours')
    and t.created_at > now() - interval '24 hours'
), range as (
  select min(m.created_at) as first, max(m.created_at) as last from made m
), piece as (
  select floor(extract(epoch from m.created_at - r.first) / %(every)s)::int as no, count(*) as tasks
  from made m, range r
  group by 1
)
select coalesce(p.tasks, 0)
from range r
cross join generate_series(0, floor(extract(epoch from r.last - r.first) / %(every)s)::int) n
left join piece p on p.no = n
order by n
"""
TASK_SECONDS = """
select coalesce(avg(extract(epoch from a.ended_at - a.started_at)), 1)
from tenuto.task_attempts a
where a.outcome = 'completed' and a.ended_at > now() - interval '24 hours'
"""
START_SECONDS = """
select coalesce(avg(extract(epoch from w.registered_at - w.created_at)), 30)
from tenuto.workers w
where w.pool_id is not null and w.machine is null and w.registered_at is not null
"""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("url", help="URL of the database")
    parser.add_argument("--name", default="recorded", help="name of the day in the results")
    parser.add_argument("--slower", type=int, default=1, help="stretch all times; the simulation has steps of 5 s")
    parser.add_argument("--max-workers", type=int, default=4)
    options = parser.parse_args()
    with psycopg.connect(options.url) as conn:
        started = [row[0] for row in conn.execute(COUNTS, {"every": EVERY_SECONDS}).fetchall()]
        (task_seconds,) = conn.execute(TASK_SECONDS).fetchall()[0]
        (start_seconds,) = conn.execute(START_SECONDS).fetchall()[0]
    day = {
        "name": options.name, "every_seconds": EVERY_SECONDS * options.slower,
        "task_seconds": round(float(task_seconds) * options.slower, 1),
        "start_seconds": round(float(start_seconds) * options.slower, 1), "max_workers": options.max_workers,
        "started": started,
    }  # fmt: skip
    print(json.dumps(day))


if __name__ == "__main__":
    main()
