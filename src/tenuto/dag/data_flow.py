"""Checks that the operators of a document can write its outputs, and that events of the inputs can start tasks. A
document that passes may still fail: the code of a job can write other partitions than its outputs declare."""

from collections.abc import Iterator

from tenuto.dag.operators import base_name, find_operator
from tenuto.dag.problems import Problems
from tenuto.dag.references import Producer, Resolved
from tenuto.dag.yaml_tree import YamlNode, show_path

KEY_CHARS = {"hour": 13, "day": 10, "week": 10, "month": 7}  # how long the keys of a period are: 2026-11-17T05
DESCRIBED = {
    "none": "the events of the input have no partition",
    "range": "the keys of the input are ranges",
    **{name: f"the keys of the input are {name}s" for name in KEY_CHARS},
}
UNKNOWN, NONE = "unknown", "none"  # unknown: the code of the job decides which keys its partitions have


def check_data_flow(tree: YamlNode, resolved: Resolved, problems: Problems) -> None:
    """Adds a problem for each output that is never written, and for each input whose events never start a task."""
    listed = tree.get("jobs")
    jobs = listed.items() if listed else []
    keys = _partition_keys({job.text("name") or "": job for job in jobs}, resolved)
    for number, job in enumerate(jobs):
        _check_inputs(number, job, resolved, keys, problems)
        _check_outputs(number, job, resolved, problems)


def _check_outputs(number: int, job: YamlNode, resolved: Resolved, problems: Problems) -> None:
    name = base_name(job.text("operator") or "")
    operator, node = find_operator(name), job.get("outputs")
    if operator is None or operator.runs_code or name == "sink" or node is None:
        return
    count = node.value if isinstance(node.value, int) else len(node.items())
    least, most = operator.outputs
    if not least <= count <= most:
        needed = f"exactly {least}" if least == most else f"at least {least}" if count < least else f"at most {most}"
        hint = f"the job has {count}"
        path = show_path(("jobs", number, "outputs"))
        problems.add(node.at, path, f"the operator {name} needs {needed} output{'s' if most > 1 else ''}", hint)
        return
    for position in range(count):
        output = node.items()[position] if node.items() else node
        written = output.get("dataset") or output.get("append_to")
        if written is None and (job.text("name") or "", position) not in resolved.datasets:
            message = f"output {position} has no dataset, so the operator {name} cannot store its rows"
            path = show_path(("jobs", number, "outputs", *([position] if node.items() else [])))
            problems.add(output.at, path, message, "write dataset: NAME")


def _check_inputs(
    number: int, job: YamlNode, resolved: Resolved, keys: dict[Producer, str], problems: Problems
) -> None:
    name, node = base_name(job.text("operator") or ""), job.get("inputs")
    operator, count = find_operator(name), len(node.items()) if node else 0
    if operator is not None and operator.one_input and count != 1:
        message = f"the operator {name} reads exactly one input"
        problems.add((node or job).at, show_path(("jobs", number)), message, f"the job has {count}")
    for position, item, source in _starting(job, resolved):
        path, found = show_path(("jobs", number, "inputs", position)), keys.get(source, UNKNOWN) if source else UNKNOWN
        kind, _ = _map_of(item)
        if not _fits(*_map_of(item), found):
            message = f"{DESCRIBED[found]}, and map: {{kind: {kind}}} finds no partition for them, so nothing starts"
            problems.add(item.at, path, message, "write the partition of the output that is read, or another map")
        elif name == "range_aggregator" and not _fits("range", None, _mapped(item, found)):
            message = f"{DESCRIBED[_mapped(item, found)]}, and range_aggregator needs ranges"
            problems.add(item.at, path, message, "write map: {kind: range, size: 1000}")


def _starting(job: YamlNode, resolved: Resolved) -> Iterator[tuple[int, YamlNode, Producer | None]]:
    """Yields the inputs that start tasks, with their positions and what they read."""
    node, sources = job.get("inputs"), resolved.inputs.get(job.text("name") or "", [])
    for position, (item, source) in enumerate(zip(node.items() if node else [], sources, strict=False)):
        if (trigger := item.get("trigger")) is None or trigger.value is not False:
            yield position, item, source


def _partition_keys(jobs: dict[str, YamlNode], resolved: Resolved) -> dict[Producer, str]:
    """Returns which keys the partitions of each output have: hour, day, week, month, range or key; none, if its tasks
    have no key; or unknown. An output that declares no partition has the keys of the tasks that write it."""
    keys: dict[Producer, str] = {}
    for name in resolved.order:  # a job comes after the jobs that it reads from
        job = jobs[name]
        node, of_tasks = job.get("outputs"), _task_keys(job, resolved, keys)
        for position, output in enumerate(node.items() if node else []):
            partition = output.get("partition")
            declared = (partition.text("every") or partition.text("kind")) if partition else None
            keys[name, position] = declared or of_tasks
    return keys


def _task_keys(job: YamlNode, resolved: Resolved, keys: dict[Producer, str]) -> str:
    name = base_name(job.text("operator") or "")
    operator = find_operator(name)
    if name == "range_splitter":
        return "range"
    if operator is None or operator.runs_code or name == "bundle":
        return UNKNOWN
    if job.text("activation") == "source":
        return NONE if name in ("webhook", "sink") else UNKNOWN
    found = {
        _mapped(item, keys.get(source, UNKNOWN) if source else UNKNOWN) for _, item, source in _starting(job, resolved)
    }
    return found.pop() if len(found) == 1 else UNKNOWN


def _map_of(item: YamlNode) -> tuple[str, str | None]:
    node = item.get("map")
    return (node.text("kind") or "identity", node.text("every")) if node else ("identity", None)


def _mapped(item: YamlNode, keys: str) -> str:
    """Returns which keys the tasks have that an input starts."""
    kind, every = _map_of(item)
    return keys if kind == "identity" else every or kind


def _fits(kind: str, every: str | None, keys: str) -> bool:
    """Returns whether a map finds partitions for these keys. Values of a column may look like any other keys."""
    if kind == "identity" or keys not in DESCRIBED:
        return True
    if kind == "range":
        return keys == "range"
    return keys in KEY_CHARS and KEY_CHARS[keys] >= KEY_CHARS.get(every or "", 0)
