"""`tenuto jobs`: lists, shows, triggers, pauses and resumes the jobs of DAGs, and shows their sources and webhooks."""

import asyncio
from contextlib import suppress
from typing import TYPE_CHECKING, Annotated
from uuid import UUID

import typer

from tenuto.cli.audited import Org
from tenuto.cli.commands.dags import POLL_SECONDS, DagName
from tenuto.cli.dag_changes import with_dags
from tenuto.cli.database import read_settings
from tenuto.cli.exit_codes import UsageError, WorkFailed
from tenuto.cli.list_options import Limit
from tenuto.cli.output import AsJson, counted, fields, say, show, show_list
from tenuto.cli.pepper import find_peppers
from tenuto.cli.session import with_tenuto
from tenuto.cli.waiting import still_running
from tenuto.model.durations import seconds
from tenuto.model.monitoring import FINAL
from tenuto.model.stored_errors import describe_error

if TYPE_CHECKING:
    from tenuto.sdk.operations.base import Operations

app = typer.Typer(help="Jobs of DAGs: list, show, trigger, pause, resume, source, webhook.", no_args_is_help=True)

COLUMNS = ("dag", "name", "version", "activation", "runtime", "operator", "paused_at", "pause_reason", "held_at")

TRIGGERED = ("task_id", "partition", "created", "reused")

JobName = Annotated[str, typer.Argument(metavar="JOB", help="Name of the job.", show_default=False)]


@app.command("list")
def list_(
    dag: Annotated[str | None, typer.Option(help="Only jobs of this DAG.")] = None,
    after: Annotated[
        str | None, typer.Option(help="Continue after this DAG/JOB, the last one of the previous page.")
    ] = None,
    limit: Limit = 50,
    org: Org = None,
    as_json: AsJson = False,
) -> None:
    """List the jobs of current versions, by DAG and name."""
    if after and "/" not in after:
        raise UsageError(f"--after is {after!r}; write DAG/JOB")
    items = with_dags(lambda dags: dags.list_jobs(dag=dag, after=after, limit=limit), org=org)
    show_list("jobs", items, COLUMNS, as_json=as_json)


@app.command("show")
def show_(dag: DagName, name: JobName, org: Org = None, as_json: AsJson = False) -> None:
    """Show one job with its definition in the current version of its DAG, or in the newest if none is current."""
    row = with_dags(lambda dags: dags.get_job(dag, name), org=org)
    queue, labels, code = (row.definition.get(name) for name in ("queue", "labels", "code_version"))
    placed = ", ".join(map(str, labels)) if isinstance(labels, list) and labels else None
    text = fields(row, queue=str(queue) if queue else None, labels=placed, code_version=str(code) if code else None)
    show(row, text, as_json=as_json)


@app.command()
def trigger(
    dag: DagName,
    name: JobName,
    partition: Annotated[
        list[str] | None, typer.Option(help="Start a task for this partition; can be repeated.", show_default=False)
    ] = None,
    force: Annotated[
        bool, typer.Option("--force", help="Start even if the job is paused, and reuse no earlier data.")
    ] = False,
    dedupe_key: Annotated[str | None, typer.Option(help="Start each partition only once for this key.")] = None,
    wait: Annotated[
        bool, typer.Option("--wait", help="Wait until the tasks have ended. Exit code 1 if one of them failed.")
    ] = False,
    wait_timeout: Annotated[
        str | None, typer.Option(help="Wait at most this long: 10m. Exit code 4 if a task has not ended by then.")
    ] = None,
    org: Org = None,
    as_json: AsJson = False,
) -> None:
    """Start a task of a job, or one task for each partition, in the current version of its DAG. The inputs of these
    tasks are fixed now. If a partition was computed from the same inputs before, that data is reused, except with
    --force."""
    wait_seconds = None if wait_timeout is None else seconds(wait_timeout, "--wait-timeout")
    tasks = with_dags(
        lambda dags: dags.trigger_job(dag, name, partitions=partition or None, force=force, dedupe_key=dedupe_key),
        org=org,
    )
    show_list("tasks", tasks, TRIGGERED, as_json=as_json)
    if wait or wait_seconds is not None:
        _wait_for_tasks([task.task_id for task in tasks], wait_seconds, org=org, as_json=as_json)


def _wait_for_tasks(ids: list[UUID], wait_seconds: float | None, *, org: str | None, as_json: bool) -> None:
    """Wait for the tasks, and print how each ended. Raises WorkFailed if one of them did not complete."""
    ended: dict[UUID, str] = {}

    async def work(tenuto: "Operations") -> None:
        for id in ids:
            while (run := await tenuto.get_run(id)).status not in FINAL:
                await asyncio.sleep(POLL_SECONDS)
            say(f"task {id} {run.status}" + (f": {describe_error(run.error)}" if run.error else ""), err=as_json)
            ended[id] = run.status

    async def work_in_time(tenuto: "Operations") -> None:
        with suppress(TimeoutError):
            async with asyncio.timeout(wait_seconds):
                await work(tenuto)

    with_tenuto(work_in_time, org=org)
    if left := [id for id in ids if id not in ended]:
        what = f"{len(left)} of {counted(len(ids), 'task')} not ended after {wait_seconds:.15g} s"
        raise still_running(what, "they continue", f"`tenuto why {left[0]}` explains the first", org=org)
    if failed := [id for id in ids if ended[id] != "completed"]:
        raise WorkFailed(f"{len(failed)} of {counted(len(ids), 'task')} did not complete")


@app.command()
def pause(
    dag: DagName,
    name: JobName,
    reason: Annotated[str | None, typer.Option(help="Reason, shown with the job.")] = None,
    org: Org = None,
    as_json: AsJson = False,
) -> None:
    """Pause a job: it starts no tasks until it is resumed, even in later versions of its DAG."""
    with_dags(lambda dags: dags.pause_job(dag, name, reason), org=org)
    show({"dag": dag, "name": name, "paused": True}, f"paused {name} of {dag}", as_json=as_json)


@app.command()
def resume(dag: DagName, name: JobName, org: Org = None, as_json: AsJson = False) -> None:
    """Resume a paused job."""
    with_dags(lambda dags: dags.resume_job(dag, name), org=org)
    show({"dag": dag, "name": name, "paused": False}, f"resumed {name} of {dag}", as_json=as_json)


@app.command()
def source(dag: DagName, name: JobName, org: Org = None, as_json: AsJson = False) -> None:
    """Show the state of a source job: active or stopped; for a continuous source pending, running, draining, dead or
    stopped."""
    row = with_dags(lambda dags: dags.get_source(dag, name), org=org)
    show(row, fields(row), as_json=as_json)


@app.command()
def webhook(
    dag: DagName,
    name: JobName,
    rotate: Annotated[
        bool, typer.Option("--rotate", help="Create a new secret; the old one becomes invalid at once.")
    ] = False,
    org: Org = None,
    as_json: AsJson = False,
) -> None:
    """Show the path of a job's webhook on the server, and the secret that signs requests."""
    from tenuto.model.webhook_secrets import webhook_secrets

    found = with_dags(lambda dags: dags.get_webhook(dag, name, rotate=rotate), org=org)
    secret = found.secret or webhook_secrets(found.org_id, found, find_peppers(read_settings()))[0]
    shown = {"dag": dag, "job": name, "path": found.path, "url_path": found.url_path, "secret": secret}
    show(shown, "\n".join(f"{label} {value}" for label, value in shown.items()), as_json=as_json)
