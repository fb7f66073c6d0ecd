"""The plan of a deploy: the difference to the current version, and how much has to be computed again."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from tenuto.dag.definitions import Dag, Job
from tenuto.dag.diff import REBUILT, Diff

Counts = Mapping[str, int]  # how many partitions datasets have in their current versions, by name


@dataclass(frozen=True)
class Rebuild:
    """A job that is computed again, with the estimated numbers of its partitions and tasks. None if a number is not
    known: it depends on events to come, or nothing comparable was computed yet."""

    job: str
    partitions: int | None
    tasks: int | None


@dataclass(frozen=True)
class Plan(Diff):
    """The changes that a deploy would make; `current_version` is 0 before the first cutover. `rebuilds` are the jobs
    that are computed again. `denied`: why a deploy would be refused, if it would."""

    dag: str
    yaml_hash: str
    current_version: int
    rebuilds: list[Rebuild]
    denied: list[str] = field(default_factory=list[str])


def unknown_inputs(dag: Dag, owners: Mapping[str, str]) -> list[str]:
    """Returns the datasets of other DAGs that the document reads and no other DAG publishes. `owners`: the DAGs of
    datasets by name."""
    read = {item.dataset for job in dag.jobs for item in job.inputs if item.job is None and item.dataset is not None}
    return sorted(name for name in read if owners.get(name, dag.name) == dag.name)


def taken_outputs(dag: Dag, owners: Mapping[str, str]) -> list[str]:
    """Returns why a deploy would be refused: datasets that the document publishes and that another DAG owns."""
    return [
        f"dataset {name} belongs to the DAG {owners[name]}; a dataset has one producer; choose another name"
        for name in sorted(dag.datasets())
        if owners.get(name, dag.name) != dag.name
    ]


def estimate_rebuilds(diff: Diff, old: Dag | None, new: Dag, counts: Counts) -> list[Rebuild]:
    """Returns how much the jobs that are computed again have to compute."""
    before = {job.name: job for job in old.jobs} if old else {}
    jobs = {job.name: job for job in new.jobs}
    return [
        _estimate(jobs[change.job], before.get(change.renamed_from or change.job), jobs, counts)
        for change in diff.jobs
        if change.kind in REBUILT
    ]


def _estimate(job: Job, old: Job | None, jobs: dict[str, Job], counts: Counts) -> Rebuild:
    """Estimates a job by the partitions that its datasets have now, else by those that it reads. Tasks of a source, and
    those that append, follow events, which are not known before they arrive."""
    if not any(output.partition for output in job.outputs):
        partitions: int | None = 1
    else:
        written = _most((output.dataset for output in old.outputs) if old else (), counts)
        read = None if written else _most(_read(job, jobs), counts)
        partitions = written if read is None else read
    follows_events = job.activation == "source" or job.update_strategy == "append"
    return Rebuild(job.name, partitions, None if follows_events else partitions)


def _read(job: Job, jobs: dict[str, Job]) -> Iterable[str | None]:
    """The datasets whose partitions become partitions of the job one by one."""
    if job.execution_strategy != "PerPartition":
        return
    for item in job.inputs:
        if item.trigger is not None and (item.map is None or item.map["kind"] == "identity"):
            yield item.dataset if item.job is None else jobs[item.job].outputs[item.output or 0].dataset


def _most(datasets: Iterable[str | None], counts: Counts) -> int | None:
    """The largest of the known numbers: one task writes a partition of every output."""
    return max((counts[name] for name in datasets if name is not None and name in counts), default=None)
