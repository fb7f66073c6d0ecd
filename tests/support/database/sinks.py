"""A DAG with a sink, to which several jobs append, and the rows that its attempts append."""

from collections.abc import Sequence
from typing import Any

from tests.support.database.jobs import publication, trigger
from tests.support.database.tables import COLUMNS, stage
from tests.support.database.tasks import Claim, Worker


def a_writer(name: str, **changes: Any) -> dict[str, Any]:
    return {
        "name": name,
        "activation": "source",
        "operator": "python",
        "source": {"kind": "manual"},
        "config": {"task": f"shop.{name}"},
        "outputs": [{"append_to": "readings"}],
        **changes,
    }


SINK: dict[str, Any] = {
    "name": "readings",
    "activation": "source",
    "source": {"kind": "buffer"},
    "operator": "sink",
    "runtime": "dispatcher",
    "update_strategy": "append",
    "unique_key": ["id"],
    "outputs": [{"dataset": "readings", "storage": {"kind": "postgres"}, "columns": COLUMNS}],
}
READER = {
    "name": "report",
    "activation": "reactive",
    "operator": "sql",
    "execution_strategy": "PerUpdate",
    "inputs": [{"from": {"dataset": "readings"}}],
    "config": {"sql": "select 1"},
    "outputs": [{"dataset": "reports"}],
}
SENSORS: dict[str, Any] = {"name": "sensors", "jobs": [SINK, a_writer("north"), a_writer("south"), READER]}


def append(worker: Worker, job: str, *pages: Sequence[Sequence[str | None]]) -> Claim:
    """Runs a task that appends pages of rows to the sink."""
    (task,) = trigger(worker.db, job, dag="sensors")
    claim = next(claim for claim in worker.claim(100) if claim.task_id == task["task_id"])
    for number, rows in enumerate(pages):
        stage(worker, claim, rows, page=number)
    entry = publication(claim, rows=sum(map(len, pages)))
    assert worker.complete(claim, published=[[entry]]) == ["accepted"]
    return claim
