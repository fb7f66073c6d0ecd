"""The second scene: one line of the SQL of a DAG changes, readers get the new figures at the cutover, and the old ones
back at the rollback."""

import asyncio
import time
from collections import Counter
from pathlib import Path

from tenuto.demo.stage import Stage, expect
from tenuto.storage.base import Store

DOCUMENT = Path(__file__).parent / "orders" / "dag.yaml"
DAYS = ("2026-11-15", "2026-11-16", "2026-11-17")
BEFORE, AFTER = "from orders_raw group", "from orders_raw where total >= 500 group"
FIGURES = "asia 52,439.94   eu 45,110.80   us 53,415.92"  # the jobs make up the same orders every time
LARGE_ONLY = "asia 39,337.84   eu 33,003.58   us 42,400.25"


async def show_rollback(stage: Stage) -> int:
    """Run the scene; return the version with the change."""
    tn, screen = stage.tn, stage.screen
    screen.line("2. A DAG changes, and is rolled back", bold=True)
    if any(dag.name == "orders" for dag in await tn.dags.list()):
        screen.waits("deleting the DAG of the previous demo")
        await tn.dags.delete("orders", force=True)
    screen.waits("deploying the DAG")
    text = DOCUMENT.read_text()
    first = (await tn.dags.deploy(text, cutover=True)).version
    await tn.jobs.trigger("orders", "extract", DAYS)
    took = await stage.wait("three days are computed", lambda: _has_three_days(stage))
    screen.line(f"   The DAG orders is deployed; its SQL computes three days from 300 orders, in {took:.1f} s.")
    await _show_figures(stage, "readers see", FIGURES)

    changed = text.replace(BEFORE, AFTER)
    screen.waits("planning and deploying the change")
    screen.line("   One line of the SQL changes:")
    for line in _changed_lines(text, changed):
        screen.line(f"   {line}", colour="red" if line.startswith("-") else "green")
    plan = await tn.dags.plan(changed)
    again = ", ".join(f"{rebuild.job} is computed again ({rebuild.tasks} tasks)" for rebuild in plan.rebuilds)
    screen.line(f"   plan: {again}, {plan.unchanged_jobs} job is unchanged")
    expect("jobs that are computed again", (plan.rebuilt, plan.unchanged_jobs), (["daily"], 1))

    started = time.monotonic()
    second = (await tn.dags.deploy(changed)).version
    await stage.wait(f"version {second} is ready", lambda: _is_ready(stage, second))
    screen.line(f"   Version {second} is computed beside version {first}, in {time.monotonic() - started:.1f} s.")
    await _show_figures(stage, "readers still see", FIGURES)

    await tn.dags.cutover("orders", second)
    screen.line(f"   Cutover to version {second}, in one transaction:")
    await _show_figures(stage, "readers see", LARGE_ONLY)
    await tn.dags.rollback("orders", first)
    screen.line(f"   Rollback to version {first}, in one transaction, without computing:")
    await _show_figures(stage, "readers see", FIGURES)
    return second


async def _show_figures(stage: Stage, what: str, expected: str) -> None:
    """Print the sums of the current version, as any reader of its files computes them."""
    stage.screen.waits("reading the figures")
    found = await stage.tn.datasets.partitions("orders_daily")
    figures = await asyncio.to_thread(_sums, stage.tn.direct.store, [partition.location for partition in found])
    stage.screen.line(f"     {what:<18} {figures}")
    expect("figures", figures, expected)


def _sums(store: Store, locations: list[str]) -> str:
    import pyarrow.parquet as pq

    sums: Counter[str] = Counter()
    for location in locations:
        for item in store.list(f"datasets/{location}"):
            if item.key.endswith(".parquet"):
                for row in pq.read_table(store.open(item.key)).to_pylist():
                    sums[row["region"]] += row["total"]
    return "   ".join(f"{region} {total:,}" for region, total in sorted(sums.items()))


async def _has_three_days(stage: Stage) -> bool:
    return len(await stage.tn.datasets.partitions("orders_daily")) == len(DAYS)


async def _is_ready(stage: Stage, version: int) -> bool:
    (found,) = [found for found in await stage.tn.dags.versions("orders") if found.version == version]
    if found.status not in ("staged", "building", "ready"):
        expect(f"status of version {version}", f"{found.status}: {found.error}", "ready")
    return found.status == "ready"


def _changed_lines(old: str, new: str) -> list[str]:
    lines = zip(old.splitlines(), new.splitlines(), strict=True)
    return [line for was, now in lines if was != now for line in (f"- {was.strip()}", f"+ {now.strip()}")]
