"""Old and new code side by side: the new code sets runs of the old aside, the old code continues them, and patched code
finishes both."""

from pathlib import Path
from uuid import UUID

from tests.support.database.attempts import start_tasks, wait_for
from tests.support.database.loops import count, value
from tests.support.database.tasks import DEFAULT_ORG, Db, call, statuses
from tests.support.processes.workers import Fleet, WorkerProcess
from tests.support.waiting import wait_until

KINDS = ("async", "thread", "process")
APP = """
from tenuto import App, Context, SyncContext
from tests.journeys.apps.world import effect

app = App("shop")

@app.task(name="async", max_attempts=1)
async def order_async(ctx: Context) -> str:
    await ctx.step("charge", effect, "charge async")
    {async_reserve}
    await ctx.wait("go")
    await ctx.step("ship", effect, "ship async")
    return "{result}"

def order(ctx: SyncContext, kind: str) -> str:
    ctx.step("charge", effect, f"charge {{kind}}")
    {reserve}
    ctx.wait("go")
    ctx.step("ship", effect, f"ship {{kind}}")
    return "{result}"

@app.task(name="thread", max_attempts=1)
def order_thread(ctx: SyncContext) -> str:
    return order(ctx, "thread")

@app.task(name="process", max_attempts=1, executor="process")
def order_process(ctx: SyncContext) -> str:
    return order(ctx, "process")
"""
RESERVE = 'ctx.step("reserve", effect, f"reserve {kind}")'
VERSIONS = {  # of what comes after the charge
    "old": (RESERVE, 'await ctx.step("reserve", effect, "reserve async")'),
    "new": ("pass", "pass"),
    "patched": (
        f'if not ctx.patched("no-reserve"): {RESERVE}',
        'if not await ctx.patched("no-reserve"): await ctx.step("reserve", effect, "reserve async")',
    ),
}


def deploy(fleet: Fleet, version: str) -> WorkerProcess:
    """A worker with this version of the file, beside those that are there."""
    reserve, async_reserve = VERSIONS[version]
    file = fleet.folder / version / "shop.py"
    file.parent.mkdir(exist_ok=True)
    file.write_text(APP.format(result=version, reserve=reserve, async_reserve=async_reserve))
    return fleet.start(str(file), "--lease", "5s")


def start_orders(db: Db) -> list[UUID]:
    return [task_id for kind in KINDS for task_id in start_tasks(db, f"shop.{kind}", None, max_attempts=1)]


def go(db: Db, orders: list[UUID]) -> None:
    for order in orders:
        call(db, "send_signal", org_id=DEFAULT_ORG, run_id=order, name="go")


def results(db: Db, orders: list[UUID]) -> set[str]:
    return {value(db, "select output from tenuto.task_attempts where task_id = %s and end_no = 0", o) for o in orders}


def effects_of(*steps: str) -> list[str]:
    return sorted(f"{step} {kind}" for step in steps for kind in KINDS)


def test_code_changes_while_runs_are_in_flight(db: Db, fleet: Fleet, tmp_path: Path):
    old = deploy(fleet, "old")
    first, second = start_orders(db), start_orders(db)
    wait_until(lambda: set(statuses(db, [*first, *second])) == {"waiting"})
    new = deploy(fleet, "new")
    old.tell(15)
    old.wait()

    go(db, first)
    wait_until(lambda: count(db, "waiting_tasks", "waits_for = 'code'") == 3)
    wait_until(lambda: new.log.count("is set aside, because its code changed: step 2 was step 'reserve'") == 3)
    why = call(db, "explain_task", org_id=DEFAULT_ORG, task_id=first[0])
    assert "step 2 was step 'reserve' on an earlier attempt and is signal 'go' in code version" in why

    old = deploy(fleet, "old")
    wait_for(db, completed=3)
    assert results(db, first) == {"old"}
    old.tell(15)
    old.wait()

    go(db, second)
    wait_until(lambda: count(db, "waiting_tasks", "waits_for = 'code'") == 3)
    new.tell(15)
    new.wait()
    deploy(fleet, "patched")
    wait_for(db, completed=6)
    third = start_orders(db)
    go(db, third)
    wait_for(db, completed=9)

    assert (results(db, second), results(db, third)) == ({"patched"}, {"patched"})
    done = effects_of("charge", "ship") * 3 + effects_of("reserve") * 2
    assert sorted(fleet.effects()) == sorted(done)
    assert count(db, "task_attempts", "outcome in ('failed', 'lost', 'retrying')") == 0
