"""`tenuto tasks`: shows tasks and their logs, changes their metadata, cancels, retries and deletes them."""

from typing import TYPE_CHECKING, Annotated, get_args
from uuid import UUID

import typer

from tenuto.cli.arguments import read_object
from tenuto.cli.commands.runs import Changes, Force
from tenuto.cli.exit_codes import UsageError
from tenuto.cli.list_options import (
    AnyStatus,
    Before,
    Counted,
    Limit,
    Metadata,
    OfType,
    Since,
    Until,
    read_statuses,
    read_time,
    show_counted,
)
from tenuto.cli.logs import Follow, show_task_logs
from tenuto.cli.output import AsJson, attempts, cell, shorten, show, table
from tenuto.cli.run_or_task import of_a_task
from tenuto.cli.session import read_id, read_optional_id, with_tenuto
from tenuto.cli.task_details import task_facts, task_text
from tenuto.model.filters import TaskListFilter
from tenuto.model.statuses import TaskStatusName
from tenuto.model.stored_errors import describe_error

if TYPE_CHECKING:
    from tenuto.model.counts import Count
    from tenuto.model.details import TaskDetails
    from tenuto.model.monitoring import TaskSummary
    from tenuto.model.tasks import TreeNode
    from tenuto.sdk.operations.base import Operations

app = typer.Typer(help="Tasks: list, show, tree, logs, set, retry, cancel, delete.", no_args_is_help=True)

COLUMNS = ("id", "status", "type", "job", "queue", "attempt", "worker_id", "created_at", "error")

TaskId = Annotated[str, typer.Argument(metavar="TASK", help="Id of the task, or its beginning.", show_default=False)]


@app.command("list")
def list_(
    run: Annotated[str | None, typer.Option(help="Only tasks of this run.")] = None,
    status: AnyStatus = None,
    queue: Annotated[str | None, typer.Option(help="Only tasks of this queue.")] = None,
    type: OfType = None,
    job: Annotated[str | None, typer.Option(metavar="DAG/JOB", help="Only tasks of this job.")] = None,
    external_id: Annotated[str | None, typer.Option(help="Only tasks with this id in another system.")] = None,
    metadata: Metadata = None,
    since: Since = None,
    until: Until = None,
    count: Counted = False,
    before: Before = None,
    limit: Limit = 50,
    as_json: AsJson = False,
) -> None:
    """List tasks, newest first."""
    if count and external_id is not None:
        raise UsageError("--count and --external-id are both set; few tasks have the same external id")
    before_id = read_optional_id(before, "task")
    chosen = TaskListFilter(
        run_id=read_optional_id(run, "run"),
        statuses=read_statuses(status, get_args(TaskStatusName)),
        queue=queue,
        type=type,
        job=job,
        since=read_time(since, "--since"),
        until=read_time(until, "--until"),
        external_id=external_id,
        metadata=read_object(metadata, "--metadata"),
    )

    async def work(tenuto: "Operations") -> "tuple[list[TaskSummary], Count | None]":
        items = await tenuto.list_tasks(chosen, before=before_id, limit=limit)
        return items, await tenuto.count_tasks(chosen) if count else None

    items, total = with_tenuto(work)
    text = table(COLUMNS, map(_row, items)) if items else "no tasks"
    show_counted("tasks", items, total, text, as_json=as_json)


def _row(task: "TaskSummary") -> list[str]:
    return [
        cell(task.id),
        task.status,
        task.type,
        " ".join(filter(None, (task.job, task.partition))),
        task.queue,
        attempts(task.attempt, task.max_attempts),
        cell(task.worker_id),
        cell(task.created_at),
        shorten(cell(describe_error(task.error))),
    ]


@app.command("show")
def show_(task: TaskId, as_json: AsJson = False) -> None:
    """Show one task with its attempts, steps and signals."""
    task_id = read_id(task, "task")

    async def work(tenuto: "Operations") -> "TaskDetails":
        async with of_a_task(tenuto, task_id):
            return await tenuto.get_task_details(task_id)

    details = with_tenuto(work)
    show(task_facts(details), task_text(details), as_json=as_json)


@app.command()
def tree(task: TaskId, as_json: AsJson = False) -> None:
    """Show a task and all tasks that it started, as a tree."""
    task_id = read_id(task, "task")

    async def work(tenuto: "Operations") -> "list[TreeNode]":
        async with of_a_task(tenuto, task_id):
            return await tenuto.get_task_tree(task_id)

    nodes = with_tenuto(work)
    show({"tasks": nodes}, "\n".join(map(_branch, nodes)), as_json=as_json)


def _branch(node: "TreeNode") -> str:
    return f"{'  ' * node.depth}{node.id}  {node.status}  {cell(node.name or node.type)}"


@app.command()
def logs(
    task: TaskId,
    follow: Follow = False,
    as_json: AsJson = False,
) -> None:
    """Print the log lines of a task, without those of its children. With --json, one object per line."""
    task_id = read_id(task, "task")

    async def work(tenuto: "Operations") -> None:
        async with of_a_task(tenuto, task_id):
            await show_task_logs(tenuto, task_id, follow=follow, as_json=as_json)

    with_tenuto(work)


@app.command()
def retry(task: TaskId, force: Force = False, as_json: AsJson = False) -> None:
    """Retry the ended run of a task as a new run, which reuses the completed tasks."""
    task_id = read_id(task, "task")

    async def work(tenuto: "Operations") -> tuple[UUID, UUID]:
        run_id = (await tenuto.get_task(task_id)).run_id
        return run_id, await tenuto.retry_run(run_id, reuse=True, force=force, from_name=None)

    old, new = with_tenuto(work)
    show({"id": new, "retry_of": old}, f"started run {new}", as_json=as_json)


@app.command()
def cancel(
    task: TaskId,
    reason: Annotated[str | None, typer.Option(help="Reason, stored with the task.")] = None,
    as_json: AsJson = False,
) -> None:
    """Cancel a task and all tasks that it started, except tasks that have ended."""
    task_id = read_id(task, "task")
    with_tenuto(lambda tenuto: tenuto.cancel_task(task_id, reason))
    show({"id": task_id, "cancelled": True}, f"cancelling task {task_id}", as_json=as_json)


@app.command("set")
def set_(task: TaskId, metadata: Changes, as_json: AsJson = False) -> None:
    """Set keys of the metadata of a task. The worker that runs the task does not receive these changes."""
    task_id, changes = read_id(task, "task"), read_object(metadata, "--metadata") or {}
    with_tenuto(lambda tenuto: tenuto.set_task_metadata(task_id, changes))
    show({"id": task_id, "set": sorted(changes)}, f"changed the metadata of task {task_id}", as_json=as_json)


@app.command()
def delete(task: TaskId, as_json: AsJson = False) -> None:
    """Delete a task of an ended run with all tasks that it started and their data. The run cannot be retried after
    that."""
    task_id = read_id(task, "task")
    with_tenuto(lambda tenuto: tenuto.delete_task(task_id))
    show({"id": task_id, "deleted": True}, f"deleted task {task_id}", as_json=as_json)
