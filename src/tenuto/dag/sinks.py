"""Checks sinks, and the outputs that append to sinks. A sink collects the rows that other jobs of its DAG append."""

from tenuto.dag.operators import base_name
from tenuto.dag.problems import Problems, did_you_mean, quoted
from tenuto.dag.references import Producer, Resolved
from tenuto.dag.yaml_tree import YamlNode, show_path

OF_THE_SINK = ("dataset", "renamed_from", "storage", "partition", "columns", "checks", "retention")

NOT_OF_SINKS = ("queue", "labels", "secrets", "scaling", "timeout_seconds", "heartbeat_timeout_seconds", "max_attempts")


def check_sinks(tree: YamlNode, resolved: Resolved, problems: Problems) -> None:
    """Adds a problem for each mistake in a sink, and in outputs that append to a sink."""
    node = tree.get("jobs")
    jobs = node.items() if node else []
    sinks: set[str] = set()
    for number, job in enumerate(jobs):
        _check_sink(number, job, tree.get("defaults"), problems)
        if _is_sink(job):
            sinks |= {dataset for (name, _), dataset in resolved.datasets.items() if name == job.text("name")}
    appending: set[Producer] = set()
    for number, job in enumerate(jobs):
        appending |= _check_appends(number, job, sinks, problems)
    for number, job in enumerate(jobs):
        _check_reads(number, job, appending, resolved, problems)
    for producer, dataset in resolved.datasets.items():
        if producer in appending and (publish := tree.get("publish")) is not None and publish.get(dataset) is not None:
            message = f"output {producer[1]} of {producer[0]} appends to a sink, which publishes the rows"
            problems.add((publish.get(dataset) or publish).key, show_path(("publish", dataset)), message)


def _is_sink(job: YamlNode) -> bool:
    return base_name(job.text("operator") or "") == "sink"


def _check_sink(number: int, job: YamlNode, defaults: YamlNode | None, problems: Problems) -> None:
    source, outputs = job.get("source"), job.get("outputs")
    buffers, path = source is not None and source.text("kind") == "buffer", ("jobs", number)
    if not _is_sink(job):
        if buffers and source is not None:
            problems.add(source.at, show_path((*path, "source")), "only the operator sink has the source buffer")
        return
    for name in NOT_OF_SINKS:
        if (field := job.get(name)) is not None and field.value is not None:
            problems.add(field.key, show_path((*path, name)), "a sink runs no tasks, so nothing uses it", "remove it")
    if not buffers:
        hint = "write activation: source and source: {kind: buffer}"
        problems.add((source or job).at, show_path(path), "a sink runs no tasks, so nothing starts it", hint)
    strategy = job.text("update_strategy") or (defaults.text("update_strategy") if defaults else None)
    if strategy != "append":
        problems.add(job.at, show_path(path), "a sink appends", "write update_strategy: append, and unique_key")
    listed = outputs.items() if outputs else []
    storage = listed[0].get("storage") if listed else None
    if len(listed) != 1 or storage is None or storage.text("kind") != "postgres" or listed[0].get("partition"):
        hint = "write outputs: [{dataset: NAME, storage: {kind: postgres}, columns: [...]}]"
        message = "a sink has one output, which is stored in Postgres, without partitions"
        problems.add((outputs or job).at, show_path((*path, "outputs")), message, hint)


def _check_appends(number: int, job: YamlNode, sinks: set[str], problems: Problems) -> set[Producer]:
    """Checks the outputs of a job that append to a sink, and returns them."""
    outputs, targets = job.get("outputs"), set[str]()
    for position, output in enumerate(outputs.items() if outputs else []):
        target, path = output.text("append_to"), ("jobs", number, "outputs", position)
        if target is None:
            continue
        place = output.get("append_to") or output
        for name in OF_THE_SINK:
            if (field := output.get(name)) is not None:
                message = f"an output that appends does not have this key; the sink of {target} has it"
                problems.add(field.key, show_path((*path, name)), message, "remove it")
        if target not in sinks:
            hint = did_you_mean(target, sinks) or "add a job with operator: sink that publishes it"
            message = f"no sink of this DAG publishes {quoted(target)}"
            problems.add(place.at, show_path((*path, "append_to")), message, hint)
        elif target in targets:
            message = f"two outputs append to {quoted(target)}"
            problems.add(place.at, show_path((*path, "append_to")), message, "write all rows to one of them")
        targets.add(target)
    return {
        (job.text("name") or "", position)
        for position, output in enumerate(outputs.items() if outputs else [])
        if output.text("append_to") is not None
    }


def _check_reads(number: int, job: YamlNode, appending: set[Producer], resolved: Resolved, problems: Problems) -> None:
    inputs = job.get("inputs")
    sources = resolved.inputs.get(job.text("name") or "", [])
    for position, (node, source) in enumerate(zip(inputs.items() if inputs else [], sources, strict=False)):
        if source in appending:
            message = f"output {source[1]} of {source[0]} appends to a sink" if source else ""
            path = show_path(("jobs", number, "inputs", position, "from"))
            problems.add(node.at, path, message, "read the dataset of the sink")
