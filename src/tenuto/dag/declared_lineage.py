"""Column lineage that a DAG document declares: for each column of an output, the columns of inputs that it is computed
from."""

import re
from collections.abc import Mapping, Sequence

from tenuto.dag.problems import Problems, did_you_mean, quoted
from tenuto.dag.references import Producer, Resolved
from tenuto.dag.value_types import SOURCE_COLUMN
from tenuto.dag.yaml_tree import YamlNode, show_path
from tenuto.model.json import JsonObject
from tenuto.model.lineage import stated_lineage


def input_numbers(
    datasets: Sequence[str | None], sources: Sequence[Producer | None], published: Mapping[Producer, str]
) -> dict[str, int]:
    """Returns the numbers of a job's inputs by name. An input has two names: its dataset, and the job that publishes
    it."""
    numbers: dict[str, int] = {}
    for number, (dataset, source) in enumerate(zip(datasets, sources, strict=True)):
        names = (dataset or (published.get(source) if source else None), source[0] if source else None)
        for name in names:
            if name is not None:
                numbers.setdefault(name, number)
    return numbers


def declared_lineage(columns: Mapping[str, Sequence[str]], inputs: Mapping[str, int]) -> JsonObject:
    """Returns the declared lineage in the form in which the completion of a task stores it."""
    return stated_lineage(columns, inputs, "declared").json()


def check_lineage(tree: YamlNode, resolved: Resolved, problems: Problems) -> None:
    """Adds a problem for each column and each input in declared lineage that does not exist."""
    jobs = tree.get("jobs")
    for number, job in enumerate(jobs.items() if jobs else []):
        inputs, outputs = job.get("inputs"), job.get("outputs")
        references = [node.get("from") for node in (inputs.items() if inputs else [])]
        sources = resolved.inputs.get(job.text("name") or "", [])
        if len(sources) != len(references):
            continue
        datasets = [node.text("dataset") if node else None for node in references]
        known = input_numbers(datasets, sources, resolved.datasets)
        for position, output in enumerate(outputs.items() if outputs else []):
            _check_output(output, known, show_path(("jobs", number, "outputs", position, "lineage")), problems)


def _check_output(output: YamlNode, inputs: Mapping[str, int], path: str, problems: Problems) -> None:
    lineage, declared = output.get("lineage"), output.get("columns")
    if lineage is None or not isinstance(lineage.value, dict):
        return
    columns = {name for column in (declared.items() if declared else []) if (name := column.text("name"))}
    for column, node in lineage.value.items():
        if columns and column not in columns:
            message = f"the output has no column {quoted(column)}"
            problems.add(node.key, path, message, did_you_mean(column, columns))
        for source in node.items():
            text = source.value if isinstance(source.value, str) else ""
            name = text.partition(".")[0]
            if name not in inputs and re.fullmatch(SOURCE_COLUMN, text):  # other texts are reported as wrong fields
                hint = did_you_mean(name, inputs) or f"the inputs are {', '.join(inputs) or 'none'}"
                problems.add(source.at, f"{path}.{column}", f"the job has no input {quoted(name)}", hint)
