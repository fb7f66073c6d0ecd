"""The code of jobs in task processes, which a test can stop and kill while they write."""

import os

from tenuto import App, SyncContext
from tests.journeys.apps.world import at_gate_sync, effect

app = App("process_jobs")


@app.task(executor="process")
def extract(ctx: SyncContext, partition: str) -> None:
    """Use everything that a job can use, and write two outputs; the test decides when the second is written."""
    ctx.state["runs"] = ctx.state.get("runs", 0) + 1
    ctx.state.flush()
    ctx.log.info("the password is %s", ctx.secrets["crm-token"])
    ctx.write([{"id": number, "day": partition} for number in range(3)])
    ctx.emit("ticks", {"half": True}, partition=partition)
    effect(f"half {os.getpid()} {len(ctx.secrets['crm-token'])}")
    at_gate_sync(f"{partition} {ctx.attempt}")
    ctx.write([{"day": partition, "n": 3}], "sums")


@app.task(executor="process")
def count(ctx: SyncContext, raw: object) -> object:
    """Read the input as a table and as a query."""
    ctx.lineage({"total": "raw.id"})
    (row,) = ctx.query("select sum(id)::bigint as total from raw").dicts()
    effect(f"counted {os.getpid()} {type(raw).__name__}")
    return [{"total": row["total"]}]


@app.task(runtime="sandbox")
def boxed() -> list[dict[str, object]]:
    return [{"n": 1}]
