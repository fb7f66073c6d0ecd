"""Finds roles that can read a dataset, but not the datasets from which it is computed."""

from collections.abc import Callable, Mapping

from tenuto.dag.definitions import Dag

Roles = Mapping[str, frozenset[str]]  # the roles that can read each dataset; without roles, only admins can

# Which columns of a source flow into a dataset, as text: "" if no column does, None if that is not known.
Flow = Callable[[str, str], str | None]


def named_datasets(dag: Dag) -> list[str]:
    """Returns every dataset that the document names: published datasets, datasets that are read, and old names of
    renamed datasets."""
    read = {item.dataset for job in dag.jobs for item in job.inputs if item.dataset is not None}
    renamed = {old for job in dag.jobs for output in job.outputs if (old := output.renamed_from) is not None}
    return sorted({*dag.datasets(), *read, *renamed})


def wider_readers(old: Dag | None, new: Dag, roles: Roles, flow: Flow | None = None) -> list[str]:
    """Returns a warning for each source from which a deploy newly computes a dataset, if some readers of the dataset
    cannot read the source. `flow` returns which columns of a source flow into a dataset; if no column does, there is no
    warning."""
    before = _sources(old) if old else {}
    names = _names_before(old, new)
    warnings: list[str] = []
    for dataset, sources in _sources(new).items():
        readers = roles.get(names.get(dataset, dataset), frozenset())
        for source in sorted(sources):
            old_name = names.get(source, source)
            wider = sorted(readers - roles.get(old_name, frozenset()))
            if wider and old_name not in before.get(names.get(dataset, dataset), set()):
                columns = flow(dataset, source) if flow else None
                if columns == "":
                    continue
                named = f"{source} ({columns})" if columns else source
                subject = f"role {wider[0]} reads" if len(wider) == 1 else f"roles {', '.join(wider)} read"
                warnings.append(f"{subject} {dataset}, which will be computed from {named}, but cannot read {source}")
    return warnings


def _names_before(old: Dag | None, new: Dag) -> dict[str, str]:
    """Returns the old names of the datasets that the cutover renames, by their new names."""
    before = old.datasets() if old else {}
    renamed = {dataset: job.outputs[number].renamed_from for dataset, (job, number) in new.datasets().items()}
    return {dataset: name for dataset, name in renamed.items() if name in before and dataset not in before}


def _sources(dag: Dag) -> dict[str, set[str]]:
    """Returns the datasets that each published dataset is computed from. An output without a dataset is replaced by the
    datasets that its job reads. A sink is computed from the inputs of the jobs that append to it."""
    jobs = {job.name: job for job in dag.jobs}
    read: dict[str, set[str]] = {}
    for job in dag.jobs:  # a job comes after the jobs that it reads from
        read[job.name] = set()
        for item in job.inputs:
            if item.job is None or item.output is None:
                dataset, behind = item.dataset, set[str]()
            else:
                dataset, behind = jobs[item.job].outputs[item.output].dataset, read[item.job]
            read[job.name] |= behind if dataset is None else {dataset}
    sources = {dataset: set(read[job.name]) for dataset, (job, _) in dag.datasets().items()}
    for job in dag.jobs:
        for output in job.outputs:
            if output.append_to is not None:
                sources[output.append_to] |= read[job.name]
    return sources
