"""`tenuto tasks`: shows tasks and their logs, cancels and retries them."""

import dataclasses
from typing import TYPE_CHECKING, Annotated
from uuid import UUID

import typer

from tenuto.cli.audited import WORKERS, AuditedTransaction, audited_call, change
from tenuto.cli.commands.runs import Before, Limit, retry_run
from tenuto.cli.logs import Follow, show_task_logs
from tenuto.cli.output import AsJson, cell, fields, reason, show, show_list, table
from tenuto.cli.run_or_task import of_a_task
from tenuto.cli.session import CommandContext, read_id, read_optional_id, with_database

if TYPE_CHECKING:
    from tenuto.model.monitoring import AttemptInfo, TaskStatus
    from tenuto.model.tasks import TreeNode

app = typer.Typer(help="Tasks: list, show, tree, logs, retry, cancel.", no_args_is_help=True)

COLUMNS = ("id", "status", "type", "queue", "attempt", "max_attempts", "worker_id", "created_at")
ATTEMPT_COLUMNS = ("attempt", "outcome", "worker_id", "started_at", "duration_seconds", "error")

TaskId = Annotated[str, typer.Argument(metavar="TASK", help="Full id of the task.", show_default=False)]


@app.command("list")
def list_(
    run: Annotated[str | None, typer.Option(help="Only tasks of this run.")] = None,
    status: Annotated[str | None, typer.Option(help="Only those with this status.")] = None,
    queue: Annotated[str | None, typer.Option(help="Only tasks of this queue.")] = None,
    type: Annotated[str | None, typer.Option(help="Only those of this type.")] = None,
    before: Before = None,
    limit: Limit = 50,
    as_json: AsJson = False,
) -> None:
    """List tasks, newest first."""
    from tenuto.db import monitoring

    run_id, before_id = read_optional_id(run, "run"), read_optional_id(before, "task")
    items = with_database(
        lambda context: context.pool.call(
            monitoring.list_tasks,
            org_id=context.org_id,
            run_id=run_id,
            status=status,
            queue=queue,
            type=type,
            before=before_id,
            limit=limit,
        )
    )
    show_list("tasks", items, COLUMNS, as_json=as_json)


@app.command("show")
def show_(task: TaskId, as_json: AsJson = False) -> None:
    """Show one task and its attempts."""
    from tenuto.db import monitoring

    task_id = read_id(task, "task")

    async def question(context: CommandContext) -> "tuple[TaskStatus, list[AttemptInfo]]":
        async with of_a_task(context, task_id), context.pool.connection() as conn:
            row = await monitoring.get_task(conn, org_id=context.org_id, task_id=task_id)
            return row, await monitoring.list_attempts(conn, org_id=context.org_id, task_id=task_id)

    row, attempts = with_database(question)
    short = [dataclasses.replace(attempt, error=reason(attempt.error)) for attempt in attempts]
    rows = [[cell(getattr(attempt, column)) for column in ATTEMPT_COLUMNS] for attempt in short]
    text = fields(row) + ("\n\n" + table(ATTEMPT_COLUMNS, rows) if rows else "")
    show({"task": row, "attempts": attempts}, text, as_json=as_json)


@app.command()
def tree(task: TaskId, as_json: AsJson = False) -> None:
    """Show a task and all tasks that it started, as a tree."""
    from tenuto.db import runs
    from tenuto.model.errors import NotFound

    task_id = read_id(task, "task")

    async def question(context: CommandContext) -> "list[TreeNode]":
        async with of_a_task(context, task_id):
            nodes = await context.pool.call(runs.get_task_tree, org_id=context.org_id, task_id=task_id)
            if not nodes:
                raise NotFound(f"no task {task_id}", "`tenuto tasks list` shows the tasks")
            return nodes

    nodes = with_database(question)
    show({"tasks": nodes}, "\n".join(map(_branch, nodes)), as_json=as_json)


def _branch(node: "TreeNode") -> str:
    return f"{'  ' * node.depth}{node.id}  {node.status}  {cell(node.name or node.type)}"


@app.command()
def logs(
    task: TaskId,
    follow: Follow = False,
    as_json: AsJson = False,
) -> None:
    """Print the log lines of a task, without its children. With --json, one object per line."""
    task_id = read_id(task, "task")

    async def question(context: CommandContext) -> None:
        async with of_a_task(context, task_id):
            await show_task_logs(context, task_id, follow=follow, as_json=as_json)

    with_database(question)


@app.command()
def retry(task: TaskId, as_json: AsJson = False) -> None:
    """Retry the ended run of a task as a new run, which reuses the completed tasks."""
    from tenuto.db import monitoring

    task_id = read_id(task, "task")

    async def work(transaction: AuditedTransaction) -> tuple[UUID, UUID]:
        row = await monitoring.get_task(transaction.conn, org_id=transaction.org_id, task_id=task_id)
        return row.run_id, await retry_run(transaction, row.run_id, everything=False)

    old, new = change(work, role=WORKERS)
    show({"id": new, "retry_of": old}, f"started run {new}", as_json=as_json)


@app.command()
def cancel(
    task: TaskId,
    reason: Annotated[str | None, typer.Option(help="Reason, stored with the task.")] = None,
    as_json: AsJson = False,
) -> None:
    """Cancel a task and all open tasks that it started."""
    from tenuto.db import runs

    task_id = read_id(task, "task")
    audited_call(
        ("task", task_id),
        "cancel",
        lambda transaction: runs.cancel_task(
            transaction.conn, org_id=transaction.org_id, task_id=task_id, reason=reason
        ),
        reason,
    )
    show({"id": task_id, "cancelled": True}, f"cancelling task {task_id}", as_json=as_json)
