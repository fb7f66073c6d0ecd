"""Reads the text of a DAG document: returns checked definitions, or raises an error that lists all problems."""

from collections.abc import Collection

from pydantic import BaseModel

from tenuto.dag.data_flow import check_data_flow
from tenuto.dag.declared_lineage import check_lineage, declared_lineage, input_numbers
from tenuto.dag.definitions import Dag, Job, JobInput, JobOutput
from tenuto.dag.document_fields import Defaults, DocumentFields, FromDataset, InputFields, JobFields, Scaling
from tenuto.dag.hashes import with_hashes, yaml_hash
from tenuto.dag.operators import OPERATOR_ALIASES
from tenuto.dag.output_fields import OutputFields, Storage
from tenuto.dag.problems import Problems
from tenuto.dag.references import Producer, Resolved, resolve
from tenuto.dag.rules import JobRules
from tenuto.dag.selects import check_selects
from tenuto.dag.sinks import check_sinks
from tenuto.dag.structure import check_fields
from tenuto.dag.yaml_tree import YamlNode, read_tree
from tenuto.model.durations import seconds
from tenuto.model.json import JsonObject

MAX_ATTEMPTS = 3


def parse_dag(text: str | bytes, *, stored: bool = False, functions: Collection[str] | None = None) -> Dag:
    """Returns the DAG that a document describes. If there are problems, raises InvalidDag, which lists each problem
    with its line and column. `stored`: the document was deployed before, so its SELECTs are not checked again. This
    version of the parser may refuse what another version accepted. `functions`: the functions that jobs can run; by
    default, any name is accepted."""
    tree, problems = read_tree(text), Problems()
    document = check_fields(tree, problems)
    jobs = tree.get("jobs")
    for number, node in enumerate(jobs.items() if jobs else []):
        JobRules(number, node, tree.get("defaults"), problems, functions).check()
    resolved = resolve(tree, problems)
    check_lineage(tree, resolved, problems)
    check_sinks(tree, resolved, problems)
    check_data_flow(tree, resolved, problems)
    decoded = text if isinstance(text, str) else text.decode("utf-8-sig")
    if not stored:
        check_selects(tree, decoded, resolved, problems)
    problems.raise_if_any()
    assert document is not None  # noqa: S101 - without problems there is a document
    return _dag(document, resolved, tree, decoded)


def _dag(document: DocumentFields, resolved: Resolved, tree: YamlNode, text: str) -> Dag:
    defaults = document.defaults or Defaults()
    fields = {job.name: job for job in document.jobs}
    jobs = [_job(fields[name], defaults, resolved) for name in resolved.order]
    document_hash = yaml_hash(tree)
    return Dag(
        name=document.name,
        description=document.description,
        jobs=with_hashes(jobs, document_hash),
        yaml=text,
        yaml_hash=document_hash,
    )


def _job(fields: JobFields, defaults: Defaults, resolved: Resolved) -> Job:
    outputs = fields.outputs if isinstance(fields.outputs, list) else [OutputFields()] * fields.outputs
    reactive = fields.activation == "reactive"
    runtime = fields.runtime or ("sandbox" if fields.udf else None) or defaults.runtime or "worker"
    operator, at, version = fields.operator.partition("@")
    read = [
        _input(item, source) for item, source in zip(fields.inputs or [], resolved.inputs[fields.name], strict=True)
    ]
    numbers = input_numbers([item.dataset for item in read], resolved.inputs[fields.name], resolved.datasets)
    return Job(
        name=fields.name,
        renamed_from=fields.renamed_from,
        description=fields.description,
        activation=fields.activation,
        runtime=runtime,
        operator=OPERATOR_ALIASES.get(operator, operator) + at + version,
        config=fields.config,
        udf=_udf(fields),
        code_version=fields.code_version,
        source=_source(fields),
        bootstrap=_plain(fields.bootstrap),
        inputs=read,
        outputs=[
            _output(output, resolved.datasets.get((fields.name, number)), numbers)
            for number, output in enumerate(outputs)
        ],
        execution_strategy=(fields.execution_strategy or defaults.execution_strategy) if reactive else None,
        idle_timeout=(fields.idle_timeout or defaults.idle_timeout) if reactive else None,
        update_strategy=fields.update_strategy or defaults.update_strategy or "replace",
        unique_key=fields.unique_key,
        scaling=_scaling(fields.scaling or defaults.scaling),
        timeout_seconds=fields.timeout_seconds or defaults.timeout_seconds,
        heartbeat_timeout_seconds=fields.heartbeat_timeout_seconds or defaults.heartbeat_timeout_seconds,
        max_attempts=fields.max_attempts or defaults.max_attempts or MAX_ATTEMPTS,
        queue=(fields.queue or defaults.queue) if runtime != "dispatcher" else None,
        labels=sorted(set(_either(fields.labels, defaults.labels))) if runtime != "dispatcher" else [],
        secrets=sorted(fields.secrets),
    )


def _either(own: list[str] | None, default: list[str] | None) -> list[str]:
    """Returns the list of the job if it is set, even if it is empty; otherwise the list of the defaults."""
    return own if own is not None else default or []


def _input(fields: InputFields, source: Producer | None) -> JobInput:
    dataset = fields.reference.dataset if isinstance(fields.reference, FromDataset) else None
    job, output = source or (None, None)
    return JobInput(job, output, dataset, fields.where, _plain(fields.map), fields.trigger or None)


def _output(fields: OutputFields, dataset: str | None, inputs: dict[str, int]) -> JobOutput:
    return JobOutput(
        name=fields.name,
        dataset=dataset,
        renamed_from=fields.renamed_from,
        append_to=fields.append_to,
        description=fields.description,
        storage=(fields.storage or Storage(kind="file")).model_dump(),
        partition=_plain(fields.partition),
        columns=[column.model_dump() for column in fields.columns] if fields.columns else None,
        checks=[check.model_dump() for check in fields.checks],
        retention=_plain(fields.retention),
        lineage=fields.lineage if isinstance(fields.lineage, str) else declared_lineage(fields.lineage, inputs),
    )


def _udf(fields: JobFields) -> JsonObject | None:
    if fields.udf is None:
        return None
    return {"bundle": fields.udf.bundle.removeprefix("sha256:"), "task": fields.udf.task}


def _source(fields: JobFields) -> JsonObject | None:
    source = _plain(fields.source)
    if source is None or source["kind"] not in ("continuous", "always_on"):
        return source
    return {"kind": "continuous", **({"max_inflight": source["max_inflight"]} if source["max_inflight"] else {})}


def _scaling(fields: Scaling | None) -> JsonObject | None:
    """Returns the scaling options that are set, with `max_queue_age` in seconds."""
    if fields is None:
        return None
    age = fields.max_queue_age
    facts = {**fields.model_dump(), "max_queue_age": max(1, round(seconds(age, "max_queue_age"))) if age else None}
    return {name: value for name, value in facts.items() if value is not None}


def _plain(fields: BaseModel | None) -> JsonObject | None:
    return fields.model_dump() if fields is not None else None
