"""The plan of a deploy: the difference to the current version, and how much has to be computed again."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from tenuto.dag.definitions import Dag, Job, JobInput
from tenuto.dag.diff import REBUILT, Diff
from tenuto.dag.operators import base_name
from tenuto.model.statuses import ReaderEffect

Counts = Mapping[str, int]  # how many partitions datasets have in their current versions, by name


@dataclass(frozen=True)
class Rebuild:
    """A job that is computed again, with the estimated numbers of its partitions and tasks. A number is None if it is
    not known: it depends on future events, or nothing comparable was computed yet."""

    job: str
    partitions: int | None
    tasks: int | None


@dataclass(frozen=True)
class AffectedReader:
    """A job of another DAG that reads a dataset which the cutover changes. `updated`: it gets an event for each
    partition that differs. `removed`: it gets no data any more."""

    dag: str
    job: str
    dataset: str
    effect: ReaderEffect


@dataclass(frozen=True)
class Plan(Diff):
    """The changes that a deploy would make; `current_version` is 0 before the first cutover. `rebuilds` are the jobs
    that are computed again. `denied`: the reasons for which a deploy would be refused. `readers`: the jobs of other
    DAGs that the cutover affects."""

    dag: str
    yaml_hash: str
    current_version: int
    rebuilds: list[Rebuild]
    denied: list[str] = field(default_factory=list[str])
    readers: list[AffectedReader] = field(default_factory=list[AffectedReader])


def affected_readers(diff: Diff, readers: Iterable[Mapping[str, str]]) -> list[AffectedReader]:
    """Returns which jobs of other DAGs the cutover affects. `readers`: dataset, dag and job of each."""
    effects: dict[str, ReaderEffect] = {}
    for change in diff.datasets:
        if change.kind == "removed":
            effects[change.dataset] = "removed"
        elif change.kind in ("rebuilt", "moved"):
            effects[change.renamed_from or change.dataset] = "updated"
    return [
        AffectedReader(reader["dag"], reader["job"], reader["dataset"], effects[reader["dataset"]])
        for reader in readers
        if reader["dataset"] in effects
    ]


def unknown_inputs(dag: Dag, owners: Mapping[str, str]) -> list[str]:
    """Returns the datasets that the document reads, but that neither the document nor another DAG publishes. `owners`:
    the DAGs of datasets by name."""
    read = {item.dataset for job in dag.jobs for item in job.inputs if item.job is None and item.dataset is not None}
    return sorted(name for name in read if owners.get(name, dag.name) == dag.name)


def taken_outputs(dag: Dag, owners: Mapping[str, str]) -> list[str]:
    """Returns a reason to refuse the deploy for each dataset that the document publishes and another DAG owns."""
    return [
        f"dataset {name} belongs to the DAG {owners[name]}; a dataset has one producer; choose another name"
        for name in sorted(dag.datasets())
        if owners.get(name, dag.name) != dag.name
    ]


def trigger_edges(dag: Dag, old_names: Mapping[str, str]) -> list[tuple[str, str]]:
    """Returns pairs (cause, effect) of what triggers what, as the SQL function _trigger_edges does for a stored
    version. A dataset triggers the jobs that read it. A job triggers the datasets that it publishes or appends to, and
    the jobs that read one of its outputs that has no dataset. `old_names`: the names that renamed datasets have until
    the cutover."""
    jobs = {job.name: job for job in dag.jobs}
    edges: list[tuple[str, str]] = []
    for job in dag.jobs:
        node = f"{dag.name}.{job.name}"
        read = [(_dataset(item, jobs), item.job) for item in job.inputs if item.trigger is not None]
        written = [output.append_to or output.dataset for output in job.outputs]
        edges += [(old_names.get(name, name) if name else f"{dag.name}.{parent}", node) for name, parent in read]
        edges += [(node, old_names.get(name, name)) for name in written if name]
    return edges


def describe_loop(loop: str) -> str:
    """Returns why the database would refuse a deploy that completes this loop of jobs which trigger each other."""
    return (
        f"the jobs would trigger each other without end: {loop}; remove one of these inputs from its DAG, or write "
        "trigger: false, so that it is only read"
    )


def estimate_rebuilds(diff: Diff, old: Dag | None, new: Dag, counts: Counts) -> list[Rebuild]:
    """Returns an estimate for each job that is computed again."""
    before = {job.name: job for job in old.jobs} if old else {}
    jobs = {job.name: job for job in new.jobs}
    changes = {change.job: change for change in diff.jobs if change.kind in REBUILT}
    known, rebuilds = dict(counts), dict[str, Rebuild]()
    for job in new.jobs:  # a job comes after the jobs that it reads from
        if (change := changes.get(job.name)) is None:
            continue
        previous = before.get(change.renamed_from or job.name)
        rebuilds[job.name] = _estimate(job, previous, jobs, known)
        if previous is not None and _begins_empty(job):
            known |= {output.dataset: 0 for output in job.outputs if output.dataset is not None}
    return [rebuilds[name] for name in changes]


def _begins_empty(job: Job) -> bool:
    """Whether a new version of a source has no data before events arrive: its data comes from outside, or each version
    is reset. Other sources compute again the partitions that they have published."""
    if job.source is None or job.source["kind"] == "buffer":
        return False
    outside = job.source["kind"] not in ("cron", "manual") or base_name(job.operator) in ("http_poll", "webhook")
    return outside or bool(job.bootstrap and job.bootstrap["reset_outputs"])


def _estimate(job: Job, old: Job | None, jobs: dict[str, Job], counts: Counts) -> Rebuild:
    """Estimates how much a job computes: from the partitions that its datasets have now, or else from the partitions
    that it reads. Without data to read, both numbers are 0. The number of tasks of a new source, or of a job that
    appends, is unknown, because it depends on future events."""
    inputs = [_dataset(item, jobs) for item in job.inputs if item.trigger is not None]
    read = [counts.get(name) if name is not None else None for name in inputs]
    nothing = bool(read) and not any(number is None or number > 0 for number in read)
    if nothing or (old is not None and _begins_empty(job)):
        return Rebuild(job.name, 0, 0)
    written = _largest_count((output.dataset for output in old.outputs) if old else (), counts)
    if not any(output.partition for output in job.outputs):
        partitions: int | None = 1
    else:
        mapped = None if written else _largest_count(_read(job, jobs), counts)
        partitions = written if mapped is None else mapped
    if job.activation == "source":
        return Rebuild(job.name, partitions, written)
    if job.update_strategy == "append":
        return Rebuild(job.name, partitions, None)
    if job.execution_strategy == "PerUpdate" and read:
        tasks = [number for number in read if number is not None]
        return Rebuild(job.name, partitions, sum(tasks) if len(tasks) == len(read) else None)
    return Rebuild(job.name, partitions, partitions)


def _read(job: Job, jobs: dict[str, Job]) -> Iterable[str | None]:
    """Yields the datasets of which each partition becomes one partition of the job."""
    if job.execution_strategy != "PerPartition":
        return
    for item in job.inputs:
        if item.trigger is not None and (item.map is None or item.map["kind"] == "identity"):
            yield _dataset(item, jobs)


def _dataset(item: JobInput, jobs: dict[str, Job]) -> str | None:
    return item.dataset if item.job is None else jobs[item.job].outputs[item.output or 0].dataset


def _largest_count(datasets: Iterable[str | None], counts: Counts) -> int | None:
    """Returns the largest known number of partitions. The numbers are not added, because one task writes a partition of
    every output."""
    return max((counts[name] for name in datasets if name is not None and name in counts), default=None)
