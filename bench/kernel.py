"""Compares the SQL functions with the speed that Postgres allows: `python bench/kernel.py [--quick] [--json]`."""

import sys
from pathlib import Path

if __name__ == "__main__":  # import from the repository root: bench/http.py would hide the standard library's http
    sys.path[0] = str(Path(__file__).parents[1])

import shutil
import statistics
import subprocess
import tempfile

import psycopg

from bench import limit, scenarios
from bench.program import own_server, read_options, report
from bench.record import facts
from tenuto.db.embedded.binaries import find_program

REPETITIONS = 5


def main() -> None:
    options = read_options(__doc__, quick="smaller sizes, at most four minutes")
    with own_server() as (url, _):
        result = measure(url, quick=options.quick, quiet=options.json)
    report("kernel-quick" if options.quick else "kernel", result, options)


def measure(url: str, *, quick: bool, quiet: bool) -> dict[str, object]:
    """Run all scenarios on one server with default durability; each figure is a median."""
    say = (lambda _: None) if quiet else (lambda text: print(text, file=sys.stderr))
    with psycopg.connect(url, autocommit=True) as conn:
        limit.create(conn)
    result: dict[str, object] = {**facts(url), "quick": quick, "repetitions": REPETITIONS}
    result["pgbench_commits_per_s"] = commit_rate(url)
    for scenario in scenarios.ALL:
        say(f"{scenario.__name__} …")
        rounds = [scenario(url, quick=quick) for _ in range(1 if scenario in scenarios.ONCE else REPETITIONS)]
        result |= {name: round(statistics.median(r[name] for r in rounds), 3) for name in rounds[0]}
        say(f"  { ({name: result[name] for name in rounds[0]}) }")
    return result


def commit_rate(url: str) -> float:
    """Return the commits/s of a one-row insert with two clients, measured by pgbench; 0 if pgbench is not installed."""
    pgbench = find_program("pgbench")
    with psycopg.connect(url, autocommit=True) as conn:
        conn.execute("create table if not exists public.commits (n int)")
    if pgbench is None:
        return 0.0
    script = Path(tempfile.mkdtemp(prefix="tenuto-pgbench-")) / "insert.sql"
    script.write_text("insert into public.commits values (1);\n")
    done = subprocess.run(
        [pgbench, "-n", "-f", script, "-c", "2", "-j", "2", "-T", "4", url], capture_output=True, text=True, check=True
    )
    shutil.rmtree(script.parent)
    (line,) = [line for line in done.stdout.splitlines() if line.startswith("tps")]
    return round(float(line.split()[2]), 1)


if __name__ == "__main__":
    main()
