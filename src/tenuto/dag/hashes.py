"""Hashes of DAG documents and jobs. Jobs with equal hashes have equal data. A deploy computes only the data of jobs
with new hashes."""

import json
from dataclasses import replace
from hashlib import sha256

from tenuto.dag.definitions import Job, JobOutput, sinks
from tenuto.dag.yaml_tree import YamlNode
from tenuto.model.json import Json, JsonObject

# This number is hashed too. It must change when the lists below change. Then every job gets a new hash.
HASH_VERSION = 1

# Which fields decide what a job's data is. A test checks that every field is in exactly one of these lists.
DATA = (
    "operator", "config", "udf", "code_version", "execution_strategy", "update_strategy", "unique_key", "inputs",
    "outputs",
)  # fmt: skip
METADATA = (
    "runtime", "source", "bootstrap", "idle_timeout", "scaling", "timeout_seconds", "heartbeat_timeout_seconds",
    "max_attempts", "queue", "labels", "secrets", "description",
)  # fmt: skip
# Fields that were added later. They are hashed only if they are set, so that jobs without them keep their hashes.
NEWER = ("code_version", "queue", "labels")
IDENTITY = ("name", "activation", "renamed_from", "config_hash", "metadata_hash")
OUTPUT_DATA = ("storage", "partition", "columns", "append_to")
OUTPUT_METADATA = ("description", "checks", "retention", "lineage")
OUTPUT_IDENTITY = ("name", "dataset", "renamed_from")


def yaml_hash(tree: YamlNode) -> str:
    """Returns the hash of a document. Comments, whitespace and the order of keys and jobs do not matter."""
    jobs = tree.get("jobs")
    facts = {name: node.json() for name, node in tree.value.items()} if isinstance(tree.value, dict) else {}
    ordered = sorted(jobs.items() if jobs else [], key=lambda job: job.text("name") or "")
    return _digest({**facts, "jobs": [job.json() for job in ordered]})


def with_hashes(jobs: list[Job], document: str) -> list[Job]:
    """Returns the jobs with their hashes. Each job must come after the jobs that it reads from. The data of a job with
    `bootstrap: {reset_outputs: true}` depends on the hash of the document: every version of the document begins with no
    data. If one of the jobs that append to a sink changes, the hashes of the sink and of all these jobs change, because
    a new version of the sink's dataset needs the rows of all of them."""
    members = sinks(jobs)
    hashes = _hash_jobs(jobs, document, {})
    for _ in members:  # each round passes a change on through one more sink
        groups = {sink: _digest(sorted(hashes[name] for name in names)) for sink, names in members.items()}
        of_jobs = {
            job.name: sorted(groups[sink] for sink, names in members.items() if job.name in names) for job in jobs
        }
        hashes = _hash_jobs(jobs, document, of_jobs)
    return [replace(job, config_hash=hashes[job.name], metadata_hash=_digest(metadata_facts(job))) for job in jobs]


def _hash_jobs(jobs: list[Job], document: str, groups: dict[str, list[str]]) -> dict[str, str]:
    """Returns the hashes of the jobs. `groups`: for each job the hashes of the sinks that it belongs to."""
    hashes: dict[str, str] = {}
    for job in jobs:
        facts = data_facts(job, hashes)
        if job.bootstrap and job.bootstrap.get("reset_outputs"):
            facts["document"] = document
        if groups.get(job.name):
            facts["sinks"] = list[Json](groups[job.name])
        hashes[job.name] = _digest(facts)
    return hashes


def data_facts(job: Job, parents: dict[str, str]) -> JsonObject:
    """Returns everything that decides what the job's data is. Names are left out, so that a rename keeps the data. An
    input from another job of the DAG is represented by the hash of that job."""
    return {
        "hash_version": HASH_VERSION,
        "operator": job.operator,
        "config": job.config,
        "udf": job.udf,
        "execution_strategy": job.execution_strategy,
        "update_strategy": job.update_strategy,
        "unique_key": job.unique_key,
        "inputs": [
            {
                "parent": parents[item.job] if item.job is not None else None,
                "output": item.output,
                "dataset": item.dataset if item.job is None else None,
                "where": item.where,
                "map": item.map,
                "trigger": item.trigger,
            }
            for item in job.inputs
        ],
        "outputs": [_output_data(output) for output in job.outputs],
        **({"code_version": job.code_version} if job.code_version else {}),
    }


def metadata_facts(job: Job) -> JsonObject:
    """Returns the fields of a job that do not decide its data, such as `queue`; without names and `activation`."""
    outputs = [
        {**{name: getattr(output, name) for name in OUTPUT_METADATA}, "column_descriptions": _descriptions(output)}
        for output in job.outputs
    ]
    facts = {name: value for name in METADATA if (value := getattr(job, name)) or name not in NEWER}
    return {"hash_version": HASH_VERSION, **facts, "outputs": outputs}


def schema_hash(output: JobOutput) -> str | None:
    """Returns the hash of the declared columns: names, types and whether they are required."""
    return _digest(_columns(output)) if output.columns else None


def _output_data(output: JobOutput) -> JsonObject:
    """Returns what decides the data of an output. The name of a sink is left out, because the hash of the sink is part
    of the hash of the job."""
    if output.append_to is not None:
        return {"appends": True}
    return {"storage": output.storage, "partition": output.partition, "columns": _columns(output)}


def _columns(output: JobOutput) -> list[JsonObject]:
    return [{name: value for name, value in column.items() if name != "description"} for column in output.columns or []]


def _descriptions(output: JobOutput) -> list[Json]:
    return [column.get("description") for column in output.columns or []]


def _digest(value: Json) -> str:
    text = json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False)
    return sha256(text.encode()).hexdigest()
