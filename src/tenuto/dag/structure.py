"""Checks the keys and values of a DAG document against its fields, and describes what is wrong."""

from collections.abc import Iterable, Mapping
from typing import Any

from pydantic import BaseModel, ValidationError

from tenuto.dag.document_fields import (
    Bootstrap,
    CronSource,
    Defaults,
    DocumentFields,
    FromDataset,
    FromJob,
    InputFields,
    JobFields,
    RangeMap,
    Scaling,
    TimeMap,
    Udf,
    WebhookSource,
)
from tenuto.dag.output_fields import (
    Column,
    FreshnessCheck,
    OutputFields,
    RangeCheck,
    RangePartition,
    Retention,
    RowCountCheck,
    SqlCheck,
    Storage,
    TimePartition,
    UniqueCheck,
)
from tenuto.dag.problems import Position, Problems, did_you_mean, quoted
from tenuto.dag.value_types import PATTERNS
from tenuto.dag.yaml_tree import Path, YamlNode, show_path

PydanticError = Mapping[str, Any]
MESSAGES = {
    "string_type": "is {got}, not a text",
    "string_too_short": "is empty",
    "string_too_long": "has more than {max_length:,} characters",
    "string_pattern_mismatch": "is {got}",
    "int_type": "is {got}, not a whole number",
    "float_type": "is {got}, not a number",
    "bool_type": "is {got}, not true or false",
    "list_type": "is {got}, not a list",
    "dict_type": "is {got}, not a mapping",
    "model_type": "is {got}, not a mapping",
    "model_attributes_type": "is {got}, not a mapping",
    "greater_than_equal": "is {got}; write {ge:,} or more",
    "less_than_equal": "is {got}; write {le:,} or less",
    "too_short": "has no items; write at least one",
    "too_long": "has more than {max_length:,} items",
    "literal_error": "is {got}; write {expected}",
    "union_tag_invalid": "has the kind {tag}; write {expected_tags}",
    "union_tag_not_found": "has no kind",
    "value_error": "{error}",
}
# For each key, the models of the mappings that it can contain. They are used for suggestions.
KEYS: dict[str | None, tuple[type[BaseModel], ...]] = {
    None: (DocumentFields,),
    "jobs": (JobFields,),
    "defaults": (Defaults,),
    "inputs": (InputFields,),
    "outputs": (OutputFields,),
    "from": (FromJob, FromDataset),
    "source": (CronSource, WebhookSource),
    "bootstrap": (Bootstrap,),
    "map": (RangeMap, TimeMap),
    "scaling": (Scaling,),
    "udf": (Udf,),
    "storage": (Storage,),
    "partition": (RangePartition, TimePartition),
    "columns": (Column,),
    "checks": (UniqueCheck, RangeCheck, FreshnessCheck, RowCountCheck, SqlCheck),
    "retention": (Retention,),
}
BACKPRESSURE = "not a key of jobs; write it in scaling: {…}"
RESERVED = {
    "max_queue_depth": BACKPRESSURE,
    "max_queue_age": BACKPRESSURE,
    "backpressure_mode": "reserved: a job over a bound of scaling always holds the jobs that feed it",
    "owners": "reserved: nothing uses owners yet; write them in description",
    "priority": "reserved: jobs have no priority yet",
    "read_roles": "not part of a DAG: an admin sets which roles read a dataset",
    "write_mode": "reserved; write update_strategy in the job",
    "schema": "reserved; write columns in the output",
}
OTHER_WORDS = {
    "retries": "write max_attempts, which includes the first attempt",
    "max_retries": "write max_attempts, which includes the first attempt",
    "timeout": "write timeout_seconds",
    "depends_on": "write inputs",
    "schedule": "write source: {kind: cron, schedule: …}",
    "cron": "write source: {kind: cron, schedule: …}",
}
OTHER_VALUES = {
    "manual": "write activation: source and source: {kind: manual}",
    "s3": "write file: TENUTO_STORAGE says whether files are in a folder or in a bucket",
    "Bulk": "a job never gets several updates as one task; write PerUpdate, and an operator that collects",
}


# Runtimes of other systems and of later versions. No code runs them, so they are refused instead of stored.
OTHER_RUNTIMES = {
    "lambda": ("tasks are not sent to AWS Lambda yet", "write worker, or sandbox for a bundle"),
    "ecs": (
        "attempts are not started on ECS one by one yet",
        "write worker, and start the workers with a pool whose provider is ecs",
    ),
    "ecs_platform": (
        "attempts are not started on ECS one by one yet",
        "write worker, and start the workers with a pool whose provider is ecs",
    ),
    "ecs_udf": ("bundles are not started on ECS one by one yet", "write sandbox"),
    "ray": ("tasks are not sent to Ray yet", "write worker"),
}


def check_fields(tree: YamlNode, problems: Problems) -> DocumentFields | None:
    """Returns the fields of the document. If keys or values are wrong, adds a problem for each and returns None."""
    try:
        return DocumentFields.model_validate(tree.json())
    except ValidationError as wrong:
        for error in wrong.errors(include_url=False):
            _add(error, tree, problems)
        return None


def _add(error: PydanticError, tree: YamlNode, problems: Problems) -> None:
    kind = error["type"]
    path, at, node = _place(error["loc"], tree, missing=kind == "missing")
    if kind == "missing":
        hint = "write {job: NAME} or {dataset: NAME}" if path[-2:] == ("from", "job") else None
        problems.add(at, show_path(path[:-1]), f"{path[-1]} is missing", hint)
    elif kind == "extra_forbidden":
        _add_unknown(path, node, problems)
    elif kind == "literal_error" and path[-1] == "runtime" and str(error["input"]) in OTHER_RUNTIMES:
        problems.add(at, show_path(path), *OTHER_RUNTIMES[error["input"]])
    else:
        problems.add(at, show_path(path), message_of(error), hint_of(error))


def _add_unknown(path: Path, node: YamlNode, problems: Problems) -> None:
    name = str(path[-1])
    if name in RESERVED:
        problems.add(node.key, show_path(path), f"the key is {RESERVED[name]}")
        return
    parent = next((part for part in reversed(path[:-1]) if isinstance(part, str)), None)
    known = [field.alias or name for model in KEYS.get(parent, ()) for name, field in model.model_fields.items()]
    if name in known:
        problems.add(node.key, show_path(path), "the key cannot be combined with the others", "remove one of them")
    else:
        hint = OTHER_WORDS.get(name) or did_you_mean(name, known)
        problems.add(node.key, show_path(path), "unknown key", hint)


def _place(loc: Iterable[str | int], tree: YamlNode, *, missing: bool) -> tuple[Path, Position, YamlNode]:
    """Finds the node that an error of Pydantic is about. The path of the error also contains names of union members,
    which are not keys of the document. `dataset` can be either: it is such a name if its value in the document is a
    scalar and the node has the last part of the path as a key."""
    parts, node, path = list(loc), tree, list[str | int]()
    for number, part in enumerate(parts):
        items, last = node.items(), parts[-1]
        inner = node.get(part) if isinstance(part, str) else items[part] if part < len(items) else None
        is_tag = number < len(parts) - 1 and isinstance(last, str) and node.get(last) is not None
        if inner is not None and not (is_tag and not isinstance(inner.value, dict | list)):
            node, path = inner, [*path, part]
    if missing:
        return (*path, parts[-1]), node.at, node
    return tuple(path), node.key if parts[-1:] == ["[key]"] else node.at, node


def message_of(error: PydanticError) -> str:
    """Returns what is wrong with a value."""
    template = MESSAGES.get(error["type"])
    if template is None:
        return f"is {_describe_value(error['input'])}: {error['msg']}"
    return template.format_map({"got": _describe_value(error["input"]), **error.get("ctx", {})})


def hint_of(error: PydanticError) -> str | None:
    """Returns what to write instead, or None if that is not known."""
    value, context = error.get("input"), error.get("ctx", {})
    if error["type"] == "string_pattern_mismatch":
        return PATTERNS.get(context["pattern"])
    if error["type"] == "union_tag_invalid":
        return did_you_mean(context["tag"], _listed(context["expected_tags"]))
    if error["type"] == "literal_error" and isinstance(value, str):
        return OTHER_VALUES.get(value) or did_you_mean(value, _listed(context["expected"]))
    return None


def _listed(names: str) -> list[str]:
    return names.replace(" or ", ", ").replace("'", "").split(", ")


def _describe_value(value: object) -> str:
    match value:
        case None:
            return "empty"
        case dict():
            return "a mapping"
        case list():
            return "a list"
        case bool():
            return "true" if value else "false"
        case _:
            return quoted(value)
