"""Reads the details of one task, and explains why a run does not continue, in several calls on one connection."""

from uuid import UUID

from tenuto.db import monitoring
from tenuto.db.connection.call import Conn
from tenuto.model.details import RunExplanation, TaskDetails, TaskExplanation
from tenuto.model.monitoring import FINAL

MAX_EXPLAINED = 20  # maximum number of tasks, and of parked rows, of a run


async def get_task_details(conn: Conn, *, org_id: UUID, task_id: UUID) -> TaskDetails:
    """Return a task with its attempts, steps and the signal that it waits for, and the dedupe key and the signals of
    its run."""
    task = await monitoring.get_task(conn, org_id=org_id, task_id=task_id)
    awaited = await monitoring.list_awaited_signals(conn, org_id=org_id, run_id=task.run_id)
    return TaskDetails(
        task,
        await monitoring.get_dedupe_key(conn, org_id=org_id, run_id=task.run_id),
        await monitoring.list_attempts(conn, org_id=org_id, task_id=task_id),
        await monitoring.list_steps(conn, org_id=org_id, task_id=task_id),
        await monitoring.list_signals(conn, org_id=org_id, run_id=task.run_id),
        [signal for signal in awaited if signal.task_id == task_id],
    )


async def explain_run(conn: Conn, *, org_id: UUID, run_id: UUID) -> RunExplanation:
    """Explain why unfinished tasks of a run do not run. Explains at most 20 tasks, among the first 200 that list_tasks
    returns."""
    run = await monitoring.get_run(conn, org_id=org_id, run_id=run_id)
    tasks = await monitoring.list_tasks(conn, org_id=org_id, run_id=run_id, limit=200)
    still = [task.id for task in tasks if task.status not in FINAL][:MAX_EXPLAINED]
    explained = [
        TaskExplanation(task_id, await monitoring.explain_task(conn, org_id=org_id, task_id=task_id))
        for task_id in still
    ]
    parked = await monitoring.list_parked(conn, org_id=org_id, run_id=run_id, limit=MAX_EXPLAINED)
    expires_at = run.expires_at if run.status == "pending" else None
    return RunExplanation(
        run_id, run.status, run.open, run.total_tasks, explained, parked, run.deadline_at, expires_at, run.held
    )
