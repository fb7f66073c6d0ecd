"""Describes where a figure came from (machine, versions, commit) and saves it."""

import datetime
import json
import os
import platform
import subprocess
from pathlib import Path

import psycopg

RESULTS = Path(__file__).parent / "results"


def facts(url: str) -> dict[str, object]:
    with psycopg.connect(url) as conn:
        settings = dict(
            conn.execute(
                "select name, setting from pg_settings "
                "where name in ('server_version', 'fsync', 'synchronous_commit', 'shared_buffers', 'max_wal_size')"
            ).fetchall()
        )
    return {
        "date": datetime.datetime.now(datetime.UTC).date().isoformat(),
        "commit": commit(Path(__file__).parent),
        "cpu": _cpu(),
        "cores": os.cpu_count(),
        "python": platform.python_version(),
        "postgres": settings,
    }


def save(name: str, result: dict[str, object]) -> None:
    RESULTS.mkdir(exist_ok=True)
    (RESULTS / f"{name}.json").write_text(json.dumps(result, indent=2) + "\n")


def commit(checkout: Path) -> str:
    done = subprocess.run(
        ["git", "rev-parse", "--short", "HEAD"],  # noqa: S607 - any git on the PATH
        cwd=checkout,
        capture_output=True,
        text=True,
        check=False,
    )
    return done.stdout.strip() or "unknown"


def _cpu() -> str:
    info = Path("/proc/cpuinfo")
    if not info.exists():
        return platform.processor()
    names = [line.split(":")[1].strip() for line in info.read_text().splitlines() if line.startswith("model name")]
    return names[0] if names else platform.processor()
