"""Compares two versions of a DAG: what is added, removed, renamed and changed, and what must be computed again."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from tenuto.dag.definitions import Dag, Job, JobInput, JobOutput
from tenuto.dag.hashes import DATA, METADATA, OUTPUT_DATA, OUTPUT_METADATA
from tenuto.model.statuses import DatasetChangeKind, JobChangeKind

REBUILT = ("added", "data")  # the kinds of changes after which a job is computed again
Pairs = dict[
    str, tuple[Job, Job | None]
]  # the jobs of the new version, each with the same job of the old version, if there is one


@dataclass(frozen=True)
class JobChange:
    """How a job differs. `kind`: added; removed; data (the job is computed again); metadata (the job is not computed
    again); or renamed. `fields`: the fields that differ. `because_of`: the changed jobs that this job reads, or that
    share a sink with it."""

    job: str
    kind: JobChangeKind
    fields: list[str] = field(default_factory=list[str])
    because_of: list[str] = field(default_factory=list[str])
    renamed_from: str | None = None


@dataclass(frozen=True)
class DatasetChange:
    """How a published dataset differs: added, removed, renamed, rebuilt, reused, or moved to another job."""

    dataset: str
    kind: DatasetChangeKind
    job: str
    output: int
    renamed_from: str | None = None


@dataclass(frozen=True)
class Diff:
    """Everything that differs between two versions. Jobs that are equal are only counted."""

    jobs: list[JobChange]
    datasets: list[DatasetChange]
    unchanged_jobs: int
    warnings: list[str]

    @property
    def is_empty(self) -> bool:
        return not self.jobs and all(change.kind == "reused" for change in self.datasets)

    @property
    def rebuilt(self) -> list[str]:
        """The jobs whose data must be computed."""
        return [change.job for change in self.jobs if change.kind in REBUILT]


def diff_dags(old: Dag | None, new: Dag) -> Diff:
    """Returns what changes from one version to another; `old` is None for the first version."""
    before = {job.name: job for job in old.jobs} if old else {}
    pairs = {job.name: (job, _old_job(job, before)) for job in new.jobs}
    changes = [change for name in pairs if (change := _change(name, pairs, new.feeding(name))) is not None]
    kept = {old_job.name for _, old_job in pairs.values() if old_job is not None}
    removed = [JobChange(name, "removed") for name in before if name not in kept]
    datasets, warnings = _diff_datasets(old, new, pairs)
    return Diff([*changes, *removed], datasets, len(new.jobs) - len(changes), warnings)


def _old_job(job: Job, before: dict[str, Job]) -> Job | None:
    return before.get(job.name) or (before.get(job.renamed_from) if job.renamed_from else None)


def _change(name: str, pairs: Pairs, feeding: list[str]) -> JobChange | None:
    """Returns how a job differs, None if it does not. `feeding`: the jobs that are computed again together with it."""
    job, old = pairs[name]
    if old is None:
        return JobChange(name, "added")
    renamed_from = old.name if old.name != name else None
    fields = _fields(job, old, pairs)
    if job.config_hash != old.config_hash:
        read = {item.job for item in job.inputs if item.job is not None}
        parents = sorted(parent for parent in {*read, *feeding} if _has_other_data(parent, pairs))
        reset = [] if fields or parents else ["bootstrap"]  # it begins with no data in every version
        return JobChange(name, "data", fields or reset, parents, renamed_from)
    if fields:
        return JobChange(name, "metadata", fields, [], renamed_from)
    return JobChange(name, "renamed", [], [], renamed_from) if renamed_from else None


def _has_other_data(name: str, pairs: Pairs) -> bool:
    job, old = pairs[name]
    return old is None or job.config_hash != old.config_hash


def _fields(job: Job, old: Job, pairs: Pairs) -> list[str]:
    """Returns the names of the fields that differ. A new name of a parent does not count as a difference."""
    names = [name for name in ("activation", *DATA, *METADATA) if name not in ("inputs", "outputs")]
    changed = [name for name in names if getattr(job, name) != getattr(old, name)]
    before = {name: previous.name for name, (_, previous) in pairs.items() if previous is not None}
    if [_identity(item, before) for item in job.inputs] != [_identity(item, {}) for item in old.inputs]:
        changed.append("inputs")
    if len(job.outputs) != len(old.outputs):
        changed.append("outputs")
    for number, (output, previous) in enumerate(zip(job.outputs, old.outputs, strict=False)):
        changed += [f"outputs[{number}].{name}" for name in _output_fields(output, previous)]
    return changed


def _identity(item: JobInput, old_names: dict[str, str]) -> JobInput:
    """Returns the input with the previous name of the job that produces it, and without the name of its dataset: an
    input from the same DAG is compared by its producing job."""
    if item.job is None:
        return item
    return replace(item, job=old_names.get(item.job, item.job), dataset=None)


def _output_fields(output: JobOutput, previous: JobOutput) -> Sequence[str]:
    names = (*OUTPUT_DATA, *OUTPUT_METADATA)
    return [name for name in names if getattr(output, name) != getattr(previous, name)]


def _diff_datasets(old: Dag | None, new: Dag, pairs: Pairs) -> tuple[list[DatasetChange], list[str]]:
    before = old.datasets() if old else {}
    changes: list[DatasetChange] = []
    warnings: list[str] = []
    used: set[str] = set()
    for dataset, (job, number) in new.datasets().items():
        previous = dataset if dataset in before else job.outputs[number].renamed_from
        if previous is None or previous not in before:
            changes.append(DatasetChange(dataset, "added", job.name, number))
            continue
        used.add(previous)
        old_job, old_number = before[previous]
        same_job = pairs[job.name][1] is old_job
        if same_job and old_number != number:
            warnings.append(
                f"{dataset} moves from output {old_number} of {job.name} to output {number}: jobs that refer to it by "
                "position will read another dataset"
            )
        renamed_from = previous if previous != dataset else None
        same_data = same_job and old_number == number and job.config_hash == old_job.config_hash
        kind = ("renamed" if renamed_from else "reused") if same_data else "rebuilt" if same_job else "moved"
        changes.append(DatasetChange(dataset, kind, job.name, number, renamed_from))
    removed = [DatasetChange(name, "removed", job.name, no) for name, (job, no) in before.items() if name not in used]
    return [*changes, *removed], warnings
