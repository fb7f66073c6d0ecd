"""`tenuto why`: explains in one sentence why a task is not running; for a run, each task that has not ended."""

from collections.abc import Mapping
from uuid import UUID

from tenuto.cli.commands.tasks import TaskId
from tenuto.cli.output import AsJson, show
from tenuto.cli.run_or_task import find_run
from tenuto.cli.session import CommandContext, read_id, with_database
from tenuto.model.monitoring import FINAL
from tenuto.model.text import one_line

MAX_EXPLAINED_TASKS = 20  # maximum number of tasks explained for a run


def why(task: TaskId, as_json: AsJson = False) -> None:
    """Explain why a task, or each open task of a run, is not running."""
    id = read_id(task, "task")
    facts, text = with_database(lambda context: _explain(context, id))
    show(facts, text, as_json=as_json)


async def _explain(context: CommandContext, id: UUID) -> tuple[Mapping[str, object], str]:
    from tenuto.db import monitoring
    from tenuto.model.errors import NotFound

    try:
        sentence = await context.pool.call(monitoring.explain_task, org_id=context.org_id, task_id=id)
        return {"id": id, "why": sentence}, one_line(sentence)
    except NotFound:
        run = await find_run(context, id)
        if run is None:
            raise
    tasks = await context.pool.call(monitoring.list_tasks, org_id=context.org_id, run_id=id, limit=200)
    still = [task.id for task in tasks if task.status not in FINAL][:MAX_EXPLAINED_TASKS]
    explained = [
        {
            "id": task_id,
            "why": await context.pool.call(monitoring.explain_task, org_id=context.org_id, task_id=task_id),
        }
        for task_id in still
    ]
    parked = await context.pool.call(
        monitoring.list_parked, org_id=context.org_id, run_id=id, limit=MAX_EXPLAINED_TASKS
    )
    failing = [
        f"dispatcher loop {row.loop} fails on it: {one_line(row.error)}; next attempt at {row.retry_at:%H:%M:%S}"
        for row in parked
    ]
    head = f"run {id} with {run.total_tasks} tasks is {run.status}; `tenuto tasks list --run {id}` lists its tasks"
    facts = {"id": id, "status": run.status, "tasks": explained, "parked": parked}
    return facts, "\n".join([head, *failing, *(one_line(str(item["why"])) for item in explained)])
