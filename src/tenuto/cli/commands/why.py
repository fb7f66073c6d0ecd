"""`tenuto why`: why a task is not running, in one sentence; of a run, for each task that has not ended."""

from typing import Any
from uuid import UUID

from tenuto.cli.commands.tasks import TaskId
from tenuto.cli.logs import ENDED
from tenuto.cli.output import Json, show
from tenuto.cli.run_or_task import find_run
from tenuto.cli.session import CommandContext, read_id, with_database
from tenuto.model.text import one_line

MAX_TASKS = 20  # tasks of a run that are explained


def why(task: TaskId, as_json: Json = False) -> None:
    """Say in one sentence why a task is not running, or the open tasks of a run."""
    one = read_id(task, "task")
    facts, text = with_database(lambda desk: _explain(desk, one))
    show(facts, text, as_json=as_json)


async def _explain(desk: CommandContext, id: UUID) -> tuple[dict[str, Any], str]:
    from tenuto.db import monitoring
    from tenuto.model.errors import NotFound

    try:
        sentence = await desk.pool.call(monitoring.explain_task, org_id=desk.org_id, task_id=id)
        return {"task_id": id, "why": sentence}, one_line(sentence)
    except NotFound:
        run = await find_run(desk, id)
        if run is None:
            raise
    tasks = await desk.pool.call(monitoring.list_tasks, org_id=desk.org_id, run_id=id, limit=200)
    still = [one.id for one in tasks if one.status not in ENDED][:MAX_TASKS]
    said = [
        {"task_id": one, "why": await desk.pool.call(monitoring.explain_task, org_id=desk.org_id, task_id=one)}
        for one in still
    ]
    parked = await desk.pool.call(monitoring.list_parked, org_id=desk.org_id, run_id=id, limit=MAX_TASKS)
    failing = [f"{one.loop} fails on it: {one_line(one.error)}; next try at {one.retry_at:%H:%M:%S}" for one in parked]
    head = f"run {id} of {run.total_tasks} tasks is {run.status}: `tenuto tasks list --run {id}` shows them all"
    facts = {"run_id": id, "status": run.status, "tasks": said, "parked": parked}
    return facts, "\n".join([head, *failing, *(one_line(str(one["why"])) for one in said)])
