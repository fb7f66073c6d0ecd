"""Resolves the references of jobs to other jobs, outputs and datasets. Finds unknown names, datasets with two
producers, and cycles. Works on the tree of the document, so that one wrong field does not hide other problems."""

from dataclasses import dataclass, field
from graphlib import CycleError, TopologicalSorter

from tenuto.dag.problems import Position, Problems, did_you_mean
from tenuto.dag.yaml_tree import Path, YamlNode, show_path

Producer = tuple[str, int]  # a job and the position of its output


@dataclass(frozen=True)
class Resolved:
    """The names of jobs, in an order in which each job comes after the jobs that it reads from, and the resolved
    references."""

    order: list[str]
    datasets: dict[Producer, str]
    inputs: dict[str, list[Producer | None]]  # per job; None: a dataset of another DAG, or a wrong reference


@dataclass(frozen=True)
class _Entry:
    """A job of the document. `number` is its position. `outputs` is how many outputs it has, or None if that is not
    known. `labels` contains the positions of its outputs by name."""

    number: int
    name: str | None
    node: YamlNode
    outputs: int | None
    labels: dict[str, int]

    def path(self, *parts: str | int) -> str:
        return show_path(("jobs", self.number, *parts))


@dataclass
class _Names:
    """The names that the document declares."""

    jobs: dict[str, _Entry] = field(default_factory=dict[str, _Entry])
    producers: dict[str, Producer] = field(default_factory=dict[str, Producer])
    lines: dict[str, int] = field(default_factory=dict[str, int])


def resolve(tree: YamlNode, problems: Problems) -> Resolved:
    """Resolves every reference of the document, and adds a problem for each that is wrong."""
    jobs = tree.get("jobs")
    entries = [_entry(number, node) for number, node in enumerate(jobs.items() if jobs else [])]
    names = _Names()
    _collect_jobs(entries, names, problems)
    _check_renames(entries, names, problems)
    _collect_datasets(entries, names, problems)
    _publish(tree.get("publish"), names, problems)
    inputs = {name: _resolve_inputs(entry, names, problems) for name, entry in names.jobs.items()}
    order = _sort(inputs, _writers(names), names, problems)
    return Resolved(order, {producer: dataset for dataset, producer in names.producers.items()}, inputs)


def _entry(number: int, node: YamlNode) -> _Entry:
    outputs = node.get("outputs")
    listed = outputs.items() if outputs else []
    count = outputs.value if outputs and isinstance(outputs.value, int) else len(listed) if listed else None
    labels = {label: position for position, item in enumerate(listed) if (label := item.text("name"))}
    return _Entry(number, node.text("name"), node, count, labels)


def _collect_jobs(entries: list[_Entry], names: _Names, problems: Problems) -> None:
    for entry in entries:
        if entry.name is None:
            continue
        if entry.name in names.jobs:
            line = names.jobs[entry.name].node.at.line
            problems.add(_at(entry.node, "name"), entry.path("name"), f"line {line} has a job of the same name")
        names.jobs.setdefault(entry.name, entry)


def _check_renames(entries: list[_Entry], names: _Names, problems: Problems) -> None:
    renamed: set[str] = set()
    for entry in entries:
        old = entry.node.text("renamed_from")
        if old is not None and (old in names.jobs or old in renamed):
            message = f"{old} is still a job" if old in names.jobs else f"another job was renamed from {old} too"
            problems.add(_at(entry.node, "renamed_from"), entry.path("renamed_from"), message)
        renamed.add(old or "")


def _collect_datasets(entries: list[_Entry], names: _Names, problems: Problems) -> None:
    for entry in entries:
        labels: set[str] = set()
        outputs = entry.node.get("outputs")
        for number, node in enumerate(outputs.items() if outputs else []):
            label, dataset = node.text("name"), node.text("dataset")
            if label is not None and label in labels:
                problems.add(_at(node, "name"), entry.path("outputs", number, "name"), "two outputs have this name")
            labels.add(label or "")
            if dataset is not None and entry.name is not None:
                place = entry.path("outputs", number, "dataset")
                _produce(dataset, (entry.name, number), _at(node, "dataset"), place, names, problems)


def _produce(dataset: str, producer: Producer, at: Position, path: str, names: _Names, problems: Problems) -> None:
    if names.producers.setdefault(dataset, producer) != producer:
        job, number = names.producers[dataset]
        message = f"{dataset} is already output {number} of {job} (line {names.lines[dataset]})"
        problems.add(at, path, message, "a dataset has one producer")
    names.lines.setdefault(dataset, at.line)


def _publish(publish: YamlNode | None, names: _Names, problems: Problems) -> None:
    entries = publish.value if publish and isinstance(publish.value, dict) else {}
    for dataset, node in entries.items():
        reference = node.get("from")
        job = reference.text("job") if reference else None
        if reference is None or job is None:
            continue
        path: Path = ("publish", dataset, "from")
        producer = _find_output(job, reference, path, names, problems)
        if producer is None:
            continue
        other = next((name for name, known in names.producers.items() if known == producer and name != dataset), None)
        if other is not None:
            message = f"output {producer[1]} of {job} is already published as {other}"
            problems.add(node.key, show_path(path[:2]), message)
        else:
            _produce(dataset, producer, node.key, show_path(path[:2]), names, problems)


def _resolve_inputs(entry: _Entry, names: _Names, problems: Problems) -> list[Producer | None]:
    nodes = entry.node.get("inputs")
    return [
        _resolve_reference(node.get("from"), ("jobs", entry.number, "inputs", number, "from"), names, problems)
        for number, node in enumerate(nodes.items() if nodes else [])
    ]


def _resolve_reference(node: YamlNode | None, path: Path, names: _Names, problems: Problems) -> Producer | None:
    dataset, job = (node.text("dataset"), node.text("job")) if node else (None, None)
    if node is None or (dataset is None and job is None):
        return None
    return names.producers.get(dataset) if dataset else _find_output(job or "", node, path, names, problems)


def _find_output(job: str, node: YamlNode, path: Path, names: _Names, problems: Problems) -> Producer | None:
    """Returns the job and position of an output; None if there is no such output."""
    entry = names.jobs.get(job)
    if entry is None:
        problems.add(_at(node, "job"), show_path(path), f"there is no job {job}", did_you_mean(job, names.jobs))
        return None
    written = node.get("output")
    output = written.value if written else 0
    number = entry.labels.get(output) if isinstance(output, str) else output
    if entry.outputs is None or not isinstance(output, int | str):
        return None  # reported as a wrong field
    if isinstance(number, int) and 0 <= number < entry.outputs:
        return (job, number)
    hint = did_you_mean(output, entry.labels) if isinstance(output, str) else None
    message = f"{job} has no output {output}; the number of its outputs is {entry.outputs}"
    problems.add(_at(node, "output"), show_path(path), message, hint)
    return None


def _writers(names: _Names) -> dict[str, set[str]]:
    """Returns for each sink the jobs that append to its dataset."""
    writers: dict[str, set[str]] = {}
    for name, entry in names.jobs.items():
        outputs = entry.node.get("outputs")
        for output in outputs.items() if outputs else []:
            if (sink := names.producers.get(output.text("append_to") or "")) is not None:
                writers.setdefault(sink[0], set()).add(name)
    return writers


def _sort(
    inputs: dict[str, list[Producer | None]], writers: dict[str, set[str]], names: _Names, problems: Problems
) -> list[str]:
    """Returns the jobs in order of their dependencies; every cycle is reported once."""
    parents = {
        name: sorted({source[0] for source in sources if source} | writers.get(name, set()))
        for name, sources in inputs.items()
    }
    while True:
        try:
            return list(TopologicalSorter(parents).static_order())
        except CycleError as error:
            cycle: list[str] = list(reversed(error.args[1]))
            first = min(cycle, key=lambda name: names.jobs[name].number)
            start = cycle.index(first)
            round_trip = [*cycle[start:-1], *cycle[:start], first] if start else cycle
            entry = names.jobs[first]
            problems.add(entry.node.at, entry.path("inputs"), f"the jobs form a cycle: {' -> '.join(round_trip)}")
            for name in cycle:
                parents[name] = [parent for parent in parents[name] if parent not in cycle]


def _at(node: YamlNode, name: str) -> Position:
    inner = node.get(name)
    return inner.at if inner else node.at
