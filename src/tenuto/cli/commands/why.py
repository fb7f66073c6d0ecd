"""`tenuto why`: explains why a task, or each unfinished task of a run, is not running. For a job, it shows what the
newest events did to the job. For a dataset, it shows what the newest event did to the jobs that read the dataset."""

from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Annotated
from uuid import UUID

import typer

from tenuto.cli.dag_changes import with_dags
from tenuto.cli.output import AsJson, cell, show
from tenuto.cli.session import is_id, read_id, with_tenuto
from tenuto.model.errors import Forbidden, NotFound
from tenuto.model.text import indented, one_line

if TYPE_CHECKING:
    from tenuto.model.dags import WholeJob
    from tenuto.model.datasets import WholeDataset
    from tenuto.model.events import Reaction
    from tenuto.sdk.operations.base import Operations
    from tenuto.sdk.operations.dags import DagOperations

OPEN = "it is open: it ends when it is closed and its tasks have ended"

HELD = "it is held: `tenuto runs release {}` lets it start"


NEWEST = 20  # reactions that are shown


def why(
    what: Annotated[
        str,
        typer.Argument(
            metavar="TASK|DAG/JOB|DATASET",
            help="Id of a task or run, or its beginning; a job; or a dataset.",
            show_default=False,
        ),
    ],
    as_json: AsJson = False,
) -> None:
    """Explain why a task, or each unfinished task of a run, is not running. For a job or dataset, show what its events
    did."""
    if "/" in what:
        dag, _, job = what.partition("/")
        explained, reactions = with_dags(lambda dags: _fetch_job(dags, dag, job), org=None)
        tasks = with_tenuto(lambda tenuto: _fetch_tasks(tenuto, reactions))
        facts, text = _explain_job(explained, reactions, tasks)
    elif is_id(what):
        id = read_id(what, "task")
        facts, text = with_tenuto(lambda tenuto: _explain(tenuto, id))
    else:
        facts, text = with_dags(lambda dags: _explain_dataset(dags, what), org=None)
    show(facts, text, as_json=as_json)


async def _fetch_job(dags: "DagOperations", dag: str, name: str) -> "tuple[WholeJob, list[Reaction]]":
    return await dags.get_job(dag, name), await dags.list_job_reactions(dag, name, limit=NEWEST)


async def _fetch_tasks(tenuto: "Operations", reactions: "Sequence[Reaction]") -> dict[UUID, str]:
    """Return what became of each task that still exists: why it does not run, where it runs, or how it ended."""
    found: dict[UUID, str] = {}
    for id in dict.fromkeys(reaction.task_id for reaction in reactions if reaction.task_id is not None):
        with suppress(NotFound, Forbidden):  # the task was deleted, or the key may read DAGs but not tasks
            found[id] = await tenuto.explain_task(id)
    return found


def _explain_job(
    job: "WholeJob", reactions: "Sequence[Reaction]", tasks: Mapping[UUID, str]
) -> tuple[Mapping[str, object], str]:
    dag, name = job.dag, job.name
    state = f"is paused since {cell(job.paused_at)}" if job.paused_at else "is not paused"
    head = f"job {dag}/{name} of version {job.version} {state}" + (f": {job.pause_reason}" if job.pause_reason else "")
    lines = [
        f"{cell(reaction.created_at)}  {_source(reaction)}: {_done(reaction)}"
        + (f" (version {reaction.version})" if reaction.version != job.version else "")
        + (f": {indented(tasks[reaction.task_id])}" if reaction.task_id and reaction.task_id in tasks else "")
        for reaction in reactions
    ]
    facts = {
        "dag": dag, "job": name, "version": job.version, "paused_at": job.paused_at, "pause_reason": job.pause_reason,
        "held_at": job.held_at, "hold_reason": job.hold_reason, "backlog": job.backlog, "problem": job.problem,
        "reactions": reactions,
        "tasks": {str(id): sentence for id, sentence in tasks.items()},
    }  # fmt: skip
    problem = [f"its tasks wait: {one_line(job.problem)}"] if job.problem else []
    return facts, "\n".join([one_line(head), *problem, *_pressure(job), *(lines or ["no event has reached it yet"])])


def _pressure(job: "WholeJob") -> list[str]:
    """Returns what backpressure does to a job, and what its own backlog does to the jobs that feed it."""
    held = [f"backpressure holds it since {cell(job.held_at)}: {job.hold_reason}"] if job.held_at else []
    if not job.backlog or not job.backlog["depth"]:
        return held
    engaged = "; the jobs that feed it are held" if job.backlog["engaged_at"] else ""
    return [*held, f"its backlog is {job.backlog['depth']} tasks, the oldest of {job.backlog['oldest_at']}{engaged}"]


async def _explain_dataset(dags: "DagOperations", name: str) -> tuple[Mapping[str, object], str]:
    try:
        dataset = await dags.get_dataset(name)
    except NotFound:
        raise NotFound(f"no dataset {name}", "`tenuto datasets list` shows them; a job is written DAG/JOB") from None
    events = await dags.list_events(dataset=name, limit=1)
    producer = f"{dataset.dag}/{dataset.job}" if dataset.job else "no job of a current version"
    head = "\n".join([f"dataset {name} is published by {producer}", *_waiting(dataset)])
    if not events:
        nothing: dict[str, object] = {"dataset": name, "buffered": dataset.buffered, "event": None, "reactions": []}
        return nothing, f"{head}\nno event of it is stored"
    event = events[0]
    reactions = await dags.list_event_reactions(event.id, limit=NEWEST)
    part = f" of partition {event.partition}" if event.partition else ""
    newest = f"its newest event{part} is {event.id} of {cell(event.created_at)}, by task {event.task_id}"
    lines = [f"{reaction.dag}/{reaction.job}: {_done(reaction)}" for reaction in reactions]
    facts = {"dataset": name, "buffered": dataset.buffered, "event": event, "reactions": reactions}
    return facts, "\n".join([head, one_line(newest), *(lines or ["no job has reacted to it"])])


def _waiting(dataset: "WholeDataset") -> list[str]:
    """Describes the rows that tasks appended to the dataset of a sink and that dispatchers have not added yet."""
    if dataset.buffered is None:
        return []
    error = f"; {one_line(str(dataset.buffered['error']))}" if dataset.buffered["error"] else ""
    return [
        f"the rows of {dataset.buffered['waiting']} tasks wait to be added, and the rows of {dataset.buffered['dead']} "
        f"tasks could not be added (tenuto outbox list --status dead){error}"
    ]


def _source(reaction: "Reaction") -> str:
    return one_line(" ".join(filter(None, [reaction.dataset or "an unpublished output", reaction.event_partition])))


def _done(reaction: "Reaction") -> str:
    if reaction.task_id is not None:
        return f"{reaction.reaction}, task {reaction.task_id}"
    return one_line(f"{reaction.reaction}, {reaction.reason}")


async def _explain(tenuto: "Operations", id: UUID) -> tuple[Mapping[str, object], str]:
    try:
        sentence = await tenuto.explain_task(id)
        return {"id": id, "why": sentence}, indented(sentence)
    except NotFound as missing:
        try:
            run = await tenuto.explain_run(id)
        except NotFound:
            raise missing from None
    failing = [
        f"dispatcher loop {row.loop} fails on it: {one_line(row.error)}; next attempt at {row.retry_at:%H:%M:%S}"
        for row in run.parked
    ]
    head = f"run {id} with {run.total_tasks} tasks is {run.status}; `tenuto tasks list --run {id}` lists its tasks"
    waiting = [*([OPEN] if run.open else []), *([HELD.format(id)] if run.held else [])]
    limits = [
        f"it is cancelled at {cell(at)} unless it has {happened} by then"
        for at, happened in ((run.deadline_at, "ended"), (run.expires_at, "begun"))
        if at is not None
    ]
    facts = vars(run)
    return facts, "\n".join([head, *waiting, *limits, *failing, *(one_line(task.why) for task in run.tasks)])
