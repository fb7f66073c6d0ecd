"""Builds OpenLineage events about attempts, jobs and datasets, according to the specification 2-0-2."""

from collections.abc import Mapping
from importlib.metadata import version
from typing import cast
from uuid import UUID, uuid5

from tenuto.lineage.facets import (
    PRODUCER,
    check_results,
    column_lineage,
    dataset_facets,
    facet,
    output_facets,
    output_lineage,
    schema_url,
    subset,
    tags,
)
from tenuto.model.json import Json, JsonObject
from tenuto.model.lineage_facts import (
    AttemptSubject,
    DatasetDetails,
    DatasetStateChange,
    DatasetSubject,
    JobSubject,
    QueuedEvent,
    SubjectFacts,
)

MAX_ERROR_CHARS = 10_000  # of an error message and of a traceback
Subject = AttemptSubject | JobSubject | DatasetSubject
STREAMING = ("continuous", "always_on")  # kinds of sources whose tasks run until they are stopped
# A RUNNING event is sent once per minute, and each event of a run repeats all known inputs and outputs of the run.
EMISSION: JsonObject = {"eventTrigger": "PERIODIC", "eventContentMode": "ACCUMULATIVE", "windowDuration": 60}
ENDS = ("COMPLETE", "FAIL", "ABORT")


def run_id(subject: AttemptSubject) -> str:
    """Return the id of the OpenLineage run of an attempt. In OpenLineage, each attempt is a run of its own."""
    return str(uuid5(UUID(subject["task_id"]), str(subject["attempt"])))


def build_event(
    subject: Subject, event: QueuedEvent | DatasetStateChange, namespace: str, facts: SubjectFacts | None
) -> JsonObject:
    """Return an event as it is sent. `facts` is None if retention has deleted the rows of the subject: the event then
    has no facets that need these rows."""
    if "task_id" in subject:
        return _run_event(subject, event, namespace, facts or {})
    if "job_id" in subject:
        return _job_event(subject, event, namespace, facts or {})
    return _dataset_event(cast(DatasetStateChange, event), namespace, facts or {})


def _base(event: QueuedEvent, kind: str) -> JsonObject:
    return {"eventTime": event["at"], "producer": PRODUCER, "schemaURL": schema_url("OpenLineage", kind)}


def _run_event(subject: AttemptSubject, event: QueuedEvent, namespace: str, facts: SubjectFacts) -> JsonObject:
    kind, inputs, outputs = event["type"], facts.get("inputs") or (), facts.get("outputs") or ()
    written = [item for item in outputs if kind == "COMPLETE" and "partitions" in item]
    job = _job(subject, namespace, facts)
    if lineage := output_lineage(inputs, written, namespace):
        job["facets"] = {**cast(JsonObject, job["facets"]), "lineage": lineage}
    return {
        **_base(event, "RunEvent"),
        "eventType": kind,
        "run": {"runId": run_id(subject), "facets": _run_facets(subject, kind, namespace, facts)},
        "job": job,
        "inputs": [_input(item, namespace) for item in inputs],
        "outputs": [_output(item, namespace, written=item in written) for item in outputs],
    }


def _job_event(subject: JobSubject, event: QueuedEvent, namespace: str, facts: SubjectFacts) -> JsonObject:
    return {
        **_base(event, "JobEvent"),
        "job": _job(subject, namespace, facts),
        "inputs": [_input(item, namespace) for item in facts.get("inputs") or ()],
        "outputs": [_output(item, namespace, written=False) for item in facts.get("outputs") or ()],
    }


def _dataset_event(event: DatasetStateChange, namespace: str, facts: SubjectFacts) -> JsonObject:
    change: JsonObject = {"lifecycleStateChange": event["type"]}
    if event["type"] == "RENAME":
        change["previousIdentifier"] = {"namespace": namespace, "name": event["old_name"]}
    facets = dataset_facets(facts, namespace)
    if sources := facts.get("sources"):
        facets["columnLineage"] = column_lineage(sources, namespace)
    if known := facts.get("version"):
        facets["tags"] = facet("TagsDatasetFacet", tags({"dag_version": known}))
    facets["lifecycleStateChange"] = facet("LifecycleStateChangeDatasetFacet", change)
    dataset: JsonObject = {"namespace": namespace, "name": event["name"], "facets": facets}
    return {**_base(event, "DatasetEvent"), "dataset": dataset}


def _job(subject: AttemptSubject | JobSubject, namespace: str, facts: SubjectFacts) -> JsonObject:
    kind: JsonObject = {"processingType": "BATCH", "integration": "TENUTO", "jobType": "TASK"}
    if facts.get("source_kind") in STREAMING:
        kind |= {"processingType": "STREAMING", "emissionPattern": EMISSION}
    facets: JsonObject = {
        "jobType": facet("JobTypeJobFacet", kind),
        "tags": facet("TagsJobFacet", tags(_job_tags(facts))),
    }
    if deployed_by := facts.get("deployed_by"):
        owner: JsonObject = {"name": deployed_by, "type": "DEPLOYER"}
        facets["ownership"] = facet("OwnershipJobFacet", {"owners": [owner]})
    if description := facts.get("description"):
        facets["documentation"] = facet("DocumentationJobFacet", {"description": description})
    query = (facts.get("config") or {}).get("sql") if facts.get("operator") == "sql" else None
    if isinstance(query, str):
        facets["sql"] = facet("SQLJobFacet", {"query": query, "dialect": "duckdb"})
    return {"namespace": namespace, "name": f"{subject['dag']}.{subject['job']}", "facets": facets}


def _job_tags(facts: SubjectFacts) -> JsonObject:
    """Return the tags of a job. `code` is the name of the function or bundle, because the source text is not known
    here."""
    function = (facts.get("config") or {}).get("task") if facts.get("operator") == "python" else None
    return {
        "dag_version": facts.get("version"),
        "operator": facts.get("operator"),
        "code": function or facts.get("bundle"),
        "code_version": facts.get("code_version"),
    }


def _run_facets(subject: AttemptSubject, kind: str, namespace: str, facts: SubjectFacts) -> JsonObject:
    facets: JsonObject = {
        "processing_engine": facet("ProcessingEngineRunFacet", {"name": "tenuto", "version": version("tenuto")}),
        "tags": facet("TagsRunFacet", _tags(subject, kind, facts)),
    }
    if run := facts.get("run_id"):
        job: JsonObject = {"namespace": namespace, "name": subject["dag"]}
        parent: JsonObject = {"run": {"runId": run}, "job": job}
        facets["parent"] = facet("ParentRunFacet", {**parent, "root": parent})
    if fire_time := (facts.get("source") or {}).get("fire_time"):
        facets["nominalTime"] = facet("NominalTimeRunFacet", {"nominalStartTime": fire_time})
    if upstream := facts.get("upstream"):
        cause: JsonObject = {
            "job": {"namespace": namespace, "name": f"{upstream['dag']}.{upstream['job']}"},
            "run": {"runId": run_id(upstream)},
        }
        facets["jobDependencies"] = facet("JobDependenciesRunFacet", {"upstream": [cause]})
    if kind == "COMPLETE" and (results := check_results(facts.get("outputs") or ())):
        facets["test"] = results
    if kind == "FAIL":
        facets["errorMessage"] = facet("ErrorMessageRunFacet", _error(facts.get("error")))
    return facets


def _tags(subject: AttemptSubject, kind: str, facts: SubjectFacts) -> JsonObject:
    return tags(
        {
            "task": subject["task_id"],
            "attempt": subject["attempt"],
            "dag_version": facts.get("version"),
            "outcome": facts.get("outcome") if kind in ENDS else None,
            "reused": facts.get("reused"),
            "dedupe_key": facts.get("dedupe_key"),
        }
    )


def _error(error: Json) -> JsonObject:
    known: Mapping[str, Json] = error if isinstance(error, Mapping) else {}
    message = ": ".join(str(known[key]) for key in ("type", "message") if known.get(key)) or "the attempt failed"
    facet_values: JsonObject = {"message": message[:MAX_ERROR_CHARS], "programmingLanguage": "PYTHON"}
    if isinstance(trace := known.get("traceback"), str):
        facet_values["stackTrace"] = trace[-MAX_ERROR_CHARS:]
    return facet_values


def _input(item: DatasetDetails, namespace: str) -> JsonObject:
    # Only the run that writes a dataset sends its location.
    known: DatasetDetails = {**item, "location": None}
    read: JsonObject = {"namespace": namespace, "name": item["dataset"], "facets": dataset_facets(known, namespace)}
    partition = item.get("partition")
    if isinstance(partition, str) and partition:
        read["inputFacets"] = {"subset": subset("input", [partition])}
    return read


def _output(item: DatasetDetails, namespace: str, *, written: bool) -> JsonObject:
    facets = dataset_facets(item, namespace)
    output: JsonObject = {"namespace": namespace, "name": item["dataset"], "facets": facets}
    if written:
        if sources := item.get("sources"):
            facets["columnLineage"] = column_lineage(sources, namespace)
        output["outputFacets"] = output_facets(item)
    return output
